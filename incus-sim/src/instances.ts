import { randomUUID } from 'node:crypto';
import { type Answer, started, sync } from './answers.ts';
import type { Engine } from './engine.ts';
import { instanceStateView, instanceView } from './instance-view.ts';
import { hold, locked } from './locks.ts';
import { placeFor, refuseOutOfReach } from './members.ts';
import {
  addVolume,
  type Config,
  type Devices,
  findInstance,
  type Image,
  type Instance,
  type InstanceKind,
  imagesOf,
  type Model,
  newMac,
  type Pool,
  type Project,
  removeVolume,
  rootPool,
} from './model.ts';
import { enterNics, removeNics } from './nics.ts';
import type { Work } from './operations.ts';
import { reportAct, shownStatus } from './power.ts';
import { refusal, refuse } from './refusal.ts';
import { type Call, jsonBody, part, type Routes } from './router.ts';
import { instancePath, urlIn } from './urls.ts';

interface NewInstance {
  name: string;
  type?: InstanceKind;
  description?: string;
  source: { type: string; fingerprint?: string; alias?: string };
  config?: Config;
  devices?: Devices;
  profiles?: string[];
}

/** The instance that a call names; refused where its member can't be asked. */
export function askedInstance({ model }: Engine, call: Call): Instance {
  const instance = findInstance(model, call.project, part(call, 'name'));
  refuseOutOfReach(model, instance);
  return instance;
}

export function instanceRoutes(engine: Engine): Routes {
  const { model } = engine;
  return {
    'GET /1.0/instances': ({ project, query }) => {
      const instances = [...(model.projects.get(project)?.instances.values() ?? [])];
      return sync(
        query.get('recursion') === '1'
          ? instances.map((instance) => instanceView(model, instance))
          : instances.map(({ name }) => urlIn(project, instancePath(name))),
      );
    },
    'POST /1.0/instances': (call) => create(engine, call),
    'GET /1.0/instances/:name': (call) => sync(instanceView(model, askedInstance(engine, call))),
    'POST /1.0/instances/:name': (call) => rename(engine, call),
    'DELETE /1.0/instances/:name': (call) => remove(engine, call),
    'GET /1.0/instances/:name/state': (call) =>
      sync(instanceStateView(model, askedInstance(engine, call))),
  };
}

/** How an operation on an instance is announced. */
export function operationOn(instance: Instance, description: string, call: Call) {
  return {
    project: instance.project.name,
    description,
    resources: resourceOf(instance.project.name, instance.name),
    location: instance.member,
    fault: call.fault,
  };
}

const resourceOf = (project: string, name: string) => ({
  instances: [urlIn(project, instancePath(name))],
});

/** Half-way there is its record, and no disk. */
async function create(engine: Engine, call: Call): Promise<Answer> {
  const { model, operations } = engine;
  const wanted = await jsonBody<NewInstance>(call);
  const { name } = wanted;
  if (!/^[a-z]([a-z0-9-]*[a-z0-9])?$/i.test(name)) {
    refuse('Invalid instance name: Name can only contain alphanumeric and hyphen characters', 400);
  }
  const project =
    model.projects.get(call.project) ?? refuse('Failed loading project: Project not found', 404);
  const member = placeFor(model, call.query.get('target'));
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

function sourceImage(model: Model, project: Project, { source }: NewInstance): Image {
  const { images, aliases } = imagesOf(model, project.name);
  const fingerprint = source.fingerprint ?? aliases.get(source.alias ?? '')?.target;
  return images.get(fingerprint ?? '') ?? refuse('Image not provided for instance creation');
}

function newInstance(
  project: Project,
  { name, type = 'container', description = '', config, devices = {}, profiles = [] }: NewInstance,
  image: Image,
  member: string,
): Instance {
  const properties = Object.entries(image.properties).map(([key, value]) => [
    `image.${key}`,
    value,
  ]);
  const macs = Object.entries(devices)
    .filter(([, device]) => device.type === 'nic' && device.hwaddr === undefined)
    .map(([nic]) => [`volatile.${nic}.hwaddr`, newMac()]);
  return {
    project,
    name,
    type,
    description,
    config: {
      ...Object.fromEntries([...properties, ...macs]),
      'volatile.base_image': image.fingerprint,
      'volatile.cloud-init.instance-id': randomUUID(),
      'volatile.uuid': randomUUID(),
      ...config,
    },
    devices,
    profiles,
    createdAt: new Date(),
    lastUsedAt: new Date(0),
    member,
    status: 'Stopped',
    files: new Map(),
  };
}

const sections =
  /^(user|environment|image|volatile|cloud-init|security|boot|raw|linux|nvidia|migration|snapshots|agent)\./;
const limits =
  /^limits\.(cpu|memory|processes|disk\.priority|network\.priority|kernel|hugepages|read|write|ingress|egress|max)(\.|$)/;

/** Refuses what Incus does before it makes anything; answers the pool of its disk. */
function checked(model: Model, instance: Instance): Pool {
  const failed = 'Failed creating instance record';
  const { project, name, config, devices } = instance;
  const unknown = Object.keys(config).find((key) => !sections.test(key) && !limits.test(key));
  if (unknown !== undefined) refuse(`${failed}: Unknown configuration key: ${unknown}`);
  for (const [device, { type, network }] of Object.entries(devices)) {
    if (type !== 'nic' || model.networks.has(network ?? '')) continue;
    refuse(
      `${failed}: Failed initializing instance: Invalid devices: Device validation failed for ` +
        `"${device}": Failed loading device "${device}": Failed to load network "${network}" for ` +
        'project "default": Network not found',
      404,
    );
  }
  const pool = rootPool(model, instance);
  const other = project.instances.get(name);
  if (other?.lock?.action === 'create') {
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
  { instance, image, pool }: { instance: Instance; image: Image; pool: Pool },
): Promise<void> {
  const { model, timing } = engine;
  enter(model, instance);
  const context = { location: instance.member, 'storage-pool': pool.name, type: instance.type };
  reportAct(engine, instance, 'instance-created', { context });
  work.reach('half');
  await work.pause(timing.create / 2);
  if (pool.full) {
    leave(model, instance);
    throw refusal(
      'Failed creating instance from image: Failed to run: btrfs subvolume snapshot: ' +
        'ERROR: cannot snapshot: No space left on device',
    );
  }
  const owner = imagesOf(model, instance.project.name);
  const createdAt = new Date();
  const { member, name, project, type } = instance;
  addVolume(pool, { name: image.fingerprint, type: 'image', project: owner, member, createdAt });
  addVolume(pool, { name, type, project, member, createdAt });
  work.metadata({
    create_instance_from_image_unpack_progress: 'Unpacking image: 100% (1.00GB/s)',
    progress: { percent: '100', speed: '1000000000', stage: 'create_instance_from_image_unpack' },
  });
  await work.pause(timing.create / 2);
}

/** Half-way its disk is gone, and its record there. */
function remove(engine: Engine, call: Call): Answer {
  const { model, operations, timing } = engine;
  const instance = askedInstance(engine, call);
  if (shownStatus(instance) !== 'Stopped') refuse('Instance is running', 400);
  const operation = operations.start(
    operationOn(instance, 'Deleting instance', call),
    async (work) => {
      const failed = 'Failed to create instance delete operation';
      const act = async () => {
        if (shownStatus(instance) !== 'Stopped') refuse('Instance is running', 400);
        await work.pause(timing.delete);
        const { project, type, name } = instance;
        for (const pool of model.pools.values()) removeVolume(pool, { project, type, name });
        work.reach('half');
        leave(model, instance);
        reportAct(engine, instance, 'instance-deleted');
      };
      const wasFirst = await locked(work, instance, { action: 'delete' }, act).catch((error) =>
        refuse(`${failed}: ${error.message}`, error.status),
      );
      if (!wasFirst) refuse(`${failed}: A matching non-reusable operation has now succeeded`);
    },
  );
  return started(operation);
}

/** Half-way nothing has happened. */
async function rename(engine: Engine, call: Call): Promise<Answer> {
  const { operations } = engine;
  const instance = askedInstance(engine, call);
  const { name } = await jsonBody<{ name: string }>(call);
  if (instance.project.instances.has(name)) refuse(`Name "${name}" already in use`, 409);
  const operation = operations.start(
    operationOn(instance, 'Renaming instance', call),
    async (work) => {
      if (instance.status !== 'Stopped') refuse('Renaming of running instance not allowed');
      work.reach('half');
      renameInstance(engine, instance, name);
    },
  );
  return started(operation);
}

/** Also by an administrator's hand. */
export function renameInstance(engine: Engine, instance: Instance, name: string): void {
  const { project, type, member, name: oldName } = instance;
  const pool = rootPool(engine.model, instance);
  if (removeVolume(pool, { project, type, name: oldName })) {
    addVolume(pool, { name, type, project, member, createdAt: instance.createdAt });
  }
  project.instances.delete(oldName);
  instance.name = name;
  project.instances.set(name, instance);
  reportAct(engine, instance, 'instance-renamed', { context: { old_name: oldName } });
}

export function enter(model: Model, instance: Instance): void {
  instance.project.instances.set(instance.name, instance);
  enterNics(model, instance);
  const member = model.members.get(instance.member);
  if (member) member.instances += 1;
}

export function leave(model: Model, instance: Instance): void {
  instance.project.instances.delete(instance.name);
  removeNics(model, instance);
  const member = model.members.get(instance.member);
  if (member) member.instances -= 1;
}
