import { Health, type HealthReason } from '@berth/contract/health';
import { Value } from 'typebox/value';
import { SetupError } from '../../../setup/commands.mjs';
import { createClient } from '../db/connection.ts';
import { findEmbeddedPostgres } from '../db/embedded/embedded.ts';
import { lackOfRoom } from '../db/embedded/no-room.ts';
import { databaseError, isDatabaseUnavailable } from '../db/errors.ts';
import type { DatabasePlace } from '../db/open.ts';
import { isSimulated } from '../installation/host.ts';
import { type Asked, askService } from '../installation/ready.ts';
import type { Finding } from './doctor.ts';

const longestMs = 5000;

/**
 * Checks whether the configured database responds. An embedded one is not started, because it runs with its service.
 */
export async function databaseFinding(place: DatabasePlace): Promise<Finding> {
  const where = place.databaseUrl ? 'of DATABASE_URL' : `in ${place.dataDir}`;
  const what = 'database';
  const note = (says: string): Finding => ({ what, state: 'note', says });
  try {
    const found = place.databaseUrl ?? (await findEmbeddedPostgres(place));
    if (found === 'none') return note(`none ${where} yet; the first start creates it`);
    if (found === 'stopped') return note(`not running ${where}; the service starts it`);
    return { what, state: 'ok', says: `PostgreSQL ${await versionOf(found)} ${where} answers` };
  } catch (error) {
    return { what, ...databaseTrouble(error, place) };
  }
}

function databaseTrouble(error: unknown, place: DatabasePlace): Omit<Finding, 'what'> {
  const known =
    error instanceof SetupError
      ? error
      : databaseError(error, place, 'Does it run, and is it in reach of this machine?');
  if (known) return { state: 'problem', says: known.message, wayOut: known.wayOut };
  if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
    const wayOut = 'Run this as root, or as the user of the service.';
    return { state: 'note', says: `${place.dataDir} can't be read by this user`, wayOut };
  }
  // The code invalid_catalog_name of PostgreSQL means that its first start has not created the database yet.
  if (error instanceof Error && 'code' in error && error.code === '3D000') {
    return { state: 'note', says: `the one in ${place.dataDir} is being made` };
  }
  if (!(error instanceof Error && isDatabaseUnavailable(error))) throw error;
  const says = `the one in ${place.dataDir} does not answer: ${error.message}`;
  return { state: 'problem', says, wayOut: 'Restart the service, and see its log.' };
}

/** Checks whether the data directory is writable. */
export async function roomFinding(dataDir: string): Promise<Finding[]> {
  const what = 'data directory';
  try {
    const lack = await lackOfRoom(dataDir);
    if (!lack) return [{ what, state: 'ok', says: `${dataDir} can be written to` }];
    const { failed, code, wayOut } = lack;
    return [{ what, state: 'problem', says: `${dataDir} ${failed} (${code})`, wayOut }];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // The directory does not exist yet, or is inaccessible, which the check of the database reports.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code)) return [];
    throw error;
  }
}

async function versionOf(connectionString: string): Promise<string> {
  const client = createClient({
    connectionString,
    connectionTimeoutMillis: longestMs,
    query_timeout: longestMs,
  });
  try {
    await client.connect();
    const { rows } = await client.query('show server_version');
    return rows[0].server_version;
  } finally {
    await client.end();
  }
}

/** Whether the embedded database of these settings does not run, so that its service does not run either. */
async function isEmbeddedDown({ databaseUrl, dataDir }: OwnService): Promise<boolean> {
  if (databaseUrl || dataDir === undefined) return false;
  // What keeps from finding it is told of the database.
  const found = await findEmbeddedPostgres({ dataDir }).catch(() => undefined);
  return found === 'none' || found === 'stopped';
}

type OwnService = Asked & Partial<DatabasePlace>;

/**
 * Checks whether the configured service responds on this machine, and reports its health.
 * @param installed what to do if the installed service does not respond; undefined if none is installed
 */
export async function serviceFinding(
  config: OwnService,
  installed: { wayOut: string } | undefined,
  longestAnswerMs = longestMs,
): Promise<Finding> {
  const what = 'service';
  const at = `${config.host}:${config.port}`;
  const isOfSimulation = config.dataDir !== undefined && isSimulated(config.dataDir);
  const answer = await askService(config, '/v1/health', longestAnswerMs);
  if (answer === 'silent') {
    const says = `what listens at ${at} gives no answer`;
    const restart = 'If it is Berth, restart it: it goes on where it was.';
    const wayOut = installed ? `${restart} ${installed.wayOut}` : restart;
    return { what, state: 'problem', says, wayOut };
  }
  if (answer === 'none') {
    const says = `nothing answers at ${at}`;
    const start = isOfSimulation ? 'npm run start:simulated' : 'npm start';
    return installed
      ? { what, state: 'problem', says, ...installed }
      : {
          what,
          state: 'note',
          says,
          wayOut: `If it is to run, start it: ${start}. If it runs on another port, run this command with its BERTH_PORT.`,
        };
  }
  const health = healthIn(answer.body);
  if (!health) {
    const wayOut = 'Set BERTH_PORT to another port, or end what listens there.';
    return { what, state: 'problem', says: `what answers at ${at} is not Berth`, wayOut };
  }
  if (hasDatabase(health) && (await isEmbeddedDown(config))) {
    const says = `a Berth answers at ${at}, but not the one of ${config.dataDir}, whose database is not running`;
    const wayOut =
      'To examine that Berth, set BERTH_DATA_DIR to its data directory. To run this one beside it, set BERTH_PORT to another port.';
    return { what, state: installed ? 'problem' : 'note', says, wayOut };
  }
  return { what, ...healthInWords(health, at, isOfSimulation) };
}

/** Whether the service has a database that answers. */
const hasDatabase = ({ checks }: Health) =>
  checks.some(({ name, status }) => name === 'database' && status !== 'failing');

/** The log says more about checks with these reasons. The detail of other checks says everything. */
const loggedReasons = new Set<HealthReason>([
  ...(['failed', 'timeout'] as const),
  ...(['database_unreachable', 'incus_unusable', 'secrets_unreadable'] as const),
]);

function healthInWords(
  { checks }: Health,
  at: string,
  isOfSimulation: boolean,
): Omit<Finding, 'what'> {
  // A successful check is reported only if it has a note.
  const told = checks.filter(({ reason }) => reason !== 'ok');
  if (told.length === 0) return { state: 'ok', says: `answers at ${at}` };
  const says = told
    .map(
      ({ name, reason, detail }) =>
        `${name}: ${reason === 'failed' ? 'The check failed.' : detail}`,
    )
    .join(' ');
  const failing = told.filter(({ status }) => status !== 'ok');
  if (failing.length === 0) {
    const wayOut = 'See "Backup and restore" in docs/operations.md.';
    return { state: 'note', says, wayOut };
  }
  const wayOut = wayToHealth(
    failing.map(({ reason }) => reason),
    isOfSimulation,
  );
  return { state: 'problem', says, ...(wayOut !== undefined && { wayOut }) };
}

function wayToHealth(reasons: HealthReason[], isOfSimulation: boolean): string | undefined {
  if (reasons.every((reason) => reason === 'incus_unreachable')) {
    return isOfSimulation ? 'Restart the simulation: npm run start:simulated' : 'Start Incus.';
  }
  return reasons.some((reason) => loggedReasons.has(reason)) ? 'Its log says why.' : undefined;
}

function healthIn(body: string): Health | undefined {
  try {
    const health: unknown = JSON.parse(body);
    return Value.Check(Health, health) ? health : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
