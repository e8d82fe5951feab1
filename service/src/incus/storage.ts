import type { Api, CallOptions } from './transport/api.ts';

export interface StoragePool {
  name: string;
  driver: 'btrfs' | 'zfs' | 'lvm' | 'dir' | (string & {});
  /** The status: `Created`, `Pending`, `Errored` or `Unknown`. */
  status: string;
  config: Record<string, string>;
  used_by: string[] | null;
}

interface NewStoragePool {
  name: string;
  driver: string;
  description: string;
  config: Record<string, string>;
}

export interface PoolResources {
  /** The space in bytes. */
  space: { used: number; total: number };
}

export interface StorageVolume {
  name: string;
  /** The type. The root disks of instances have the types `container` and `virtual-machine`. */
  type: 'container' | 'virtual-machine' | 'custom' | 'image' | (string & {});
  description: string;
  location: string;
  project: string;
  used_by: string[] | null;
}

/** The usage of the disk of an instance. */
interface VolumeState {
  /** The usage in bytes; null if the driver does not report it, and 0 if Incus could not read it. */
  usage: { used: number; total: number } | null;
}

/** Identifies a volume. The copy of an image has the fingerprint of the image as its name. */
type VolumeId = Pick<StorageVolume, 'type' | 'name'>;

const volumePath = (pool: string, { type, name }: VolumeId) => [
  'storage-pools',
  pool,
  'volumes',
  type,
  name,
];

export type StorageCalls = ReturnType<typeof storageCalls>;

export function storageCalls(api: Api) {
  const { project } = api;
  return {
    getPool: (pool: string, options?: CallOptions) =>
      api.find<StoragePool>(['storage-pools', pool], {}, options),

    /** Creates a pool. For clusters, see the creation of networks. Throws `already_exists`. */
    createPool: (pool: NewStoragePool, target?: string, options?: CallOptions): Promise<void> =>
      api.change(
        { method: 'POST', path: ['storage-pools'], query: { target }, json: pool },
        options,
      ),

    /** Deletes a pool. Throws `busy` unless it is empty. */
    deletePool: (pool: string, options?: CallOptions): Promise<void> =>
      api.change({ method: 'DELETE', path: ['storage-pools', pool] }, options),

    /** Reads the resources of the pool on the member that responds, or on `target`. */
    poolResources: (pool: string, target?: string, options?: CallOptions) =>
      api.get<PoolResources>(['storage-pools', pool, 'resources'], { target }, options),

    /**
     * Lists the volumes of the project, on all members and of all types. Snapshots have names such as
     * `<volume>/<snapshot>`.
     */
    async listVolumes(pool: string, options?: CallOptions): Promise<StorageVolume[]> {
      const path = ['storage-pools', pool, 'volumes'];
      const query = { project, recursion: 1 };
      return (await api.get<StorageVolume[] | null>(path, query, options)) ?? [];
    },

    /** Finds the volume on the member that responds, or on `target`. */
    getVolume: (pool: string, volume: VolumeId, target?: string, options?: CallOptions) =>
      api.find<StorageVolume>(volumePath(pool, volume), { project, target }, options),

    /** Finds the usage of the volume of an instance, on any member; `null` if there is no such instance. */
    getVolumeState: (pool: string, volume: VolumeId, options?: CallOptions) =>
      api.find<VolumeState>([...volumePath(pool, volume), 'state'], { project }, options),

    /** Changes the description of a volume, which is all that Incus allows for the copy of an image. */
    describeVolume: (
      pool: string,
      volume: VolumeId & { description: string },
      target?: string,
      options?: CallOptions,
    ): Promise<void> => {
      const { description } = volume;
      const path = volumePath(pool, volume);
      const query = { project, target };
      return api.change({ method: 'PUT', path, query, json: { description } }, options);
    },

    /** Deletes a volume of the type `custom` or `image`. Incus deletes other volumes with their instances. */
    deleteVolume: (
      pool: string,
      volume: VolumeId,
      target?: string,
      options?: CallOptions,
    ): Promise<void> => {
      const path = volumePath(pool, volume);
      return api.change({ method: 'DELETE', path, query: { project, target } }, options);
    },
  };
}
