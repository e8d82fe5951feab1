import { type Api, type CallOptions, orNull, readTagged } from './transport/api.ts';

export interface Network {
  name: string;
  type: 'bridge' | (string & {});
  managed: boolean;
  /** The status: `Created`, `Pending`, `Errored` or `Unknown`. It is empty if Incus does not manage the network. */
  status: string;
  config: Record<string, string>;
  /** The URLs of the instances and profiles that use the network. */
  used_by: string[] | null;
}

export interface NetworkState {
  /** The addresses of the host on this interface. */
  addresses: { family: 'inet' | 'inet6'; address: string; netmask: string; scope: string }[] | null;
  /** The traffic in bytes, from the point of view of the host. */
  counters: { bytes_received: number; bytes_sent: number };
}

interface NewNetwork {
  name: string;
  type: 'bridge';
  description: string;
  config: Record<string, string>;
}

export type NetworkCalls = ReturnType<typeof networkCalls>;

/**
 * Creates the calls for networks. With `features.networks=false` in the project, these are the networks of the default
 * project.
 */
export function networkCalls(api: Api) {
  const { project } = api;
  return {
    /** Finds a network, or a plain interface of the host: of the member that responds, or of `target`. */
    get: (name: string, target?: string, options?: CallOptions) =>
      api.find<Network>(['networks', name], { project, target }, options),

    getTagged: (name: string, options?: CallOptions) => {
      const request = { method: 'GET' as const, path: ['networks', name], query: { project } };
      return orNull(api.read(request, options, readTagged<Network>));
    },

    /** Lists the networks and the interfaces of a host: of the member that responds, or of `member` in the options. */
    list: (options?: CallOptions) =>
      api.get<Network[]>(['networks'], { project, recursion: 1 }, options),

    /** Finds the state of a network or of a plain interface of the host, such as its end of the NIC of an instance. */
    getState: (name: string, target?: string, options?: CallOptions) =>
      api.find<NetworkState>(['networks', name, 'state'], { project, target }, options),

    /**
     * Creates a network. In a cluster it must be called once for each member (`target`, with the keys of this member),
     * and then once without a target. Throws `already_exists`.
     */
    create: (network: NewNetwork, target?: string, options?: CallOptions): Promise<void> =>
      api.change(
        { method: 'POST', path: ['networks'], query: { project, target }, json: network },
        options,
      ),

    /**
     * Sets configuration keys of a network that was read with this `etag`. Its filters are suspended for a second, and
     * open connections stall. Throws `busy` if the network was changed in the meantime.
     */
    configure: (
      name: string,
      config: Record<string, string>,
      etag: string,
      options?: CallOptions,
    ): Promise<void> => {
      const headers = { 'if-match': etag };
      const request = { method: 'PATCH' as const, path: ['networks', name], query: { project } };
      return api.change({ ...request, headers, json: { config } }, options);
    },

    /** Deletes a network. Throws `busy` while instances use it. */
    delete: (name: string, options?: CallOptions): Promise<void> =>
      api.change({ method: 'DELETE', path: ['networks', name], query: { project } }, options),
  };
}
