import {
  type Api,
  type CallOptions,
  type Operation,
  orNull,
  readBody,
  readTagged,
} from './transport/api.ts';
import type { InstanceType } from './transport/server.ts';
import { type InstanceUse, readUse } from './transport/use.ts';

export type Devices = Record<string, Record<string, string>>;
export type InstanceStatus = 'Running' | 'Stopped' | 'Frozen' | 'Error' | (string & {});

export interface Instance {
  name: string;
  type: InstanceType;
  /** The status, which is also `Error` while the member is unreachable. */
  status: InstanceStatus;
  status_code: number;
  /** The member of the cluster; `none` without a cluster. */
  location: string;
  project: string;
  config: Record<string, string>;
  devices: Devices;
  /** The configuration and the devices together with those of its profiles. */
  expanded_config?: Record<string, string> | null;
  expanded_devices?: Devices | null;
  profiles: string[];
  description: string;
  /** Whether Incus deletes it, with its disk, when it stops. */
  ephemeral: boolean;
  created_at: string;
  last_used_at: string;
}

/** An instance in a list. If its member is unreachable, Incus reports little more than its name. */
type Listed = Omit<Instance, 'config' | 'devices'> & {
  config: Instance['config'] | null;
  devices: Devices | null;
};

/** What a replacement has to repeat. */
type Whole = Instance & { architecture: string };

/** What a replacement may change. */
export type Replaced = Pick<Instance, 'config' | 'devices' | 'ephemeral' | 'profiles'>;

export interface InstanceState {
  status: InstanceStatus;
  status_code: number;
  /** The process id; 0 while the instance is stopped. */
  pid: number;
  processes: number;
  /** The CPU time since the start, in nanoseconds. */
  cpu: { usage: number };
  /** The memory in bytes. */
  memory: { usage: number; usage_peak: number; total?: number };
  /** The usage in bytes by device; empty if the pool does not report it. */
  disk: Record<string, { usage: number; total?: number }> | null;
  /** The state by interface of the guest; null while the instance is stopped. */
  network: Record<string, NetworkState> | null;
}

interface NetworkState {
  addresses: { family: 'inet' | 'inet6'; address: string; netmask: string; scope: string }[];
  counters: { bytes_received: number; bytes_sent: number };
  hwaddr: string;
  host_name: string;
  state: string;
}

export interface NewInstance {
  name: string;
  type: InstanceType;
  /**
   * The source. `none` creates an instance without an operating system, which can't run. `migration` waits for the data
   * from another Incus; until then only the record exists. `copy` copies an instance of any project with its disk and its
   * snapshots. Its configuration, but for volatile keys, and its devices are then added to the given ones.
   */
  source:
    | { type: 'image'; fingerprint: string }
    | { type: 'image'; alias: string }
    | { type: 'none' }
    | { type: 'migration'; mode: 'push' }
    | { type: 'copy'; source: string; project: string };
  /** The architecture, such as `x86_64`. It is required for a `migration`. */
  architecture?: string;
  config: Record<string, string>;
  devices: Devices;
  /** The profiles. An empty list prevents the instance from inheriting from the default profile. */
  profiles: string[];
  description?: string;
}

/**
 * A change of the state. A forced stop ends the guest at once. A graceful one fails if the guest ignores the request. A
 * freeze succeeds without an effect if the kernel of the host can't freeze the guest.
 */
export type StateChange =
  | { action: 'start' | 'freeze' | 'unfreeze' }
  | { action: 'stop' | 'restart'; force: true }
  | { action: 'stop' | 'restart'; force: false; graceSeconds: number };

/** The maximum length of a state. An interface uses a few hundred bytes, and states with thousands are not read. */
const maxStateBytes = 2 ** 20;

export type InstanceCalls = ReturnType<typeof instanceCalls>;

/**
 * Creates the body of a change of the state. The grace period is at least a second, because for Incus 0 means a forced
 * stop and -1 ten minutes.
 */
function stateBody(change: StateChange) {
  if (!('force' in change)) return { action: change.action, timeout: -1 };
  const { action, force } = change;
  const timeout = force ? -1 : Math.max(1, Math.ceil(change.graceSeconds));
  return { action, force, timeout };
}

export function instanceCalls(api: Api) {
  const { project } = api;
  const listed = async (filter: { filter?: string }, options?: CallOptions) => {
    const query = { project, recursion: 1, ...filter };
    const found = (await api.get<Listed[] | null>(['instances'], query, options)) ?? [];
    // They are changed and not copied, because there may be thousands.
    return found.map((one) =>
      Object.assign(one, { config: one.config ?? {}, devices: one.devices ?? {} }),
    );
  };
  return {
    get: (name: string, options?: CallOptions) =>
      api.find<Instance>(['instances', name], { project }, options),

    /** Lists all instances. The configuration and devices are empty if the member of an instance is unreachable. */
    list: (options?: CallOptions): Promise<Instance[]> => listed({}, options),

    /**
     * Lists the instances with this value of this configuration key (Incus documentation, "Filtering"). Neither may
     * contain a space.
     */
    listWith: (key: string, value: string, options?: CallOptions): Promise<Instance[]> =>
      listed({ filter: `config.${key} eq ${value}` }, options),

    /**
     * Changes the devices and the configuration of an instance, which may be running, in one call. A device is replaced
     * as a whole. The configuration is merged, and an empty value removes a key. `change` receives the current
     * instance. Throws `busy` if the instance was changed concurrently, and `not_found` if it does not exist.
     */
    async change(
      name: string,
      change: (instance: Instance) => Partial<Pick<Instance, 'devices' | 'config'>>,
      options?: CallOptions,
    ): Promise<void> {
      const at = { path: ['instances', name], query: { project } };
      const request = { method: 'GET' as const, ...at };
      const { value, etag } = await api.read(request, options, readTagged<Instance>);
      const headers = { 'if-match': etag };
      await api.change({ method: 'PATCH', ...at, headers, json: change(value) }, options);
    },

    /**
     * Replaces what an instance has, which may be running. Keys and devices that are omitted are removed. `change` receives the current instance. Throws `busy` if the instance was changed concurrently, and
     * `not_found` if it does not exist.
     */
    async replace(
      name: string,
      change: (instance: Instance) => Replaced,
      options?: CallOptions,
    ): Promise<Operation> {
      const at = { path: ['instances', name], query: { project } };
      const request = { method: 'GET' as const, ...at };
      const { value, etag } = await api.read(request, options, readTagged<Whole>);
      const { architecture, description } = value;
      const json = { architecture, description, ...change(value) };
      const headers = { 'if-match': etag };
      return await api.startOperation({ method: 'PUT', ...at, headers, json }, options);
    },

    /**
     * Creates a stopped instance. Throws `already_exists`, either at once or from the operation. A `migration` ends
     * after 30 s without data. Its record is then removed if it still has the same name.
     */
    create: (instance: NewInstance, target?: string, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        { method: 'POST', path: ['instances'], query: { project, target }, json: instance },
        options,
      ),

    /** Changes the state. The operation fails with `busy` if the instance is already in this state. */
    updateState: (name: string, change: StateChange, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        {
          method: 'PUT',
          path: ['instances', name, 'state'],
          query: { project },
          json: stateBody(change),
        },
        options,
      ),

    /**
     * Moves an instance with its disk to another member of the cluster. A running instance needs `live` (Incus
     * documentation, "Move existing Incus instances between cluster members"). Throws `invalid` if the instance is
     * already there, and if it is running without `live`.
     */
    migrate: (
      name: string,
      { target, live }: { target: string; live: boolean },
      options?: CallOptions,
    ): Promise<Operation> =>
      api.startOperation(
        {
          method: 'POST',
          path: ['instances', name],
          query: { project, target },
          json: { migration: true, live },
        },
        options,
      ),

    /**
     * Replaces the disk of an instance by an empty one, even while something else uses the instance. Throws `failed`,
     * and changes nothing, if the disk has snapshots.
     */
    replaceDisk: (name: string, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        {
          method: 'POST',
          path: ['instances', name, 'rebuild'],
          query: { project },
          json: { source: { type: 'none' } },
        },
        options,
      ),

    /** Renames an instance with its disk. Throws `already_exists` if another instance has that name. */
    rename: (name: string, newName: string, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        {
          method: 'POST',
          path: ['instances', name],
          query: { project },
          json: { name: newName },
        },
        options,
      ),

    /** Deletes an instance. Throws `busy` while it is running. */
    delete: (name: string, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        { method: 'DELETE', path: ['instances', name], query: { project } },
        options,
      ),

    /**
     * Reads the state of an instance. Throws `invalid` if it is very long, because it lists all network interfaces that
     * the guest has created.
     */
    getState(name: string, options?: CallOptions): Promise<InstanceState | null> {
      const path = ['instances', name, 'state'];
      const what = `The state of ${name}, which lists the network interfaces of its guest,`;
      const state = api.read(
        { method: 'GET', path, query: { project } },
        options,
        async (response) => {
          const { metadata } = await readBody(response, { what, maxBytes: maxStateBytes });
          return metadata as InstanceState;
        },
      );
      return orNull(state);
    },

    /**
     * Reads only the usage from the state of an instance, regardless of the number of interfaces of its guest. Null if
     * there is no such instance.
     */
    getUse: (name: string, options?: CallOptions): Promise<InstanceUse | null> =>
      orNull(
        api.read(
          { method: 'GET', path: ['instances', name, 'state'], query: { project } },
          options,
          readUse,
        ),
      ),
  };
}
