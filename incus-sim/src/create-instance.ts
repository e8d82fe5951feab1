import { randomUUID } from 'node:crypto';
import { type Answer, started } from './answers.ts';
import type { Engine } from './engine.ts';
import { enter, leave, operationOn, resourceOf } from './inventory.ts';
import { hold } from './locks.ts';
import { placeFor } from './members.ts';
import {
  addVolume,
  type Config,
  type Devices,
  findInstance,
  findVolume,
  type Image,
  type Instance,
  type InstanceKind,
  imagesOf,
  type Model,
  newMac,
  type Pool,
  type Project,
  rootPool,
  type Volume,
} from './model.ts';
import { refuseUnknownNetworks } from './nics.ts';
import type { Work } from './operations.ts';
import { keepsImages } from './pools.ts';
import { reportAct, templateKey } from './power.ts';
import { refusal, refuse } from './refusal.ts';
import { type Call, jsonBody } from './router.ts';

interface NewInstance {
  name: string;
  type?: InstanceKind;
  description?: string;
  source: { type: string; fingerprint?: string; alias?: string; source?: string; project?: string };
  config?: Config;
  devices?: Devices;
  profiles?: string[];
  ephemeral?: boolean;
}

/** Halfway, its record exists, and its disk does not. */
export async function createInstance(engine: Engine, call: Call): Promise<Answer> {
  const { model, operations } = engine;
  const wanted = await jsonBody<NewInstance>(call);
  const { name } = wanted;
  if (!/^[a-z]([a-z0-9-]*[a-z0-9])?$/i.test(name)) {
    refuse('Invalid instance name: Name can only contain alphanumeric and hyphen characters', 400);
  }
  const project =
    model.projects.get(call.project) ?? refuse('Failed loading project: Project not found', 404);
  const member = placeFor(model, call.query.get('target'));
  if (wanted.source.type === 'migration') {
    return awaitInstance(engine, newInstance(project, wanted, null, member), call);
  }
  if (wanted.source.type === 'copy') {
    return copyInstance(engine, newInstance(project, wanted, null, member), wanted, call);
  }
  const operation = operations.start(
    {
      project: project.name,
      description: 'Creating instance',
      resources: resourceOf(project.name, name),
      location: member,
      fault: call.fault,
    },
    async (work) => {
      const image = sourceImage(model, project, wanted);
      const instance = newInstance(project, wanted, image, member);
      const pool = checked(model, instance);
      await hold(instance, { action: 'create', reusable: false }, () =>
        build(engine, work, { instance, image, pool }),
      );
    },
  );
  return started(operation);
}

/**
 * Creates the record of an instance that another Incus should send, which nothing does. It exists
 * at once, and is locked until the time is over. Incus locks the name, so a renamed one is not
 * locked.
 */
function awaitInstance(engine: Engine, instance: Instance, call: Call): Answer {
  const { model, operations, timing } = engine;
  const { project, name } = instance;
  checked(model, instance);
  const { promise: ended, resolve: end } = Promise.withResolvers<boolean>();
  instance.lock = { action: 'create', reusable: false, ended };
  project.awaited.add(name);
  enter(model, instance);
  reportAct(engine, instance, 'instance-created');
  const announced = operationOn(instance, 'Creating instance', call);
  const operation = operations.start({ ...announced, class: 'websocket' }, async (work) => {
    await work.pause(timing.receive);
    project.awaited.delete(name);
    if (project.instances.get(name) === instance) leave(model, instance);
    end(false);
    refuse(
      'Error transferring instance data: Failed waiting for migration control connection on target: ' +
        'context deadline exceeded',
    );
  });
  return started(operation);
}

/**
 * Copies an instance of any project, with its disk. Halfway, the record exists, and its disk does not. The volatile keys
 * of the source are not copied, but for its image.
 */
function copyInstance(
  engine: Engine,
  instance: Instance,
  { source: { source: name = '', project: of }, config = {}, devices = {} }: NewInstance,
  call: Call,
): Answer {
  const { model, operations, timing } = engine;
  const { project, member } = instance;
  const source = findInstance(model, of ?? project.name, name);
  if (source.member !== member) refuse('A copy to another member is not simulated', 400);
  const kept = Object.entries(source.config).filter(
    ([key]) => !key.startsWith('volatile.') || key === 'volatile.base_image',
  );
  instance.devices = { ...source.devices, ...devices };
  const macs = newMacs(instance.devices);
  instance.config = { ...macs, ...instance.config, ...Object.fromEntries(kept), ...config };
  const resources = resourceOf(project.name, instance.name);
  const both = [...resources.instances, ...resourceOf(source.project.name, name).instances];
  const operation = operations.start(
    {
      ...operationOn(instance, 'Creating instance', call),
      resources: { instances: both },
    },
    async (work) => {
      const pool = checked(model, instance);
      await hold(instance, { action: 'create', reusable: false }, async () => {
        enter(model, instance);
        reportAct(engine, instance, 'instance-created');
        work.reach('half');
        await work.pause(timing.create / 2);
        if (pool.full) {
          leave(model, instance);
          refuse(
            'Create instance from copy: Failed to run: btrfs subvolume snapshot: No space left',
          );
        }
        const { type } = instance;
        const created = { createdAt: new Date(), description: '' };
        addVolume(pool, { name: instance.name, type, project, member, ...created });
        instance.disk = 'partial';
        await work.pause(timing.create / 2);
        const { disk, files, isEmpty } = source;
        Object.assign(instance, { disk, files: new Map(files), isEmpty });
        applyTemplates(instance, 'copy');
      });
    },
  );
  return started(operation);
}

/** Null for an instance without a system, which needs no image. */
function sourceImage(model: Model, project: Project, { source }: NewInstance): Image | null {
  if (source.type === 'none') return null;
  const { images, aliases } = imagesOf(model, project.name);
  const fingerprint = source.fingerprint ?? aliases.get(source.alias ?? '')?.target;
  return images.get(fingerprint ?? '') ?? refuse('Image not provided for instance creation');
}

function newInstance(
  project: Project,
  wanted: NewInstance,
  image: Image | null,
  member: string,
): Instance {
  const { name, type = 'container', description = '', config } = wanted;
  const { devices = {}, profiles = [], ephemeral = false } = wanted;
  const properties = Object.entries(image?.properties ?? {}).map(([key, value]) => [
    `image.${key}`,
    value,
  ]);
  return {
    project,
    name,
    type,
    description,
    config: {
      ...Object.fromEntries(properties),
      ...newMacs(devices),
      ...(image && { 'volatile.base_image': image.fingerprint }),
      'volatile.cloud-init.instance-id': randomUUID(),
      'volatile.uuid': randomUUID(),
      ...config,
    },
    devices,
    profiles,
    ephemeral,
    createdAt: new Date(),
    lastUsedAt: new Date(0),
    member,
    status: 'Stopped',
    disk: 'none',
    files: new Map(),
    isEmpty: image === null,
  };
}

/** Incus does so at its next start, and keeps what was given. */
function applyTemplates(instance: Instance, trigger: 'create' | 'copy'): void {
  instance.config = { ...instance.config, [templateKey]: instance.config[templateKey] || trigger };
}

/** For the NICs that are given none. */
function newMacs(devices: Devices): Config {
  const nics = Object.entries(devices).filter(
    ([, device]) => device.type === 'nic' && device.hwaddr === undefined,
  );
  return Object.fromEntries(nics.map(([nic]) => [`volatile.${nic}.hwaddr`, newMac()]));
}

const sections =
  /^(user|environment|image|volatile|cloud-init|security|boot|raw|linux|nvidia|migration|snapshots|agent)\./;
const limits =
  /^limits\.(cpu|memory|processes|disk\.priority|network\.priority|kernel|hugepages|read|write|ingress|egress|max)(\.|$)/;

/**
 * Throws the errors that Incus returns before it creates anything. Returns the pool of its disk.
 */
function checked(model: Model, instance: Instance): Pool {
  const failed = 'Failed creating instance record';
  const { project, name, config, devices } = instance;
  const unknown = Object.keys(config).find((key) => !sections.test(key) && !limits.test(key));
  if (unknown !== undefined) refuse(`${failed}: Unknown configuration key: ${unknown}`);
  refuseUnknownNetworks(model, devices, `${failed}: Failed initializing instance`);
  const pool = rootPool(model, instance);
  const other = project.instances.get(name);
  if (other?.lock?.action === 'create' || project.awaited.has(name)) {
    refuse(`${failed}: Instance is busy running a "create" operation`);
  }
  if (other) {
    const constraint = 'UNIQUE constraint failed: instances.project_id, instances.name';
    refuse(
      `${failed}: Add instance info to the database: Failed to create "instances" entry: ${constraint}`,
    );
  }
  return pool;
}

async function build(
  engine: Engine,
  work: Work,
  { instance, image, pool }: { instance: Instance; image: Image | null; pool: Pool },
): Promise<void> {
  const { model, timing } = engine;
  enter(model, instance);
  const context = { location: instance.member, 'storage-pool': pool.name, type: instance.type };
  reportAct(engine, instance, 'instance-created', { context });
  work.reach('half');
  await work.pause(timing.create / 3);
  if (pool.full) {
    leave(model, instance);
    throw refusal(
      'Failed creating instance from image: Failed to run: btrfs subvolume snapshot: ' +
        'ERROR: cannot snapshot: No space left on device',
    );
  }
  const { member, name, project, type } = instance;
  if (findVolume(pool, { type, project, name })?.member === member) {
    leave(model, instance);
    refuse(
      `Failed creating instance: Error inserting volume "${name}" for project "${project.name}" in pool ` +
        `"${pool.name}" of type "${type}s" into database "UNIQUE constraint failed: index ` +
        `'storage_volumes_unique_storage_pool_id_node_id_project_id_name_type'"`,
    );
  }
  addVolume(pool, { name, type, project, member, createdAt: new Date(), description: '' });
  instance.disk = 'promised';
  const isWhole = image === null || (await unpack(engine, work, { instance, image, pool }));
  await work.pause(timing.create / 3);
  instance.disk = isWhole ? 'whole' : 'partial';
  applyTemplates(instance, 'create');
  work.metadata({
    create_instance_from_image_unpack_progress: 'Unpacking image: 100% (1.00GB/s)',
    progress: { percent: '100', speed: '1000000000', stage: 'create_instance_from_image_unpack' },
  });
  await work.pause(timing.create / 3);
}

/**
 * Creates the pool's copy of an image, from which disks are cloned. Incus records it before it
 * unpacks the image, and treats a recorded one as complete: if the daemon is killed in between, it
 * is incomplete for all later instances.
 */
async function unpack(
  { model, timing }: Engine,
  work: Work,
  { instance, image, pool }: { instance: Instance; image: Image; pool: Pool },
): Promise<boolean> {
  if (!keepsImages(pool)) return true;
  const { member } = instance;
  const owner = imagesOf(model, instance.project.name);
  const id = { project: owner, type: 'image', name: image.fingerprint, member } as const;
  const there = findVolume(pool, id);
  if (there) {
    if (there.unpacking) await work.until(there.unpacking);
    return there.isUnpacked ?? false;
  }
  const { promise: unpacking, resolve: unpacked } = Promise.withResolvers<void>();
  const volume: Volume = { ...id, createdAt: new Date(), description: '', unpacking };
  addVolume(pool, volume);
  await work.pause(timing.unpack);
  volume.isUnpacked = true;
  delete volume.unpacking;
  unpacked();
  return true;
}
