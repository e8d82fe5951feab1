import { Health } from '@berth/contract/health';
import { Value } from 'typebox/value';
import { SetupError } from '../../../setup/commands.mjs';
import { createClient } from '../db/connection.ts';
import { findEmbeddedPostgres } from '../db/embedded/embedded.ts';
import type { DatabasePlace } from '../db/open.ts';
import { databaseError } from '../start-errors.ts';
import type { Finding } from './doctor.ts';
import { type Asked, askService } from './ready.ts';

const longestMs = 5000;
const what = 'database';

/** Whether the database of these settings answers. Nothing is started for it: an embedded one runs with its service. */
export async function databaseFinding(place: DatabasePlace): Promise<Finding> {
  const where = place.databaseUrl ? 'of DATABASE_URL' : `in ${place.dataDir}`;
  try {
    const found = place.databaseUrl ?? (await findEmbeddedPostgres(place));
    if (found === 'none')
      return { what, state: 'note', says: `none ${where} yet: a start makes it` };
    if (found === 'stopped')
      return {
        what,
        state: 'note',
        says: `the one ${where} does not run, as it does with its service`,
      };
    return { what, state: 'ok', says: `PostgreSQL ${await versionOf(found)} ${where} answers` };
  } catch (error) {
    const known =
      error instanceof SetupError
        ? error
        : databaseError(error, place, 'Does it run, and is it in reach of this machine?');
    if (codeOf(error) === 'EACCES') {
      const wayOut = 'Run this as root, or as the user of the service.';
      return { what, state: 'note', says: `${place.dataDir} can't be read by this user`, wayOut };
    }
    if (known) return { what, state: 'problem', says: known.message, wayOut: known.wayOut };
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

/** Whether the service of these settings answers on this machine, and what it says of its health. */
export async function serviceFinding(config: Asked, isInstalled: boolean): Promise<Finding> {
  const found: Pick<Finding, 'what'> = { what: 'service' };
  const at = `${config.host}:${config.port}`;
  const answer = await askService(config, '/v1/health');
  if (!answer) {
    const says = `nothing answers at ${at}`;
    return isInstalled
      ? { ...found, state: 'problem', says, wayOut: 'See "systemctl status berth".' }
      : { ...found, state: 'note', says, wayOut: 'If it is to run, start it: npm start' };
  }
  const health = healthIn(answer.body);
  if (!health) {
    const wayOut = 'Set BERTH_PORT to another port, or end what listens there.';
    return { ...found, state: 'problem', says: `what answers at ${at} is not Berth`, wayOut };
  }
  const failing = health.checks.filter(({ status }) => status !== 'ok');
  if (failing.length === 0) return { ...found, state: 'ok', says: `answers at ${at}` };
  const says = failing.map(({ name, detail }) => `${name}: ${detail}`).join(' ');
  return { ...found, state: 'problem', says, wayOut: 'Its log says why.' };
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
