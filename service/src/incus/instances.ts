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
  /** `Error` also while the member that runs it can't be asked. */
  status: InstanceStatus;
  status_code: number;
  /** The member it is on; `none` without a cluster. */
  location: string;
  project: string;
  config: Record<string, string>;
  devices: Devices;
  profiles: string[];
  created_at: string;
  last_used_at: string;
}

/** Of one whose member can't be asked, Incus knows little more than its name. */
type Listed = Omit<Instance, 'config' | 'devices'> & {
  config: Instance['config'] | null;
  devices: Devices | null;
};

export interface InstanceState {
  status: InstanceStatus;
  status_code: number;
  /** 0 while stopped. */
  pid: number;
  processes: number;
  /** Nanoseconds of CPU time since the start. */
  cpu: { usage: number };
  /** Bytes. */
  memory: { usage: number; usage_peak: number; total?: number };
  /** Bytes, by device; empty where the pool can't tell. */
  disk: Record<string, { usage: number; total?: number }> | null;
  /** By interface in the guest; null while stopped. */
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
   * `none`: without a system, so that it can't run. `migration`: of another Incus that is to send it; until
   * that begins there is its record alone.
   */
  source:
    | { type: 'image'; fingerprint: string }
    | { type: 'image'; alias: string }
    | { type: 'none' }
    | { type: 'migration'; mode: 'push' };
  /** Such as `x86_64`; a `migration` has to tell it. */
  architecture?: string;
  config: Record<string, string>;
  devices: Devices;
  /** None: nothing of the default profile is taken over. */
  profiles: string[];
  description?: string;
}

/** A forced stop pulls the plug; a graceful one asks the guest and fails when it ignores that. */
export type StateChange =
  | { action: 'start' }
  | { action: 'stop' | 'restart'; force: true }
  | { action: 'stop' | 'restart'; force: false; graceSeconds: number };

/** A few hundred bytes are of an interface: thousands are no longer read. */
const longestStateBytes = 2 ** 20;

export type InstanceCalls = ReturnType<typeof instanceCalls>;

/** In Incus 0 means a forced stop and -1 ten minutes, so that a grace is at least a second. */
function stateBody(change: StateChange) {
  if (change.action === 'start') return { action: 'start', timeout: -1 };
  const { action, force } = change;
  const timeout = force ? -1 : Math.max(1, Math.ceil(change.graceSeconds));
  return { action, force, timeout };
}

export function instanceCalls(api: Api) {
  const { project } = api;
  const listed = async (filter: { filter?: string }, options?: CallOptions) => {
    const query = { project, recursion: 1, ...filter };
    const found = (await api.get<Listed[] | null>(['instances'], query, options)) ?? [];
    return found.map((one) => ({ ...one, config: one.config ?? {}, devices: one.devices ?? {} }));
  };
  return {
    get: (name: string, options?: CallOptions) =>
      api.find<Instance>(['instances', name], { project }, options),

    /** Of one whose member can't be asked, configuration and devices are empty. */
    list: (options?: CallOptions): Promise<Instance[]> => listed({}, options),

    /**
     * Those whose configuration has this value under this key (Incus documentation, "Filtering"). Neither may
     * have a space in it.
     */
    listWith: (key: string, value: string, options?: CallOptions): Promise<Instance[]> =>
      listed({ filter: `config.${key} eq ${value}` }, options),

    /**
     * Changes devices and configuration at once, also of one that runs. A device is replaced as a
     * whole; configuration is merged, and an empty value removes a key. `change` gets the instance as
     * it is. Throws `busy` when somebody else changed it meanwhile, `not_found` where there is none.
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
     * Stopped at first. Throws `already_exists` at once or from the operation. That of a `migration` gives up
     * after 30 s in which nobody sends anything: the record goes then, if it still has its name.
     */
    create: (instance: NewInstance, target?: string, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        { method: 'POST', path: ['instances'], query: { project, target }, json: instance },
        options,
      ),

    /** An instance that is in the wanted state already makes the operation fail as `busy`. */
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
     * Takes it to another member of the cluster, with its disk; one that runs only `live` (Incus
     * documentation, "Move existing Incus instances between cluster members"). Throws `invalid` where it
     * is there already, and where it runs and is not to be moved live.
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
     * Deletes its disk, and makes an empty one. Whatever holds the instance, Incus goes ahead. Throws `failed`,
     * and changes nothing, where the disk has snapshots.
     */
    empty: (name: string, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        {
          method: 'POST',
          path: ['instances', name, 'rebuild'],
          query: { project },
          json: { source: { type: 'none' } },
        },
        options,
      ),

    /** With its disk; the same. Throws `already_exists` where another one has that name. */
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

    /** Throws `busy` while it runs. */
    delete: (name: string, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        { method: 'DELETE', path: ['instances', name], query: { project } },
        options,
      ),

    /** Throws `invalid` where it is very long: it lists all network interfaces that the guest has made. */
    getState(name: string, options?: CallOptions): Promise<InstanceState | null> {
      const path = ['instances', name, 'state'];
      const what = `The state of ${name}, which lists the network interfaces of its guest,`;
      const state = api.read(
        { method: 'GET', path, query: { project } },
        options,
        async (response) => {
          const { metadata } = await readBody(response, { what, maxBytes: longestStateBytes });
          return metadata as InstanceState;
        },
      );
      return orNull(state);
    },

    /** Of its state that alone, however many interfaces its guest has made; null where there is none of that name. */
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
