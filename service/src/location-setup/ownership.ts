import { SetupError } from '../../../setup/commands.mjs';
import type { LocalNames } from '../config/config.ts';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import { installationLabel } from '../instances/labels.ts';
import type { LocationRow } from '../locations/queries.ts';

// Checks who owns the resources in this machine's Incus, and whether it is still the engine of `local`.

/** The configuration keys with the id of the installation that created an object. */
export type Marks = Record<typeof installationLabel, string>;

interface Engine {
  client: IncusClient;
  socketPath: string;
  names: LocalNames;
}

/** The names of resources in Incus and in the settings, with their columns. */
const named = [
  ['BERTH_LOCAL_PROJECT', 'project', 'incus_project', 'project'],
  ['BERTH_LOCAL_POOL', 'pool', 'storage_pool', 'storage pool'],
  ['BERTH_LOCAL_NETWORK', 'network', 'network', 'network'],
] as const;

/** Throws `SetupError` if the settings name other resources than those of `local`. */
export function requireSameNames(
  known: Pick<LocationRow, 'incus_project' | 'storage_pool' | 'network'>,
  names: LocalNames,
): void {
  for (const [setting, key, column, what] of named) {
    if (known[column] === names[key]) continue;
    throw new SetupError(
      `${setting} is "${names[key]}", but this installation has the ${what} "${known[column]}" for the location local.`,
      `Set ${setting}=${known[column]}. To use another ${what}, delete the servers of local, run "npm run location -- remove local", and start again.`,
    );
  }
}

/**
 * Returns the fingerprint of the engine's certificate. Throws `SetupError` if a resource belongs to
 * another installation, and if it is not the known engine of `local`. An engine that has become a
 * cluster has another certificate, and is recognised by the label of its project.
 */
export async function requireOwn(
  engine: Engine,
  installation: string,
  known: Pick<LocationRow, 'engine'> | undefined,
): Promise<string> {
  const project = await requireOwnThings(engine, installation);
  const { environment } = await engine.client.server.info();
  const { certificate_fingerprint: fingerprint } = environment;
  const before = known && 'socket_path' in known.engine ? known.engine : undefined;
  const isKnown = before?.fingerprint === undefined || before.fingerprint === fingerprint;
  const hasJoined = environment.server_clustered && project === installation;
  if (isKnown || hasJoined) return fingerprint;
  throw new SetupError(
    `The Incus at ${engine.socketPath} is not the one that the location local is on, which was last reached at ${before?.socket_path}.`,
    'Set BERTH_INCUS_SOCKET to that Incus. If this machine has no Incus for local, set BERTH_LOCAL=false. To use this Incus as well, add it as a location: npm run location -- add --help. ' +
      'If this Incus replaces the other one permanently, run "npm run location -- rebind local", and start again.',
  );
}

/** Returns the owner of the project, if it exists and has a label. */
async function requireOwnThings(engine: Engine, installation: string): Promise<string | undefined> {
  const things = await lookAt(engine);
  const others = things.filter(({ owner }) => owner !== undefined && owner !== installation);
  const [first] = others;
  if (!first) return things[0]?.owner;
  const list = others.map(({ command, name }) => `${command} ${name}`).join(', ');
  const commands = others.map(
    ({ command, name }) => `incus ${command} set ${name} ${installationLabel}=${installation}`,
  );
  throw new SetupError(
    `Another installation of Berth (${first.owner}) has this in Incus: ${list}.`,
    `Use other names for this one: BERTH_LOCAL_PROJECT, BERTH_LOCAL_POOL and BERTH_LOCAL_NETWORK. If the other one is gone for good, make it this one's, and start again: ${commands.join(' && ')}`,
  );
}

async function lookAt({ socketPath, names: { project, pool, network } }: Engine) {
  // The default project has the networks, even if the project of the location does not exist yet.
  const { projects, storage, networks, close } = createIncusClient({
    socketPath,
    project: 'default',
  });
  try {
    const found = [
      { command: 'project', name: project, found: await projects.get(project) },
      { command: 'storage', name: pool, found: await storage.getPool(pool) },
      { command: 'network', name: network, found: await networks.get(network) },
    ];
    return found.map(({ found: thing, ...named }) => ({
      ...named,
      owner: thing?.config[installationLabel],
    }));
  } finally {
    await close();
  }
}

/** Labels a project that somebody else has created for Berth, or an earlier release that did not label projects. */
export async function mark(
  { projects }: Pick<IncusClient, 'projects'>,
  name: string,
  installation: string,
): Promise<void> {
  const project = await projects.get(name);
  if (!project || project.config[installationLabel] === installation) return;
  await projects.configure(project, { ...project.config, [installationLabel]: installation });
}
