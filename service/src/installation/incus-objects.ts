import type { IncusClient } from '../incus/client.ts';
import type { Operation } from '../incus/transport/api.ts';
import { isEngineError } from '../incus/transport/errors.ts';
import { isHelper } from '../instances/helpers.ts';
import { installationLabel, labelsOf } from '../instances/labels.ts';

/** The names of the objects of an installation in an Incus. */
export interface Things {
  installation: string;
  project: string;
  pool: string;
  network: string;
  /** The network ACL. */
  acl: string;
}

/** The objects that a removal would delete there. */
export interface RemovalPlan {
  instances: string[];
  images: string[];
  project: boolean;
  network: boolean;
  /** Whether to detach the ACL from a network that is kept. */
  detachAcl: boolean;
  acl: boolean;
  pool: boolean;
  /** Sentences about objects that are kept, because they do not belong to this installation. */
  stays: string[];
  /** Sentences about uses that must be removed first. Nothing is removed while there are any. */
  inTheWay: string[];
}

/** Clients for the project of the installation, and for the default project, which has the networks and their ACLs. */
export interface Clients {
  own: IncusClient;
  shared: IncusClient;
}

const deleteSeconds = 300;
/**
 * The attempts of a deletion. It can fail while the last process of the guest releases its disk, and then succeeds the
 * next time.
 */
const tries = 5;

/**
 * Finds the objects of an installation in an Incus, and who else uses them. An object with the id of another
 * installation, or without one, does not belong to it.
 */
export async function planRemoval(clients: Clients, things: Things): Promise<RemovalPlan> {
  const plan: RemovalPlan = {
    ...{ instances: [], images: [], stays: [], inTheWay: [] },
    ...{ project: false, network: false, detachAcl: false, acl: false, pool: false },
  };
  await planProject(clients, things, plan);
  await planNetwork(clients, things, plan);
  await planPool(clients, things, plan);
  return plan;
}

/** Whether an object has the id of this installation. If it does not, adds to the plan why it is kept. */
function isOwn(
  what: string,
  found: { config: Record<string, string> },
  { installation }: Things,
  { stays }: RemovalPlan,
): boolean {
  const owner = found.config[installationLabel];
  if (owner === installation) return true;
  const whose =
    owner === undefined
      ? 'does not say that this installation has made it'
      : `is of another installation of Berth (${owner})`;
  stays.push(`The ${what} stays: it ${whose}.`);
  return false;
}

async function planProject(
  { own, shared }: Clients,
  things: Things,
  plan: RemovalPlan,
): Promise<void> {
  const { project: name, installation } = things;
  const found = await shared.projects.get(name);
  if (!found || !isOwn(`project ${name}`, found, things, plan)) return;
  plan.project = true;
  for (const instance of await own.instances.list()) {
    const isOurs = labelsOf(instance).installation === installation || isHelper(instance.name);
    if (isOurs) plan.instances.push(instance.name);
    else
      plan.inTheWay.push(`The instance ${instance.name} in the project ${name} is not of Berth.`);
  }
  for (const url of found.used_by ?? []) {
    const [path = ''] = url.split('?');
    const [, , kind = '', thing = ''] = path.split('/');
    if (kind === 'images') plan.images.push(thing);
    else if (kind !== 'instances' && path !== '/1.0/profiles/default') {
      plan.inTheWay.push(`The project ${name} is used by ${path}, which Berth has not made.`);
    }
  }
}

async function planNetwork({ shared }: Clients, things: Things, plan: RemovalPlan): Promise<void> {
  const { network: name, acl } = things;
  const found = await shared.networks.get(name);
  const isAttached = found !== null && aclsOf(found.config).includes(acl);
  if (found && isOwn(`network ${name}`, found, things, plan)) {
    plan.network = true;
    plan.inTheWay.push(...usersElsewhere(`network ${name}`, found.used_by, things, plan));
  } else if (isAttached) {
    plan.detachAcl = true;
  }
  const rules = await shared.networkAcls.get(acl);
  plan.acl = rules !== null;
  const others = (rules?.value.used_by ?? []).filter(
    (url) => pathOf(url) !== `/1.0/networks/${name}`,
  );
  for (const url of others) {
    plan.inTheWay.push(`The network ACL ${acl} is used by ${pathOf(url)}: take it off there.`);
  }
}

async function planPool({ shared }: Clients, things: Things, plan: RemovalPlan): Promise<void> {
  const { pool: name } = things;
  const found = await shared.storage.getPool(name);
  if (!found || !isOwn(`storage pool ${name}`, found, things, plan)) return;
  plan.pool = true;
  // Copies of images are deleted with the pool, and are listed for any project that has the same image.
  const users = (found.used_by ?? []).filter((url) => !url.startsWith('/1.0/images/'));
  plan.inTheWay.push(...usersElsewhere(`storage pool ${name}`, users, things, plan));
}

/** The users that are not in the project of the installation, whose content is removed before. */
function usersElsewhere(
  what: string,
  usedBy: string[] | null,
  { project }: Things,
  plan: RemovalPlan,
): string[] {
  const isGone = (url: string) =>
    plan.project && new URL(url, 'http://incus').searchParams.get('project') === project;
  return (usedBy ?? [])
    .filter((url) => !isGone(url))
    .map((url) => `The ${what} is used by ${decodeURIComponent(url)}.`);
}

const pathOf = (url: string) => url.split('?')[0];
const aclsOf = (config: Record<string, string>) =>
  (config['security.acls'] ?? '').split(',').map((name) => name.trim());

/** Removes the objects of a plan, including servers. Calls `say` before each part. */
export async function removeThings(
  { own, shared }: Clients,
  things: Things,
  plan: RemovalPlan,
  say: (text: string) => void,
): Promise<void> {
  for (const name of plan.instances) {
    say(`Deleting the instance ${name}`);
    await deleteInstance(own, name);
  }
  for (const fingerprint of plan.images) {
    say(`Deleting the image ${fingerprint.slice(0, 12)}`);
    await unlessGone(settled(own, own.images.delete(fingerprint)));
  }
  if (plan.project) {
    say(`Deleting the project ${things.project}`);
    await unlessGone(shared.projects.delete(things.project));
  }
  if (plan.detachAcl) {
    say(`Detaching the network ACL ${things.acl} from the network ${things.network}`);
    await detach(shared, things);
  }
  if (plan.network) {
    say(`Deleting the network ${things.network}`);
    await unlessGone(shared.networks.delete(things.network));
  }
  if (plan.acl) {
    say(`Deleting the network ACL ${things.acl}`);
    await unlessGone(shared.networkAcls.delete(things.acl));
  }
  if (plan.pool) {
    say(`Deleting the storage pool ${things.pool}`);
    await unlessGone(shared.storage.deletePool(things.pool));
  }
}

async function deleteInstance(client: IncusClient, name: string): Promise<void> {
  for (let left = tries; ; left -= 1) {
    const found = await client.instances.get(name);
    if (!found) return;
    try {
      if (found.status !== 'Stopped') {
        const stop = client.instances.updateState(name, { action: 'stop', force: true });
        await settled(client, stop);
      }
      await settled(client, client.instances.delete(name));
    } catch (error) {
      if (left === 1 && !isEngineError(error, 'not_found')) throw error;
    }
  }
}

async function detach(client: IncusClient, { network: name, acl }: Things): Promise<void> {
  const found = await client.networks.getTagged(name);
  if (!found) return;
  const others = aclsOf(found.value.config).filter((one) => one !== acl);
  await client.networks.configure(name, { 'security.acls': others.join(',') }, found.etag);
}

async function settled(client: IncusClient, call: Promise<Operation>): Promise<void> {
  const { id } = await call;
  const signal = new AbortController().signal;
  await client.operations.wait(id, { signal, timeoutSeconds: deleteSeconds });
}

/** Ignores that an object is gone, because somebody else may have deleted it first. */
async function unlessGone(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!isEngineError(error, 'not_found')) throw error;
  }
}
