import { noId, notAnId } from '@berth/contract/text';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { SetupError } from '../../../setup/commands.mjs';
import { insertToolEntry } from '../audit/entry-queries.ts';
import { scopes as knownScopes } from '../callers/app-types.ts';
import { pathFromShell } from '../config/config.ts';
import type { Db, Trx } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { askFor } from '../lib/ask.ts';
import { counted } from '../lib/counted.ts';
import { table } from '../lib/table.ts';
import { findProjectNamed, homeProject } from '../projects/queries.ts';
import {
  insertToken,
  isLastAdminToken,
  listTokens,
  revokeToken,
} from '../tokens/credential-queries.ts';
import { countRevokedWith } from '../tokens/queries.ts';
import { generateToken, tokenHash } from '../tokens/token.ts';
import {
  type Answer,
  noProject,
  onDatabase,
  type Program,
  printing,
  readId,
  toSecond,
  UsageError,
} from './command-line.ts';
import { withSecretFile } from './secret-file.ts';

export function addTokenCommands(program: Program): void {
  const token = program
    .command('token')
    .description('Creates, lists and revokes tokens of the API.');
  token
    .command('create')
    .description('Creates a token. Its secret is shown once, and only its hash is stored.')
    .requiredOption('--name <name>', 'what the token is for, as the list shows it', readName)
    .requiredOption(
      '--scopes <scopes>',
      `one or more of ${knownScopes.join(', ')}, separated by commas`,
      readScopes,
    )
    .option(
      '--expires <when>',
      'a number of days or hours (30d, 12h), or a date (2027-01-31); the default is never',
      readExpiry,
    )
    .option(
      '--project <name>',
      'the project of the token; the default is "default", or the oldest project if none has this name',
    )
    .option(
      '--out <file>',
      'a new file for the secret, which only its owner can read; without it, the secret is printed',
    )
    .action(printing((options) => onDatabase((db) => create(db, options))));
  token
    .command('list')
    .description('Lists all tokens.')
    .action(printing(() => onDatabase(list)));
  token
    .command('revoke')
    .description(
      'Revokes a token, and all tokens that were created with it. It asks before the last active one of scope admin.',
    )
    .argument('<token>', 'name or id')
    .option('--yes', 'do not ask')
    .action(
      printing((text, { yes }) =>
        onDatabase(async (db) => revoke(db, await tokenId(db, text), yes === true)),
      ),
    );
}

interface CreateOptions {
  name: string;
  scopes: string[];
  expires?: Date | undefined;
  project?: string | undefined;
  out?: string | undefined;
}

async function create(db: Db, options: CreateOptions): Promise<Answer> {
  const { name, scopes, expires: expiresAt = null } = options;
  const token = generateToken();
  const enter = async (keep: (token: string) => Promise<void>) =>
    await db.transaction().execute(async (trx) => {
      const projectId = await projectOf(trx, options.project);
      const hash = tokenHash(token);
      const id = await insertToken(trx, { projectId, name, hash, scopes, expiresAt });
      const target = { kind: 'token', id } as const;
      const details = { scopes, expires_at: expiresAt, allowed_networks: [] };
      const entry = { projectId, action: 'token_create' as const, target, status: 201, details };
      await insertToolEntry(trx, entry);
      // The token is stored before the commit, because a token whose secret is lost is useless.
      await keep(token);
      return id;
    });
  const end = expiresAt ? `until ${expiresAt.toISOString()}` : 'until it is revoked';
  const says = (id: number) => `Token ${id} (${scopes.join(', ')}) is valid ${end}.`;
  const made = { name, scopes, expires_at: expiresAt };
  if (options.out !== undefined) {
    const file = pathFromShell(options.out);
    const id = await withSecretFile(file, enter);
    const text = `${says(id)} It is in ${file}, and is not shown again.`;
    return { text, json: { id, ...made, file } };
  }
  const id = await enter(async () => undefined);
  console.error(`${says(id)} It is not shown again:`);
  return { text: token, json: { id, ...made, token } };
}

async function projectOf(trx: Trx, name: string | undefined): Promise<number> {
  if (name === undefined) return await homeProject(trx);
  const id = await findProjectNamed(trx, name);
  if (id === undefined) throw noProject(name);
  return id;
}

function readName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('A name is not empty.');
  if (!new RegExp(`^${noId}`).test(text)) throw new InvalidArgumentError(notAnId);
  return text;
}

function readScopes(text: string): string[] {
  const granted = [...new Set(text.split(',').map((scope) => scope.trim()))].filter(Boolean);
  const unknown = granted.filter((scope) => !knownScopes.some((known) => known === scope));
  if (granted.length > 0 && unknown.length === 0) return granted;
  const not = unknown.length > 0 ? `Unknown scope: ${unknown.join(', ')}. ` : '';
  throw new InvalidArgumentError(`${not}Scopes are ${knownScopes.join(', ')}.`);
}

function readExpiry(text: string): Date {
  const [, count, unit] = /^([1-9]\d{0,4})([dh])$/.exec(text) ?? [];
  const hours = Number(count) * (unit === 'd' ? 24 : 1);
  const date = count ? new Date(Date.now() + hours * 3_600_000) : readDate(text);
  if (!date) throw new InvalidArgumentError('Use 30d, 12h or a date such as 2027-01-31.');
  if (date.getTime() > Date.now()) return date;
  throw new InvalidArgumentError('This time has passed.');
}

function readDate(text: string): Date | undefined {
  const date = new Date(/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? text : '');
  if (Number.isNaN(date.getTime())) return undefined;
  // `Date` converts the 31st of February to a day in March, which is refused here.
  const isOnCalendar = text.length > 10 || date.toISOString().startsWith(text);
  return isOnCalendar ? date : undefined;
}

async function list(db: Db): Promise<Answer> {
  const tokens = await listTokens(db);
  const rows = tokens.map((token) => [
    String(token.id),
    token.name,
    token.project,
    token.scopes.join(','),
    toSecond(token.created_at),
    token.last_used_at ? toSecond(token.last_used_at) : 'never',
    endOf(token),
  ]);
  const header = ['ID', 'NAME', 'PROJECT', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES'];
  return { text: table([header, ...rows]), json: tokens };
}

function endOf(token: Awaited<ReturnType<typeof listTokens>>[number]): string {
  if (token.revoked_at) return 'revoked';
  if (token.isExpired) return 'expired';
  return token.expires_at ? toSecond(token.expires_at) : 'never';
}

const noToken = (what: string) =>
  new SetupError(`No active token ${what}.`, 'See "npm run token -- list".');

async function revoke(db: Db, id: number, isUnasked: boolean): Promise<Answer> {
  if (!isUnasked && (await isLastAdminToken(db, id))) {
    const says =
      `Token ${id} is the last active one of scope admin. Without any, only an administrator who signs in can ` +
      'administer Berth over the API, and no start makes another one: "npm run token -- create" does.';
    await askFor({ says, word: 'revoke', undone: 'Nothing was revoked' });
  }
  const revoked_tokens = await db.transaction().execute(async (trx) => {
    const projectId = await revokeToken(trx, id);
    if (projectId === undefined) throw noToken(`has the id ${id}`);
    const target = { kind: 'token', id } as const;
    const count = await countRevokedWith(new Project(trx, projectId), id);
    const details = { revoked_tokens: count };
    await insertToolEntry(trx, { projectId, action: 'token_revoke', target, details });
    return count;
  });
  const others = revoked_tokens - 1;
  const also = others === 0 ? '' : `, and also ${counted(others, 'token')} created with it`;
  return { text: `Token ${id} is revoked${also}.`, json: { id, revoked_tokens } };
}

async function tokenId(db: Db, text: string): Promise<number> {
  if (/^\d+$/.test(text)) return readId(text);
  // Revoked tokens can't be revoked again.
  const ids = (await listTokens(db))
    .filter((token) => token.name === text && token.revoked_at === null)
    .map(({ id }) => id);
  const [id] = ids;
  if (id === undefined) throw noToken(`is called ${text}`);
  if (ids.length === 1) return id;
  throw new UsageError(
    `Several active tokens are called ${text}. Use one of these IDs: ${ids.join(', ')}.`,
  );
}
