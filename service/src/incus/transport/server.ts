import { type Api, type CallOptions, errorOf, type Operation } from './api.ts';
import { EngineError } from './errors.ts';
import type { Transport } from './transport.ts';

export interface ServerInfo {
  api_extensions: string[];
  environment: {
    server_name: string;
    server_clustered: boolean;
    server_version: string;
    /** The kernel of its host, as `uname -r` prints it. */
    kernel_version: string;
    /**
     * The fingerprint of the certificate that it presents over HTTPS, the same for all members of a
     * cluster.
     */
    certificate_fingerprint: string;
    /** The addresses that it listens on over HTTPS, with ports; empty if it does not. */
    addresses?: string[] | null;
    /** The process id of the daemon, in its own namespace. */
    server_pid: number;
    /** Words of the kernel: `x86_64`. The first is the machine's own. */
    architectures: string[];
    /** `lxc`, `qemu` or `lxc | qemu`. */
    driver: string;
    /** Fields are in capitals in Incus itself. */
    storage_supported_drivers: { Name: string; Version: string; Remote: boolean }[];
  };
}

export type InstanceType = 'container' | 'virtual-machine';

export interface Resources {
  cpu: { total: number };
  /** Bytes. */
  memory: { total: number; used: number };
}

export interface ClusterMember {
  server_name: string;
  url: string;
  /**
   * `Online`, `Offline`, `Blocked` until it is updated, `Evacuated`, and since Incus 7 `Evacuating` and
   * `Restoring`. A dead member is `Online` for 20 s, an evacuated one never `Offline`.
   */
  status: string;
  message: string;
  architecture: string;
  roles: string[];
  /** `default` unless an administrator has set one. */
  failure_domain: string;
}

/** Out of service, with all its instances elsewhere or stopped; and back. */
export type MemberAction = 'evacuate' | 'restore';

export type ServerCalls = ReturnType<typeof serverCalls>;

export function serverCalls(api: Api, learn: Transport['learn']) {
  return {
    /**
     * Reads from the member that answers, or from `target`. Throws `forbidden` if Incus does not
     * trust our certificate: it then reports only its version.
     */
    async info(target?: string, options?: CallOptions): Promise<ServerInfo> {
      type Info = ServerInfo & { auth: 'trusted' | 'untrusted' };
      const info = await api.get<Info>([], { target }, options);
      if (info.auth === 'trusted') return info;
      throw new EngineError('forbidden', 'Incus does not trust our client certificate');
    },

    /** The resources of the member that answers, or of `target`. */
    resources: (target?: string, options?: CallOptions) =>
      api.get<Resources>(['resources'], { target }, options),
    /** Throws `invalid` if it is not clustered. */
    async members(options?: CallOptions): Promise<ClusterMember[]> {
      const path = ['cluster', 'members'];
      const members = await api.get<ClusterMember[]>(path, { recursion: 1 }, options);
      learn(members);
      return members;
    },
    /**
     * Sent to the member itself. The operation belongs to no project, and ends at the first
     * instance that fails.
     */
    changeMember: (name: string, action: MemberAction, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        {
          method: 'POST',
          path: ['cluster', 'members', name, 'state'],
          query: {},
          json: { action },
        },
        options,
      ),
    /** Removes a member by force, even if it is unreachable, with all records of its instances. */
    forgetMember: (name: string, options?: CallOptions) =>
      api.change(
        { method: 'DELETE', path: ['cluster', 'members', name], query: { force: 1 } },
        options,
      ),
    /**
     * The project's instances on one member, in the text format of OpenMetrics, in UTF-8, piece by
     * piece. Incus keeps the figures for 8 s, and says `busy` while another call collects them.
     */
    metrics: <T>(
      target: string | undefined,
      reader: (pieces: AsyncIterable<Buffer>) => Promise<T>,
      options?: CallOptions,
    ) =>
      api.read(
        { method: 'GET', path: ['metrics'], query: { project: api.project, target } },
        options,
        async (response) => {
          if (response.statusCode >= 400) throw await errorOf(response);
          return await reader(response.body);
        },
      ),
  };
}

/** Which kinds of instances the server can run. */
export function instanceTypes(info: ServerInfo): InstanceType[] {
  const drivers = info.environment.driver.split(' | ');
  const types: InstanceType[] = drivers.includes('lxc') ? ['container'] : [];
  return drivers.includes('qemu') ? [...types, 'virtual-machine'] : types;
}
