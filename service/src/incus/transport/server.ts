import { type Api, type CallOptions, errorOf, type Operation } from './api.ts';
import { EngineError } from './errors.ts';
import type { Transport } from './transport.ts';

export interface ServerInfo {
  api_extensions: string[];
  environment: {
    server_name: string;
    server_clustered: boolean;
    server_version: string;
    /** The kernel version of the host in the format of `uname -r`. */
    kernel_version: string;
    /** The fingerprint of the HTTPS certificate, which is the same for all members of a cluster. */
    certificate_fingerprint: string;
    /** The addresses with ports on which Incus listens for HTTPS; empty if it does not. */
    addresses?: string[] | null;
    /** The process id of the daemon in its own namespace. */
    server_pid: number;
    /** The architectures with the names of the kernel, such as `x86_64`. The first is that of the machine. */
    architectures: string[];
    /** The drivers: `lxc`, `qemu` or `lxc | qemu`. */
    driver: string;
    /** The storage drivers. Their fields are capitalized in Incus. */
    storage_supported_drivers: { Name: string; Version: string; Remote: boolean }[];
  };
}

export type InstanceType = 'container' | 'virtual-machine';

export interface Resources {
  cpu: { total: number };
  /** The memory in bytes. */
  memory: { total: number; used: number };
}

export interface ClusterMember {
  server_name: string;
  url: string;
  /**
   * The status: `Online`, `Offline`, `Blocked` until the member is updated, `Evacuated`, and since Incus 7 `Evacuating`
   * and `Restoring`. A dead member is `Online` for 20 s, and an evacuated one is never `Offline`.
   */
  status: string;
  message: string;
  architecture: string;
  roles: string[];
  /** The failure domain; `default` unless an administrator has set another one. */
  failure_domain: string;
}

/** `evacuate` moves or stops all instances of a member, and `restore` reverts this. */
export type MemberAction = 'evacuate' | 'restore';

export type ServerCalls = ReturnType<typeof serverCalls>;

export function serverCalls(api: Api, learn: Transport['learn']) {
  return {
    /**
     * Reads the information of the member that responds, or of `target`. Throws `forbidden` if Incus does not trust the
     * client certificate, in which case Incus reports only its version.
     */
    async info(target?: string, options?: CallOptions): Promise<ServerInfo> {
      type Info = ServerInfo & { auth: 'trusted' | 'untrusted' };
      const info = await api.get<Info>([], { target }, options);
      if (info.auth === 'trusted') return info;
      throw new EngineError('forbidden', 'Incus does not trust our client certificate');
    },

    /** Reads the resources of the member that responds, or of `target`. */
    resources: (target?: string, options?: CallOptions) =>
      api.get<Resources>(['resources'], { target }, options),
    /** Lists the members of the cluster. Throws `invalid` if there is no cluster. */
    async members(options?: CallOptions): Promise<ClusterMember[]> {
      const path = ['cluster', 'members'];
      const members = await api.get<ClusterMember[]>(path, { recursion: 1 }, options);
      learn(members);
      return members;
    },
    /**
     * Evacuates or restores a member. The operation belongs to no project, and ends at the first instance that fails.
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
    /** Forcibly removes a member, even if it is unreachable, with all records of its instances. */
    forgetMember: (name: string, options?: CallOptions) =>
      api.change(
        { method: 'DELETE', path: ['cluster', 'members', name], query: { force: 1 } },
        options,
      ),
    /**
     * Reads the metrics of the instances of the project on one member in pieces, in the text format of OpenMetrics in
     * UTF-8. Incus caches the metrics for 8 s, and returns `busy` while another call collects them.
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

/** Lists the types of instances that the server can run. */
export function instanceTypes(info: ServerInfo): InstanceType[] {
  const drivers = info.environment.driver.split(' | ');
  const types: InstanceType[] = drivers.includes('lxc') ? ['container'] : [];
  return drivers.includes('qemu') ? [...types, 'virtual-machine'] : types;
}
