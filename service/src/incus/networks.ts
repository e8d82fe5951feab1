import { type Api, type CallOptions, orNull, readTagged } from './transport/api.ts';

export interface Network {
  name: string;
  type: 'bridge' | (string & {});
  managed: boolean;
  /** `Created`, `Pending`, `Errored` or `Unknown`; empty for one that Incus does not manage. */
  status: string;
  config: Record<string, string>;
  /** URLs of the instances and profiles on it. */
  used_by: string[] | null;
}

export interface NetworkState {
  /** The host's addresses on that interface. */
  addresses: { family: 'inet' | 'inet6'; address: string; netmask: string; scope: string }[] | null;
  /** Bytes, from the host's point of view. */
  counters: { bytes_received: number; bytes_sent: number };
}

interface NewNetwork {
  name: string;
  type: 'bridge';
  description: string;
  config: Record<string, string>;
}

export type NetworkCalls = ReturnType<typeof networkCalls>;

/** In a project with `features.networks=false`, these are the networks of the default project. */
export function networkCalls(api: Api) {
  const { project } = api;
  return {
    /** Also finds plain interfaces of a host: of the member that answers, or of `target`. */
    get: (name: string, target?: string, options?: CallOptions) =>
      api.find<Network>(['networks', name], { project, target }, options),

    getTagged: (name: string, options?: CallOptions) => {
      const request = { method: 'GET' as const, path: ['networks', name], query: { project } };
      return orNull(api.read(request, options, readTagged<Network>));
    },

    /**
     * Includes the interfaces of a host: of the member that answers, or of `member` in the options.
     */
    list: (options?: CallOptions) =>
      api.get<Network[]>(['networks'], { project, recursion: 1 }, options),

    /** Also works for plain interfaces of the host, such as its end of an instance's NIC. */
    getState: (name: string, target?: string, options?: CallOptions) =>
      api.find<NetworkState>(['networks', name, 'state'], { project, target }, options),

    /**
     * In a cluster it is called once for each member (`target`, with the keys of that member), and
     * then once without. Throws `already_exists`.
     */
    create: (network: NewNetwork, target?: string, options?: CallOptions): Promise<void> =>
      api.change(
        { method: 'POST', path: ['networks'], query: { project, target }, json: network },
        options,
      ),

    /**
     * Sets keys of one that was read with this `etag`. Its filters are away for a second then, and open
     * connections stall. Throws `busy` when somebody else changed it meanwhile.
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

    /** Throws `busy` while instances use it. */
    delete: (name: string, options?: CallOptions): Promise<void> =>
      api.change({ method: 'DELETE', path: ['networks', name], query: { project } }, options),
  };
}
