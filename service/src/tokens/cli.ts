import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import type { Db } from '../db/connection.ts';
import { joinDatabase } from '../db/open.ts';
import { scopes as knownScopes } from '../http/app-types.ts';
import { findProject, insertToken, listTokens, revokeToken } from './queries.ts';
import { generateToken, tokenHash } from './token.ts';

const usage = `Makes, lists and revokes tokens of the API.

  npm run token -- create --name NAME --scopes SCOPES [--expires WHEN] [--project NAME]
  npm run token -- list
  npm run token -- revoke ID

  --name     What the token is for, as the list shows it.
  --scopes   One or more of ${knownScopes.join(', ')}, separated by commas.
  --expires  In how many days or hours (30d, 12h), or a date (2027-01-31). Without it, never.
  --project  Whose servers it is for. Without it, "default".

The secret is shown once, by create; only its hash is kept.`;

/** A mistake on the command line, in words for who made it. */
class UsageError extends Error {}

/** Answers what to print. */
type Command = (db: Db) => Promise<string>;
const help = 'help';

function readCommand(args: string[]): Command | typeof help {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      scopes: { type: 'string' },
      expires: { type: 'string' },
      project: { type: 'string', default: 'default' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [command, ...operands] = positionals;
  if (values.help || command === undefined) return help;
  if (command === 'create' && operands.length === 0) return createCommand(values);
  if (command === 'list' && operands.length === 0) return list;
  if (command === 'revoke' && operands.length === 1) return revokeCommand(operands[0] ?? '');
  throw new UsageError(`Can't make sense of: ${positionals.join(' ')}`);
}

interface CreateOptions {
  name?: string | undefined;
  scopes?: string | undefined;
  expires?: string | undefined;
  project: string;
}

function createCommand({ name, scopes, expires, project }: CreateOptions): Command {
  if (!name?.trim()) throw new UsageError('Say what the token is for: --name NAME');
  const granted = readScopes(scopes ?? '');
  const expiresAt = expires === undefined ? null : readExpiry(expires);
  return async (db) => {
    const projectId = await findProject(db, project);
    if (projectId === undefined) throw new UsageError(`There is no project "${project}".`);
    const token = generateToken();
    const hash = tokenHash(token);
    const id = await insertToken(db, { projectId, name, hash, scopes: granted, expiresAt });
    const end = expiresAt ? `until ${expiresAt.toISOString()}` : 'until it is revoked';
    console.error(`Token ${id} (${granted.join(', ')}) holds ${end}. It is not shown again:`);
    return token;
  };
}

function readScopes(text: string): string[] {
  const granted = [...new Set(text.split(',').map((scope) => scope.trim()))].filter(Boolean);
  const unknown = granted.filter((scope) => !knownScopes.some((known) => known === scope));
  if (unknown.length > 0) throw new UsageError(`Unknown scope: ${unknown.join(', ')}`);
  if (granted.length > 0) return granted;
  throw new UsageError(`Say what it may do: --scopes with some of ${knownScopes.join(', ')}`);
}

function readExpiry(text: string): Date {
  const [, count, unit] = /^([1-9]\d{0,4})([dh])$/.exec(text) ?? [];
  const hours = Number(count) * (unit === 'd' ? 24 : 1);
  const date = count ? new Date(Date.now() + hours * 3_600_000) : readDate(text);
  if (!date)
    throw new UsageError(`--expires takes 30d, 12h or a date as 2027-01-31, not "${text}".`);
  if (date.getTime() > Date.now()) return date;
  throw new UsageError(`--expires must lie ahead; ${text} has passed.`);
}

function readDate(text: string): Date | undefined {
  const date = new Date(/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? text : '');
  if (Number.isNaN(date.getTime())) return undefined;
  // A 31st of February becomes one of March.
  const isOnCalendar = text.length > 10 || date.toISOString().startsWith(text);
  return isOnCalendar ? date : undefined;
}

async function list(db: Db): Promise<string> {
  const rows = (await listTokens(db)).map((token) => [
    String(token.id),
    token.name,
    token.project,
    token.scopes.join(','),
    token.created_at.slice(0, 19),
    token.last_used_at?.slice(0, 19) ?? 'never',
    token.revoked_at
      ? 'revoked'
      : token.isExpired
        ? 'expired'
        : (token.expires_at?.slice(0, 19) ?? 'never'),
  ]);
  return table([['ID', 'NAME', 'PROJECT', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES'], ...rows]);
}

function table(rows: string[][]): string {
  const [header = []] = rows;
  const widths = header.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

function revokeCommand(text: string): Command {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new UsageError(`"${text}" is not the id of a token.`);
  return async (db) => {
    if (await revokeToken(db, id)) return `Token ${id} is revoked.`;
    throw new UsageError(`There is no token ${id} that holds.`);
  };
}

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2));
  if (command === help) return console.log(usage);
  const { db, close } = await joinDatabase(loadConfig());
  try {
    console.log(await command(db));
  } finally {
    await close();
  }
}

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  // Of parseArgs: an option that it does not know, or one without its value.
  return (
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  );
}

try {
  await main();
} catch (error) {
  if (!isUsageError(error)) throw error;
  console.error(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
