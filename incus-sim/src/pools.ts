import { type Answer, created, done, sync } from './answers.ts';
import type { Engine } from './engine.ts';
import { instanceStateView } from './instance-view.ts';
import { askedMember } from './members.ts';
import {
  type Config,
  findInstance,
  findVolume,
  type Model,
  type Pool,
  removeVolume,
  type Volume,
  volumesOf,
} from './model.ts';
import { refuse } from './refusal.ts';
import { type Call, jsonBody, part, type Routes } from './router.ts';
import { instancePath, urlIn } from './urls.ts';

interface NewPool {
  name: string;
  driver: string;
  description?: string;
  config?: Config;
}

const drivers = ['btrfs', 'dir', 'lvm', 'zfs'];
const gibibyte = 2 ** 30;
/** The space of a volume in the usage of the pool. */
const volumeBytes = 300 * 2 ** 20;

export function poolRoutes({ model }: Engine): Routes {
  return {
    'POST /1.0/storage-pools': (call) => create(model, call),
    'GET /1.0/storage-pools/:pool': (call) => sync(view(model, find(model, call))),
    'DELETE /1.0/storage-pools/:pool': (call) => {
      const pool = find(model, call);
      if (count(pool) > 0) refuse('The storage pool is currently in use', 400);
      model.pools.delete(pool.name);
      return done();
    },
    'GET /1.0/storage-pools/:pool/resources': (call) => {
      askedMember(model, call.query.get('target'));
      const pool = model.pools.get(part(call, 'pool')) ?? refuse('Storage pool not found');
      const used = pool.full ? pool.totalBytes : count(pool) * volumeBytes;
      return sync({ space: { used, total: pool.totalBytes }, inodes: { used: 0, total: 0 } });
    },
    'GET /1.0/storage-pools/:pool/volumes': (call) => {
      const pool = find(model, call);
      const project = model.projects.get(call.project);
      return sync(project ? volumesOf(pool, project).map(volumeView) : []);
    },
    'GET /1.0/storage-pools/:pool/volumes/:type/:name': (call) =>
      sync(volumeView(asked(model, call).volume)),
    'GET /1.0/storage-pools/:pool/volumes/:type/:name/state': (call) =>
      sync({ usage: usageOf(model, call) }),
    'PUT /1.0/storage-pools/:pool/volumes/:type/:name': (call) => describe(model, call),
    'DELETE /1.0/storage-pools/:pool/volumes/:type/:name': (call) => removeOne(model, call),
  };
}

const find = (model: Model, call: Call): Pool =>
  model.pools.get(part(call, 'pool')) ?? refuse('Storage pool not found', 404);

function count({ volumes }: Pool): number {
  return [...volumes.values()].reduce((sum, ofProject) => sum + ofProject.size, 0);
}

async function create(model: Model, call: Call): Promise<Answer> {
  const wanted = await jsonBody<NewPool>(call);
  const { name, driver, description = '', config = {} } = wanted;
  if (model.pools.has(name)) {
    refuse('The storage pool already exists: The record already exists', 409);
  }
  if (!drivers.includes(driver)) refuse('Unknown driver');
  // In a cluster, the keys of each member are sent first, and nothing is created yet.
  if (call.query.get('target') === null) addPool(model, { name, driver, description, config });
  return created(`/1.0/storage-pools/${name}`);
}

/** Also used for the initial objects of a simulator. */
export function addPool(
  model: Model,
  { name, driver, description, config }: Required<NewPool>,
): Pool {
  const gibibytes = Number(/^(\d+)GiB$/.exec(config.size ?? '')?.[1] ?? 100);
  const pool: Pool = {
    name,
    driver,
    description,
    config: { source: `/var/lib/incus/disks/${name}.img`, ...config },
    totalBytes: gibibytes * gibibyte,
    full: false,
    volumes: new Map(),
  };
  model.pools.set(name, pool);
  return pool;
}

function asked(model: Model, call: Call): { pool: Pool; volume: Volume } {
  const pool = find(model, call);
  const project = model.projects.get(call.project) ?? refuse('Project not found', 404);
  const member = askedMember(model, call.query.get('target'));
  const id = { project, type: part(call, 'type') as Volume['type'], name: part(call, 'name') };
  const volume = findVolume(pool, { ...id, member });
  return { pool, volume: volume ?? refuse('Storage pool volume not found', 404) };
}

/** The usage of an instance's disk, on any member. */
function usageOf(model: Model, call: Call) {
  find(model, call);
  const { disk } = instanceStateView(model, findInstance(model, call.project, part(call, 'name')));
  return disk.root ? { used: disk.root.usage, total: disk.root.total } : null;
}

/** Only the description of an image's copy can be changed. */
async function describe(model: Model, call: Call): Promise<Answer> {
  const { volume } = asked(model, call);
  const { description, config } = await jsonBody<{ description?: string; config?: Config }>(call);
  if (Object.keys(config ?? {}).length > 0) refuse('Volume config is not editable');
  volume.description = description ?? '';
  return done();
}

function removeOne(model: Model, call: Call): Answer {
  const { pool, volume } = asked(model, call);
  const { type } = volume;
  if (type !== 'custom' && type !== 'image')
    refuse(`Storage volumes of type "${type}" cannot be deleted with the storage API`, 400);
  removeVolume(pool, volume);
  return done();
}

/** With other drivers, the image is unpacked for each disk. */
export const keepsImages = ({ driver }: Pool) => driver !== 'dir';

function view({ members }: Model, { name, driver, description, config, volumes }: Pool) {
  const used = [...volumes.values()].flatMap((ofProject) => [...ofProject.values()]);
  return {
    name,
    driver,
    description,
    config,
    status: 'Created',
    locations: members.size === 0 ? ['none'] : [...members.keys()],
    used_by: used.map(userOf),
  };
}

function userOf({ name, type, project }: Volume): string {
  return urlIn(project.name, type === 'image' ? `/1.0/images/${name}` : instancePath(name));
}

function volumeView(volume: Volume) {
  return {
    name: volume.name,
    type: volume.type,
    description: volume.description,
    config: {},
    content_type: 'filesystem',
    project: volume.type === 'image' ? 'default' : volume.project.name,
    location: volume.member,
    created_at: volume.createdAt.toISOString(),
    used_by: [userOf(volume)],
  };
}
