import { type Answer, done, started, sync } from './answers.ts';
import { createInstance } from './create-instance.ts';
import { refuseDelete } from './disks.ts';
import type { Engine } from './engine.ts';
import { etagHeader, etagOf, refuseStale } from './etag.ts';
import { instanceView, listedView } from './instance-view.ts';
import { askedInstance, eraseDisk, leave, operationOn } from './inventory.ts';
import { inWordsOf, locked } from './locks.ts';
import { migrateInstance } from './migrate-instance.ts';
import { addVolume, findVolume, type Instance, removeVolume, rootPool } from './model.ts';
import { enterNics, refuseLimits, refuseUnknownNetworks, removeNics } from './nics.ts';
import { reportAct, shownStatus } from './power.ts';
import { refuse } from './refusal.ts';
import { type Call, jsonBody, type Routes } from './router.ts';
import { deferDisk, refuseMemory } from './sizes.ts';
import { instancePath, urlIn } from './urls.ts';

export function instanceRoutes(engine: Engine): Routes {
  const { model } = engine;
  return {
    'GET /1.0/instances': ({ project, query }) => {
      const all = [...(model.projects.get(project)?.instances.values() ?? [])];
      const instances = all.filter(matching(query.get('filter')));
      return sync(
        query.get('recursion') === '1'
          ? instances.map((instance) => listedView(model, instance))
          : instances.map(({ name }) => urlIn(project, instancePath(name))),
      );
    },
    'POST /1.0/instances': (call) => createInstance(engine, call),
    'GET /1.0/instances/:name': (call) => {
      const instance = askedInstance(engine, call);
      return sync(instanceView(model, instance), etagHeader(tagOf(instance)));
    },
    'PATCH /1.0/instances/:name': (call) => update(engine, call),
    'PUT /1.0/instances/:name': (call) => replace(engine, call),
    'POST /1.0/instances/:name': (call) => renameOrMigrate(engine, call),
    'POST /1.0/instances/:name/rebuild': (call) => empty(engine, call),
    'DELETE /1.0/instances/:name': (call) => remove(engine, call),
  };
}

/** Supports only one filter of Incus: by a value of the configuration. */
function matching(filter: string | null): (instance: Instance) => boolean {
  if (filter === null) return () => true;
  const [, key, value] = /^config\.(\S+) eq (\S+)$/.exec(filter) ?? [];
  if (key === undefined) return refuse(`The filter "${filter}" is not simulated`, 400);
  return ({ config }) => config[key] === value;
}

const tagOf = ({ config, devices, description, ephemeral, profiles }: Instance): string =>
  etagOf([config, devices, description, ephemeral, profiles]);

/** Applied at once, unlike a PUT. Devices are replaced as a whole. */
async function update(engine: Engine, call: Call): Promise<Answer> {
  const instance = askedInstance(engine, call);
  const wanted = await jsonBody<Partial<Pick<Instance, 'config' | 'devices'>>>(call);
  refuseStale(call, tagOf(instance));
  const devices = { ...instance.devices, ...wanted.devices };
  if (instance.run)
    refuseLimits(engine.model, { devices: wanted.devices ?? {} }, 'Failed to update');
  refuseMemory(instance, wanted.config);
  deferDisk(instance, wanted.devices);
  instance.devices = devices;
  const config = Object.entries({ ...instance.config, ...wanted.config });
  instance.config = Object.fromEntries(config.filter(([, value]) => value !== ''));
  reportAct(engine, instance, 'instance-updated');
  return done();
}

type Replaced = Pick<Instance, 'config' | 'devices' | 'profiles' | 'description' | 'ephemeral'>;

/** Removes what is omitted. Halfway, nothing has changed. */
async function replace(engine: Engine, call: Call): Promise<Answer> {
  const { model, operations } = engine;
  const instance = askedInstance(engine, call);
  const { config, devices, ...others } = await jsonBody<Replaced>(call);
  refuseStale(call, tagOf(instance));
  // The volatile keys of its run are shown, and not stored.
  const { run } = instance;
  const isOfRun = (key: string) => run !== undefined && /^volatile\..+\.host_name$/.test(key);
  const own = Object.entries(config).filter(([key, value]) => value !== '' && !isOfRun(key));
  const operation = operations.start(
    operationOn(instance, 'Updating instance', call),
    async (work) => {
      work.reach('half');
      refuseUnknownNetworks(model, devices, 'Failed updating instance');
      if (run) refuseLimits(model, { devices }, 'Failed to update');
      refuseMemory(instance, config);
      deferDisk(instance, devices);
      removeNics(model, instance);
      const { profiles, description, ephemeral } = others;
      Object.assign(instance, { profiles, description, ephemeral });
      Object.assign(instance, { config: Object.fromEntries(own), devices });
      enterNics(model, instance);
      reportAct(engine, instance, 'instance-updated');
    },
  );
  return started(operation);
}

/** Halfway, its disk is gone, and its record still exists. */
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
        refuseDelete(instance);
        eraseDisk(model, instance);
        work.reach('half');
        leave(model, instance);
        reportAct(engine, instance, 'instance-deleted');
      };
      const wasFirst = await locked(work, instance, { action: 'delete' }, act).catch(
        inWordsOf(failed),
      );
      if (!wasFirst) refuse(`${failed}: A matching non-reusable operation has now succeeded`);
    },
  );
  return started(operation);
}

/**
 * Also works while the instance is locked. Halfway, its disk is gone, and the new one does not
 * exist yet.
 */
async function empty(engine: Engine, call: Call): Promise<Answer> {
  const { model, operations, timing } = engine;
  const instance = askedInstance(engine, call);
  const { source } = await jsonBody<{ source: { type: string } }>(call);
  if (source.type !== 'none') refuse('To rebuild it from an image is not simulated', 400);
  if (shownStatus(instance) !== 'Stopped') refuse('Instance must be stopped to be rebuilt', 400);
  const { project, type, name, member } = instance;
  const operation = operations.start(
    operationOn(instance, 'Rebuilding instance', call),
    async (work) => {
      const failed = 'Failed rebuilding as an empty instance';
      const pool = rootPool(model, instance);
      const disk = { project, type, name };
      if (findVolume(pool, disk) === undefined)
        refuse(`${failed}: Failed getting instance pool: Instance storage pool not found`, 404);
      await work.pause(timing.delete);
      refuseDelete(instance);
      removeVolume(pool, disk);
      work.reach('half');
      addVolume(pool, { ...disk, member, createdAt: new Date(), description: '' });
      Object.assign(instance, { disk: 'whole', isEmpty: true, files: new Map() });
    },
  );
  return started(operation);
}

async function renameOrMigrate(engine: Engine, call: Call): Promise<Answer> {
  const instance = askedInstance(engine, call);
  const wanted = await jsonBody<{ name?: string; migration?: boolean; live?: boolean }>(call);
  if (wanted.migration) return migrateInstance(engine, instance, wanted, call);
  return rename(engine, instance, wanted.name ?? '', call);
}

/** Halfway, nothing has changed. */
function rename(engine: Engine, instance: Instance, name: string, call: Call): Answer {
  const { operations } = engine;
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

/** Also used for a rename by an administrator. */
export function renameInstance(engine: Engine, instance: Instance, name: string): void {
  const { project, type, member, name: oldName } = instance;
  const pool = rootPool(engine.model, instance);
  if (removeVolume(pool, { project, type, name: oldName })) {
    const { createdAt } = instance;
    addVolume(pool, { name, type, project, member, createdAt, description: '' });
  }
  project.instances.delete(oldName);
  instance.name = name;
  // Incus locks names.
  delete instance.lock;
  project.instances.set(name, instance);
  reportAct(engine, instance, 'instance-renamed', { context: { old_name: oldName } });
}
