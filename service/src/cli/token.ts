import { parseArgs } from 'node:util';
import { noId, notAnId } from '@berth/contract/text';
import { insertToolEntry } from '../audit/entry-queries.ts';
import { scopes as knownScopes } from '../callers/app-types.ts';
import { pathFromShell } from '../config/config.ts';
import type { Db } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { counted } from '../lib/counted.ts';
import { withSecretFile } from '../lib/secret-file.ts';
import { table } from '../lib/table.ts';
import { findProjectNamed, homeProject } from '../projects/queries.ts';
import { insertToken, listTokens, revokeToken } from '../tokens/credential-queries.ts';
import { countRevokedWith } from '../tokens/queries.ts';
import { generateToken, tokenHash } from '../tokens/token.ts';
import { type Command, readId, runTool, toSecond, UsageError } from './command-line.ts';

const usage = `Makes, lists and revokes tokens of the API.

  npm run token -- create --name NAME --scopes SCOPES [--expires WHEN] [--project NAME] [--out FILE]
  npm run token -- list
  npm run token -- revoke NAME|ID

  --name     What the token is for, as the list shows it.
  --scopes   One or more of ${knownScopes.join(', ')}, separated by commas.
  --expires  In how many days or hours (30d, 12h), or a date (2027-01-31). Without it, never.
  --project  Whose servers it is for. Without it, "default", or the oldest if none is called so.
  --out      A new file to write the secret to, which only its owner can read. Without it, it is printed.

The secret is shown once, by create; only its hash is kept. revoke also revokes all tokens that were created with the
token.`;

function readCommand(args: string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      scopes: { type: 'string' },
      expires: { type: 'string' },
      project: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [command, ...operands] = positionals;
  if (values.help || command === undefined) return undefined;
  if (command === 'create' && operands.length === 0) return createCommand(values);
  if (command === 'list' && operands.length === 0) return list;
  if (command === 'revoke' && operands.length === 1) return revokeCommand(operands[0] ?? '');
  throw new UsageError(`Unknown command: ${positionals.join(' ')}`);
}

interface CreateOptions {
  name?: string | undefined;
  scopes?: string | undefined;
  expires?: string | undefined;
  project?: string | undefined;
  out?: string | undefined;
}

function createCommand({ name, scopes, expires, project, out }: CreateOptions): Command {
  if (!name?.trim()) throw new UsageError('Say what the token is for: --name NAME');
  if (!new RegExp(`^${noId}`).test(name)) throw new UsageError(`--name: ${notAnId}`);
  const granted = readScopes(scopes ?? '');
  const expiresAt = expires === undefined ? null : readExpiry(expires);
  const create = async (db: Db, token: string, keep: (token: string) => Promise<void>) => {
    const id = await db.transaction().execute(async (trx) => {
      const projectId =
        project === undefined ? await homeProject(trx) : await findProjectNamed(trx, project);
      if (projectId === undefined) throw new UsageError(`There is no project "${project}".`);
      const hash = tokenHash(token);
      const made = await insertToken(trx, { projectId, name, hash, scopes: granted, expiresAt });
      const target = { kind: 'token', id: made } as const;
      const details = { scopes: granted, expires_at: expiresAt, allowed_networks: [] };
      const entry = { projectId, action: 'token_create' as const, target, status: 201, details };
      await insertToolEntry(trx, entry);
      // Before the commit: a token that nobody has is none.
      await keep(token);
      return made;
    });
    const end = expiresAt ? `until ${expiresAt.toISOString()}` : 'until it is revoked';
    return `Token ${id} (${granted.join(', ')}) is valid ${end}.`;
  };
  return async (db) => {
    const token = generateToken();
    if (out !== undefined) {
      const path = pathFromShell(out);
      const made = await withSecretFile(path, (write) => create(db, token, write));
      return `${made} It is in ${path}, and is not shown again.`;
    }
    console.error(`${await create(db, token, async () => undefined)} It is not shown again:`);
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
    toSecond(token.created_at),
    token.last_used_at ? toSecond(token.last_used_at) : 'never',
    token.revoked_at
      ? 'revoked'
      : token.isExpired
        ? 'expired'
        : token.expires_at
          ? toSecond(token.expires_at)
          : 'never',
  ]);
  return table([['ID', 'NAME', 'PROJECT', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES'], ...rows]);
}

function revokeCommand(text: string): Command {
  return async (db) => {
    const id = /^\d+$/.test(text) ? readId(text, 'a token') : await idNamed(db, text);
    const count = await db.transaction().execute(async (trx) => {
      const projectId = await revokeToken(trx, id);
      if (projectId === undefined) throw new UsageError(`No active token has id ${id}.`);
      const target = { kind: 'token', id } as const;
      const revoked_tokens = await countRevokedWith(new Project(trx, projectId), id);
      const details = { revoked_tokens };
      await insertToolEntry(trx, { projectId, action: 'token_revoke', target, details });
      return revoked_tokens;
    });
    if (count === 1) return `Token ${id} is revoked.`;
    return `Token ${id} is revoked, and also ${counted(count - 1, 'token')} created with it.`;
  };
}

/** Of a token that was not revoked: those that were need no other end. */
async function idNamed(db: Db, name: string): Promise<number> {
  const ids = (await listTokens(db))
    .filter((token) => token.name === name && token.revoked_at === null)
    .map(({ id }) => id);
  const [id] = ids;
  if (id === undefined) throw new UsageError(`No active token is called ${name}.`);
  if (ids.length === 1) return id;
  const detail = `Several active tokens are called ${name}. Use one of these IDs: ${ids.join(', ')}.`;
  throw new UsageError(detail);
}

await runTool(usage, readCommand);
