import type { Api, CallOptions } from './transport/api.ts';

export interface StoragePool {
  name: string;
  driver: 'btrfs' | 'zfs' | 'lvm' | 'dir' | (string & {});
  /** `Created`, `Pending`, `Errored` or `Unknown`. */
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
  /** Bytes. */
  space: { used: number; total: number };
}

export interface StorageVolume {
  name: string;
  /** Instances' root disks are `container` and `virtual-machine`. */
  type: 'container' | 'virtual-machine' | 'custom' | 'image' | (string & {});
  description: string;
  location: string;
  project: string;
  used_by: string[] | null;
}

/** The usage of an instance's disk. */
interface VolumeState {
  /** Bytes; null if the driver can't tell, and 0 if Incus could not read it. */
  usage: { used: number; total: number } | null;
}

/** Named by its image's fingerprint, if it is one's copy. */
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

    /** In a cluster, see the creation of networks. Throws `already_exists`. */
    createPool: (pool: NewStoragePool, target?: string, options?: CallOptions): Promise<void> =>
      api.change(
        { method: 'POST', path: ['storage-pools'], query: { target }, json: pool },
        options,
      ),

    /** Throws `busy` while anything is on it. */
    deletePool: (pool: string, options?: CallOptions): Promise<void> =>
      api.change({ method: 'DELETE', path: ['storage-pools', pool] }, options),

    /** The resources of the pool on the member that answers, or on `target`. */
    poolResources: (pool: string, target?: string, options?: CallOptions) =>
      api.get<PoolResources>(['storage-pools', pool, 'resources'], { target }, options),

    /**
     * The volumes of the project, on all members and of all types. Snapshots are named
     * `<volume>/<snapshot>`.
     */
    async listVolumes(pool: string, options?: CallOptions): Promise<StorageVolume[]> {
      const path = ['storage-pools', pool, 'volumes'];
      const query = { project, recursion: 1 };
      return (await api.get<StorageVolume[] | null>(path, query, options)) ?? [];
    },

    /** The volume on the member that answers, or on `target`. */
    getVolume: (pool: string, volume: VolumeId, target?: string, options?: CallOptions) =>
      api.find<StorageVolume>(volumePath(pool, volume), { project, target }, options),

    /** The usage of an instance's volume, on any member; `null` if there is no such instance. */
    getVolumeState: (pool: string, volume: VolumeId, options?: CallOptions) =>
      api.find<VolumeState>([...volumePath(pool, volume), 'state'], { project }, options),

    /** All that Incus lets be changed of an image's copy. */
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

    /** Only of type `custom` or `image`: Incus deletes the others with their instance. */
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
