import { parseArgs } from 'node:util';
import type { Config } from '../config/config.ts';
import type { Db } from '../db/connection.ts';
import { installationId } from '../db/queries.ts';
import { engineView } from '../inspect/engine.ts';
import { locationFacts } from '../inspect/location.ts';
import {
  findServersCalled,
  inspectLocation,
  inspectOperation,
  inspectServer,
  lastOperations,
  openOperations,
  reconcilerStatuses,
} from '../inspect/queries.ts';
import { reconcilersTable } from '../inspect/reconcilers.ts';
import { facts, operationFacts, operationsTable } from '../inspect/view.ts';
import { joinSecretKey } from '../keys/secret-key.ts';
import { createEngines } from '../locations/engines.ts';
import { loadIdentity } from '../locations/identity.ts';
import { findLocationsNamed, requireLocation } from '../locations/queries.ts';
import { createPoolQuotas } from '../pool-quotas/pool-quotas.ts';
import { type Command, readId, runTool, UsageError } from './command-line.ts';

const usage = `Shows what an operator needs when something hangs. It changes nothing.

  npm run inspect -- operations       those under way: step, worker, tries, next look, last error
  npm run inspect -- operation ID     everything of one
  npm run inspect -- server SERVER    what our records say, what the engine says, its operations
  npm run inspect -- location NAME    its network's rules, and what keeps servers from its nodes
  npm run inspect -- reconcilers      what keeps records and engines the same: last run, time, findings, last error

SERVER is an id, a UUID or a name, of a server of any project.`;

const shownOperations = 10;

function readCommand(args: string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  const [what, id, ...more] = positionals;
  if (values.help || what === undefined) return undefined;
  if (what === 'operations' && id === undefined) return operations;
  if (what === 'reconcilers' && id === undefined) return reconcilers;
  if (what === 'operation' && id !== undefined && more.length === 0) {
    return (db) => operation(db, readId(id, 'an operation'));
  }
  if (what === 'server' && id !== undefined && more.length === 0) {
    return async (db, config) => server(db, config, await serverId(db, id));
  }
  if (what === 'location' && id !== undefined && more.length === 0) {
    return (db) => location(db, id);
  }
  throw new UsageError(`Unknown command: ${positionals.join(' ')}`);
}

async function operations(db: Db): Promise<string> {
  const open = await openOperations(db);
  return open.length === 0 ? 'No operation is under way.' : operationsTable(open);
}

async function operation(db: Db, id: number): Promise<string> {
  const found = await inspectOperation(db, id);
  if (!found) throw new UsageError(`There is no operation ${id}.`);
  return operationFacts(found);
}

async function reconcilers(db: Db): Promise<string> {
  const rows = await reconcilerStatuses(db);
  return rows.length === 0 ? 'No service runs any reconciler.' : reconcilersTable(rows);
}

async function location(db: Db, name: string): Promise<string> {
  const [named] = await findLocationsNamed(db, name);
  const found = named && (await inspectLocation(db, named.id));
  if (!found) throw new UsageError(`There is no location ${name}.`);
  return locationFacts(found);
}

/** Of a server in any project, by its id, UUID or name. */
async function serverId(db: Db, text: string): Promise<number> {
  if (/^\d+$/.test(text)) return readId(text, 'a server');
  const found = await findServersCalled(db, text);
  const exact = found.filter(({ hostname }) => hostname === text);
  const [one, ...others] = exact.length === 1 ? exact : found;
  if (!one) throw new UsageError(`There is no server ${text}.`);
  if (others.length === 0) return one.id;
  const all = found.map(({ id, hostname, project_id: of }) => `${id} (${hostname}, project ${of})`);
  throw new UsageError(
    `Several servers are called ${text}. Use one of these ids: ${all.join(', ')}.`,
  );
}

async function server(db: Db, config: Config, id: number): Promise<string> {
  const row = await inspectServer(db, id);
  if (!row) throw new UsageError(`There is no server ${id}.`);
  const ours = facts([
    ['server', `${row.id} ${row.hostname} (${row.uuid}), project ${row.project_id}`],
    ['status', row.deleted_at ? `deleted at ${row.deleted_at}` : row.status],
    ['engine said', `${row.real_status} since ${row.real_status_at}`],
    ['error', row.error ?? '-'],
    ['created', `asked ${row.created_at}, installed ${row.installed_at ?? 'not yet'}`],
    ['node', row.node],
    ['addresses', row.ips.join(', ') || 'none held'],
  ]);
  const theirs = facts(await askEngine(db, config, row));
  const last = operationsTable(await lastOperations(db, id, shownOperations));
  return `Our records\n${ours}\n\nThe engine, now\n${theirs}\n\nIts last operations\n${last}`;
}

async function askEngine(db: Db, config: Config, row: { location_id: number; uuid: string }) {
  const location = await requireLocation(db, row.location_id);
  const isNear = 'socket_path' in location.engine;
  const engines = createEngines({ identity: isNear ? undefined : await identity(db, config) });
  try {
    const { uuid } = row;
    const client = engines.of(location);
    const { of: keeperOf } = createPoolQuotas(await installationId(db));
    const findKeeper = () => keeperOf(location, client);
    return await engineView(client, { uuid, disks: location }, findKeeper);
  } finally {
    await engines.close();
  }
}

async function identity(db: Db, { dataDir }: Config) {
  return await loadIdentity(db, await joinSecretKey(db, dataDir));
}

await runTool(usage, readCommand);
