import { SetupError } from '../../../setup/commands.mjs';
import type { Config } from '../config/config.ts';
import type { Db } from '../db/connection.ts';
import { installationId } from '../db/queries.ts';
import type { IncusClient } from '../incus/client.ts';
import { engineFacts, engineView } from '../inspect/engine.ts';
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
import { notThere } from '../location-setup/administration.ts';
import { createEngines } from '../locations/engines.ts';
import { loadIdentity } from '../locations/identity.ts';
import { findLocationsNamed, type LocationRow, requireLocation } from '../locations/queries.ts';
import { createPoolQuotas } from '../pool-quotas/pool-quotas.ts';
import {
  type Answer,
  onDatabase,
  type Program,
  printing,
  readId,
  toSecond,
  UsageError,
} from './command-line.ts';

const shownOperations = 10;
const wayToOperation = '"npm run inspect -- operations" lists those in progress.';
const wayToServer = 'GET /v1/servers?all_projects=true lists the servers of all projects.';

export function addInspectCommands(program: Program): void {
  const inspect = program
    .command('inspect')
    .description('Shows information for operators if something hangs. It changes nothing.');
  inspect
    .command('operations')
    .description('Lists operations in progress: step, worker, attempts, next check, last error.')
    .action(printing(() => onDatabase(operations)));
  inspect
    .command('operation')
    .description('Shows everything about one operation, except its secrets.')
    .argument('<id>', 'the id of the operation', readId)
    .action(printing((id) => onDatabase((db) => operation(db, id))));
  inspect
    .command('server')
    .description('Shows the records of a server, its state in Incus, and its operations.')
    .argument('<server>', 'id, UUID or name of a server of any project')
    .action(
      printing((text) =>
        onDatabase(async (db, config) => server(db, config, await serverId(db, text))),
      ),
    );
  inspect
    .command('location')
    .description(
      "Shows the rules of a location's network, what keeps servers from its nodes, and which servers can bypass the quotas of their disks.",
    )
    .argument('<name>', 'the name of the location')
    .action(printing((name) => onDatabase((db, config) => location(db, config, name))));
  inspect
    .command('reconcilers')
    .description(
      'Lists the jobs that keep records and Incus consistent: last run, duration, findings, last error.',
    )
    .action(printing(() => onDatabase(reconcilers)));
}

async function operations(db: Db): Promise<Answer> {
  const open = await openOperations(db);
  const text = open.length === 0 ? 'No operation is in progress.' : operationsTable(open);
  return { text, json: open };
}

async function operation(db: Db, id: number): Promise<Answer> {
  const found = await inspectOperation(db, id);
  if (!found) throw new SetupError(`No operation has the id ${id}.`, wayToOperation);
  return { text: operationFacts(found), json: found };
}

async function reconcilers(db: Db): Promise<Answer> {
  const rows = await reconcilerStatuses(db);
  const text = rows.length === 0 ? 'No service runs any reconciler.' : reconcilersTable(rows);
  return { text, json: rows };
}

async function location(db: Db, config: Config, name: string): Promise<Answer> {
  const [named] = await findLocationsNamed(db, name);
  const found = named && (await inspectLocation(db, named.id));
  if (!found) throw notThere(name);
  const pairs = [...locationFacts(found), ...(await withEngine(db, config, found.id, engineFacts))];
  return { text: facts(pairs), json: Object.fromEntries(pairs) };
}

/** Finds the id of a server in any project by its id, UUID or name. */
async function serverId(db: Db, text: string): Promise<number> {
  if (/^\d+$/.test(text)) return readId(text);
  const found = await findServersCalled(db, text);
  const exact = found.filter(({ hostname }) => hostname === text);
  const [one, ...others] = exact.length === 1 ? exact : found;
  if (!one) throw new SetupError(`No server is called ${text}.`, wayToServer);
  if (others.length === 0) return one.id;
  const all = found.map(({ id, hostname, project_id: of }) => `${id} (${hostname}, project ${of})`);
  throw new UsageError(
    `Several servers are called ${text}. Use one of these ids: ${all.join(', ')}.`,
  );
}

async function server(db: Db, config: Config, id: number): Promise<Answer> {
  const row = await inspectServer(db, id);
  if (!row) throw new SetupError(`No server has the id ${id}.`, wayToServer);
  const last = await lastOperations(db, id, shownOperations);
  const records: [string, string][] = [
    ['server', `${row.id} ${row.hostname} (${row.uuid}), project ${row.project_id}`],
    ['status', row.deleted_at ? `deleted at ${toSecond(row.deleted_at)}` : row.status],
    ['status in Incus', `${row.real_status} since ${toSecond(row.real_status_at)}`],
    ['error', row.error ?? '-'],
    ['requested', toSecond(row.created_at)],
    ['installed', row.installed_at ? toSecond(row.installed_at) : 'not yet'],
    ...commandFacts(row, last),
    ['node', row.node],
    ['addresses', row.ips.join(', ') || 'none held'],
  ];
  const engine = await askEngine(db, config, row);
  const parts = [
    `Records of Berth\n${facts(records)}`,
    `Incus, now\n${facts(engine)}`,
    `Last operations\n${operationsTable(last)}`,
  ];
  const json = {
    records: Object.fromEntries(records),
    engine: Object.fromEntries(engine),
    operations: last,
  };
  return { text: parts.join('\n\n'), json };
}

/** The initial commands, and the operation that has their outputs: one that fails does not fail the operation. */
function commandFacts(
  row: { commands_total: number; commands_failed: number },
  last: Awaited<ReturnType<typeof lastOperations>>,
): [string, string][] {
  const { commands_total: total, commands_failed: failed } = row;
  if (total === 0) return [];
  const ran = last.find(({ commands }) => commands !== null && commands > 0);
  const where = ran && failed > 0 ? `; see GET /v1/operations/${ran.id}` : '';
  return [['initial commands', `${failed} of ${total} failed${where}`]];
}

async function askEngine(db: Db, config: Config, row: { location_id: number; uuid: string }) {
  return await withEngine(db, config, row.location_id, async (client, location) => {
    const { of: keeperOf } = createPoolQuotas(await installationId(db));
    const findKeeper = () => keeperOf(location, client);
    return await engineView(client, { uuid: row.uuid, disks: location }, findKeeper);
  });
}

async function withEngine<T>(
  db: Db,
  config: Config,
  locationId: number,
  use: (client: IncusClient, location: LocationRow) => Promise<T>,
): Promise<T> {
  const location = await requireLocation(db, locationId);
  const isNear = 'socket_path' in location.engine;
  const engines = createEngines({ identity: isNear ? undefined : await identity(db, config) });
  try {
    return await use(engines.of(location), location);
  } finally {
    await engines.close();
  }
}

async function identity(db: Db, { dataDir }: Config) {
  return await loadIdentity(db, await joinSecretKey(db, dataDir));
}
