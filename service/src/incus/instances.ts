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
  /** Also `Error` while its member can't be reached. */
  status: InstanceStatus;
  status_code: number;
  /** The member of the cluster; `none` without one. */
  location: string;
  project: string;
  config: Record<string, string>;
  devices: Devices;
  profiles: string[];
  created_at: string;
  last_used_at: string;
}

/** Incus knows little more than the name of an instance whose member can't be reached. */
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
  /** Bytes by device; empty if the pool can't tell. */
  disk: Record<string, { usage: number; total?: number }> | null;
  /** By interface in the guest; null while it is stopped. */
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
   * `none`: without an operating system, so that it can't run. `migration`: to be sent by another
   * Incus; until then only the record exists.
   */
  source:
    | { type: 'image'; fingerprint: string }
    | { type: 'image'; alias: string }
    | { type: 'none' }
    | { type: 'migration'; mode: 'push' };
  /** Such as `x86_64`; required for a `migration`. */
  architecture?: string;
  config: Record<string, string>;
  devices: Devices;
  /** Empty, so that it does not inherit from the default profile. */
  profiles: string[];
  description?: string;
}

/**
 * A forced stop cuts the power. A graceful one asks the guest, and fails if the guest ignores it.
 */
export type StateChange =
  | { action: 'start' }
  | { action: 'stop' | 'restart'; force: true }
  | { action: 'stop' | 'restart'; force: false; graceSeconds: number };

/** An interface takes a few hundred bytes. States with thousands of them are not read. */
const maxStateBytes = 2 ** 20;

export type InstanceCalls = ReturnType<typeof instanceCalls>;

/**
 * For Incus, 0 means a forced stop and -1 ten minutes, so the grace period is at least a second.
 */
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

    /** Configuration and devices are empty for an instance whose member can't be reached. */
    list: (options?: CallOptions): Promise<Instance[]> => listed({}, options),

    /**
     * Instances with this value under this configuration key (Incus documentation, "Filtering").
     * Neither may contain a space.
     */
    listWith: (key: string, value: string, options?: CallOptions): Promise<Instance[]> =>
      listed({ filter: `config.${key} eq ${value}` }, options),

    /**
     * Changes devices and configuration in one call, also of a running instance. A device is
     * replaced as a whole. Configuration is merged, and an empty value removes a key. `change` gets
     * the current instance. Throws `busy` if it was changed concurrently, `not_found` if it does
     * not exist.
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
     * Creates a stopped instance. Throws `already_exists`, either at once or from the operation. A
     * `migration` ends after 30 s without data; its record is then removed, if it still has the
     * same name.
     */
    create: (instance: NewInstance, target?: string, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        { method: 'POST', path: ['instances'], query: { project, target }, json: instance },
        options,
      ),

    /** The operation fails as `busy` if the instance is already in the wanted state. */
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
     * Moves an instance with its disk to another member of the cluster; a running one needs `live`
     * (Incus documentation, "Move existing Incus instances between cluster members"). Throws
     * `invalid` if it is there already, and if it runs and `live` is not set.
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
     * Replaces its disk by an empty one, even while something else uses the instance. Throws
     * `failed`, and changes nothing, if the disk has snapshots.
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

    /** Renames it with its disk. Throws `already_exists` if another instance has that name. */
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

    /** Throws `busy` while it is running. */
    delete: (name: string, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        { method: 'DELETE', path: ['instances', name], query: { project } },
        options,
      ),

    /**
     * Throws `invalid` if it is very long: it lists all network interfaces that the guest has
     * created.
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
     * Reads only the usage from its state, however many interfaces its guest has created; null if
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
