import { createHash, randomUUID } from 'node:crypto';
import { createTrust, type Trust } from './certificates.ts';
import type { GuestWork } from './guest.ts';
import { refuse } from './refusal.ts';
import type { Run } from './runs.ts';
import type { Tree } from './tree.ts';

export type Config = Record<string, string>;
export type Devices = Record<string, Config>;
export type InstanceKind = 'container' | 'virtual-machine';

export interface Project {
  name: string;
  description: string;
  config: Config;
  instances: Map<string, Instance>;
  /**
   * Names of instances that another Incus should send. No other can be created with such a name.
   */
  awaited: Set<string>;
  /** By fingerprint. */
  images: Map<string, Image>;
  aliases: Map<string, Alias>;
}

export interface Instance {
  project: Project;
  name: string;
  type: InstanceKind;
  description: string;
  config: Config;
  devices: Devices;
  profiles: string[];
  /** Whether Incus deletes it when it stops. */
  ephemeral: boolean;
  createdAt: Date;
  lastUsedAt: Date;
  /** `none` without a cluster. */
  member: string;
  status: 'Stopped' | 'Running' | 'Frozen';
  /**
   * `promised` while only the pool's records have it, `spoilt` after a start without it, `partial`
   * if its image was unpacked in part.
   */
  disk: 'none' | 'promised' | 'spoilt' | 'partial' | 'whole';
  /** Whether it was created without an image, and so cannot start. */
  isEmpty?: boolean;
  /** While it is not stopped. */
  run?: Run;
  /** The action that locks it, as Incus names it in "Instance is busy running a ...". */
  lock?: Lock;
  /** The differences from its image. */
  files: Tree;
  /** The unfinished handover of its guest, which survives restarts. */
  work?: GuestWork;
}

export interface Lock {
  action: 'create' | 'start' | 'stop' | 'restart' | 'migrate' | 'delete';
  /** Whether others can join it. */
  reusable: boolean;
  ended: Promise<boolean>;
}

export interface Image {
  fingerprint: string;
  type: InstanceKind;
  /** Bytes. */
  size: number;
  properties: Config;
  fileName: string;
  createdAt: Date;
  uploadedAt: Date;
}

export interface Alias {
  name: string;
  description: string;
  target: string;
  type: InstanceKind;
}

export interface Volume {
  name: string;
  type: 'container' | 'virtual-machine' | 'image' | 'custom';
  project: Project;
  member: string;
  createdAt: Date;
  description: string;
  /** Whether the image is complete. */
  isUnpacked?: boolean;
  /** Set while it is being unpacked; others wait for it. */
  unpacking?: Promise<void>;
}

export interface Pool {
  name: string;
  driver: string;
  description: string;
  config: Config;
  totalBytes: number;
  /** Every write fails with "no space left on device". */
  full: boolean;
  /** By project, then by type and name, for images also by member. */
  volumes: Map<Project, Map<string, Volume>>;
}

export interface Network {
  name: string;
  type: string;
  description: string;
  config: Config;
  users: Set<Instance>;
  /** MAC and IP addresses of the NICs on it, with their instances. */
  claims: Map<string, Set<Instance>>;
}

export interface AclRule {
  action: string;
  state: string;
  destination?: string;
  protocol?: string;
  destination_port?: string;
}

/** The rules of networks. Simulated networks have no traffic. */
export interface Acl {
  name: string;
  description: string;
  config: Config;
  egress: AclRule[];
  ingress: AclRule[];
}

/** The limits of a NIC: on received and on sent traffic. */
export type NicLimit = 'limits.ingress' | 'limits.egress';

export interface Member {
  name: string;
  address: string;
  /** The number of its instances. */
  instances: number;
  failureDomain: string;
  evacuated: boolean;
  /** When its daemon went down, in milliseconds. */
  downSince?: number;
  /** Whether it is back without a heartbeat yet. */
  isLate?: boolean;
}

/** Everything in the simulated Incus, except for operations and connections. */
export interface Model {
  projects: Map<string, Project>;
  pools: Map<string, Pool>;
  networks: Map<string, Network>;
  acls: Map<string, Acl>;
  /** The traffic limits that the kernels of its hosts do not support. */
  lacksLimits: Set<NicLimit>;
  /** Unmanaged bridges of the hosts, by name. */
  hostBridges: Set<string>;
  /** Empty without a cluster. */
  members: Map<string, Member>;
  /** The host ends of the NICs of running instances, by name. */
  hostInterfaces: Map<string, Instance>;
  trust: Trust;
  /** The fingerprint of the certificate that it presents over HTTPS. */
  ownFingerprint: string;
}

export function createModel(memberNames: readonly string[]): Model {
  const members = memberNames.map((name, index): [string, Member] => [
    name,
    newMember(name, `10.255.0.${index + 1}:8443`),
  ]);
  const model: Model = {
    projects: new Map(),
    pools: new Map(),
    networks: new Map(),
    acls: new Map(),
    lacksLimits: new Set(),
    hostBridges: new Set(),
    members: new Map(members),
    hostInterfaces: new Map(),
    trust: createTrust(),
    ownFingerprint: createHash('sha256').update(randomUUID()).digest('hex'),
  };
  addProject(model, { name: 'default', description: 'Default Incus project', config: {} });
  return model;
}

export function newMember(name: string, address: string): Member {
  return { name, address, instances: 0, failureDomain: 'default', evacuated: false };
}

export function addProject(
  model: Model,
  { name, description, config }: Pick<Project, 'name' | 'description' | 'config'>,
): Project {
  const features = { 'features.images': 'true', 'features.profiles': 'true' };
  const storage = { 'features.storage.buckets': 'true', 'features.storage.volumes': 'true' };
  const project: Project = {
    name,
    description,
    config: { ...features, ...storage, ...config },
    instances: new Map(),
    awaited: new Set(),
    images: new Map(),
    aliases: new Map(),
  };
  model.projects.set(name, project);
  return project;
}

/**
 * The images that a project uses: its own or, without that feature, those of the default project.
 */
export function imagesOf(model: Model, name: string): Project {
  const project = model.projects.get(name) ?? refuse('Project not found', 404);
  const isOwn = project.config['features.images'] === 'true';
  return isOwn ? project : (model.projects.get('default') ?? project);
}

export function findInstance(model: Model, projectName: string, name: string): Instance {
  return (
    model.projects.get(projectName)?.instances.get(name) ??
    refuse(
      `Failed to fetch instance "${name}" in project "${projectName}": Instance not found`,
      404,
    )
  );
}

/** Identifies a volume. Each member has its own copy of an image. */
export type VolumeId = Pick<Volume, 'project' | 'type' | 'name'> & { member?: string };

const keyOf = ({ type, name, member }: VolumeId) =>
  type === 'image' ? `${type}/${name}/${member}` : `${type}/${name}`;

export function addVolume(pool: Pool, volume: Volume): void {
  const ofProject = pool.volumes.get(volume.project) ?? new Map<string, Volume>();
  pool.volumes.set(volume.project, ofProject);
  ofProject.set(keyOf(volume), volume);
}

export function findVolume(pool: Pool, volume: VolumeId): Volume | undefined {
  return pool.volumes.get(volume.project)?.get(keyOf(volume));
}

export function volumesOf(pool: Pool, project: Project): Volume[] {
  return [...(pool.volumes.get(project)?.values() ?? [])];
}

export function removeVolume(pool: Pool, volume: VolumeId): boolean {
  return pool.volumes.get(volume.project)?.delete(keyOf(volume)) ?? false;
}

/** The pool of an instance's root disk. */
export function rootPool(model: Model, { devices }: Pick<Instance, 'devices'>): Pool {
  const root = Object.values(devices).find(({ type, path }) => type === 'disk' && path === '/');
  const pool = model.pools.get(root?.pool ?? '');
  return (
    pool ??
    refuse(
      'Failed creating instance record: Failed initializing instance: ' +
        (root
          ? 'Failed loading storage pool: Storage pool not found'
          : 'No root device could be found'),
      root ? 404 : 500,
    )
  );
}

/** An address like those that Incus generates: `10:66:6a:...`. */
export function newMac(): string {
  const hex = randomUUID().slice(0, 6);
  return `10:66:6a:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`;
}
