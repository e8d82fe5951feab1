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
  /** Of the host itself, on that interface. */
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

/** In a project with `features.networks=false` these are the networks of the default project. */
export function networkCalls(api: Api) {
  const { project } = api;
  return {
    /** Also a plain interface of the host: of the member that answers, or of `target`. */
    get: (name: string, target?: string, options?: CallOptions) =>
      api.find<Network>(['networks', name], { project, target }, options),

    getTagged: (name: string, options?: CallOptions) => {
      const request = { method: 'GET' as const, path: ['networks', name], query: { project } };
      return orNull(api.read(request, options, readTagged<Network>));
    },

    /** Also the host's interfaces: of the member that answers, which `member` of the options asks for. */
    list: (options?: CallOptions) =>
      api.get<Network[]>(['networks'], { project, recursion: 1 }, options),

    /** Also of a plain interface of the host, such as its end of an instance's NIC. */
    getState: (name: string, target?: string, options?: CallOptions) =>
      api.find<NetworkState>(['networks', name, 'state'], { project, target }, options),

    /**
     * In a cluster: once for each member (`target`, with the keys that are its own), then once
     * without. Throws `already_exists`.
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
