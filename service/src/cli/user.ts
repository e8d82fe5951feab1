import { parseArgs } from 'node:util';
import { emailPattern, type Role, roles, type UserUpdate } from '@berth/contract/users';
import { difference } from '../audit/details.ts';
import { insertToolEntry } from '../audit/entry-queries.ts';
import type { Db, Trx } from '../db/connection.ts';
import { askFor } from '../lib/ask.ts';
import { table } from '../lib/table.ts';
import { Problem } from '../problems/problem.ts';
import { putMember } from '../projects/members/queries.ts';
import { findProjectNamed } from '../projects/queries.ts';
import { findUser, findUserByEmail, listAllUsers, type ShownUser } from '../users/queries.ts';
import {
  acceptFirstPassword,
  acceptNextPassword,
  changeUser,
  createUser,
  deleteUser,
  powersOf,
  userNotFound,
} from '../users/users.ts';
import {
  type Command,
  printable,
  readId,
  readSecretLine,
  runTool,
  toSecond,
  UsageError,
} from './command-line.ts';

const usage = `Adds, changes, lists and deletes the people who can sign in.

  npm run user -- create --email EMAIL [--name NAME] [--admin] [--project NAME --role ROLE]
                         [--no-password]
  npm run user -- password USER
  npm run user -- disable USER
  npm run user -- enable USER
  npm run user -- delete USER [--yes]
  npm run user -- list

USER is an email address or an id.

  --email        The address that they sign in with.
  --name         As others see it. Without it, what the address begins with.
  --admin        They may do everything, in all projects.
  --project      A project that they become a member of.
  --role         What they may there: one of ${roles.join(', ')}.
  --no-password  They sign in by way of the OpenID provider.
  --yes          Does not ask.

create and password ask for the password, or read a line of standard input. delete ends the sessions of a user and
revokes their tokens; the audit log keeps their id. The last owner of a project can't be deleted.`;

function readCommand(args: string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      email: { type: 'string' },
      name: { type: 'string' },
      admin: { type: 'boolean', default: false },
      project: { type: 'string' },
      role: { type: 'string' },
      'no-password': { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [command, ...operands] = positionals;
  const [who = ''] = operands;
  if (values.help || command === undefined) return undefined;
  if (command === 'create' && operands.length === 0) return createCommand(values);
  if (command === 'list' && operands.length === 0) return list;
  if (command === 'password' && operands.length === 1) return passwordCommand(who);
  if (command === 'disable' && operands.length === 1) return disableCommand(who, true);
  if (command === 'enable' && operands.length === 1) return disableCommand(who, false);
  if (command === 'delete' && operands.length === 1) return deleteCommand(who, values.yes);
  throw new UsageError(`Unknown command: ${positionals.join(' ')}`);
}

interface CreateOptions {
  email?: string | undefined;
  name?: string | undefined;
  admin: boolean;
  project?: string | undefined;
  role?: string | undefined;
  'no-password': boolean;
}

function createCommand(options: CreateOptions): Command {
  const { email = '', name, admin, project } = options;
  if (!new RegExp(emailPattern).test(email)) {
    throw new UsageError('Say who it is: --email EMAIL');
  }
  const role = readRole(options.role);
  if ((project === undefined) !== (role === undefined)) {
    throw new UsageError('Say both --project NAME and --role ROLE, or neither.');
  }
  return async (db) => {
    const password = options['no-password'] ? undefined : await askPassword();
    const body = {
      email,
      is_admin: admin,
      ...(name !== undefined && { name }),
      ...(password !== undefined && { password }),
    };
    const passwordHash = await explained(acceptFirstPassword(body));
    const add = async (trx: Trx) => {
      const user = await createUser(trx, body, passwordHash);
      const target = { kind: 'user', id: user.id } as const;
      const entry = { projectId: null, action: 'user_create' as const, target, status: 201 };
      await insertToolEntry(trx, { ...entry, details: difference(null, powersOf(user)) });
      if (project === undefined || role === undefined) return user;
      const projectId = await findProjectNamed(trx, project);
      if (projectId === undefined) throw new UsageError(`There is no project "${project}".`);
      await putMember(trx, { projectId, userId: user.id, role });
      const details = difference(null, { role });
      await insertToolEntry(trx, { ...entry, projectId, action: 'member_add', details });
      return user;
    };
    const user = await explained(db.transaction().execute(add));
    const what = admin ? 'an administrator' : role ? `${role} of ${project}` : 'in no project yet';
    return `User ${user.id}, ${user.email}, is ${what}.`;
  };
}

function readRole(text: string | undefined): Role | undefined {
  const role = roles.find((known) => known === text);
  if (text === undefined || role) return role;
  throw new UsageError(`--role takes one of ${roles.join(', ')}, not "${text}".`);
}

async function askPassword(): Promise<string> {
  const password = await readSecretLine('Password: ');
  if (password.length > 0 && password.length <= 128) return password;
  throw new UsageError('Give a password of 1 to 128 characters, on standard input.');
}

function passwordCommand(who: string): Command {
  return async (db) => {
    const { id } = await requireUser(db, who);
    const password = await askPassword();
    await update(db, id, { password });
    return `User ${id} has a new password. Their sessions have ended.`;
  };
}

function disableCommand(who: string, is_disabled: boolean): Command {
  return async (db) => {
    const { id } = await requireUser(db, who);
    await update(db, id, { is_disabled });
    return `User ${id} is ${is_disabled ? 'shut out' : 'let in'}.`;
  };
}

function deleteCommand(who: string, isUnasked: boolean): Command {
  return async (db) => {
    const { id, email } = await requireUser(db, who);
    const says = printable(
      `User ${id}, ${email}, will be deleted: their sessions end and their tokens are revoked. There is no way back.`,
    );
    if (!isUnasked) await askFor({ says, word: 'delete', undone: 'Nothing was deleted' });
    const remove = async (trx: Trx) => {
      await deleteUser(trx, id, null);
      const target = { kind: 'user', id } as const;
      await insertToolEntry(trx, {
        projectId: null,
        action: 'user_delete',
        target,
        details: undefined,
      });
    };
    await explained(db.transaction().execute(remove));
    return `User ${id}, ${email}, is deleted. Their sessions have ended, and their tokens are revoked.`;
  };
}

/** By id or email address. */
async function requireUser(db: Db, text: string): Promise<ShownUser> {
  if (/^\d+$/.test(text)) {
    const id = readId(text, 'a user');
    const user = await findUser(db, id);
    if (user) return user;
    throw new UsageError(userNotFound(id).message);
  }
  const user = await findUserByEmail(db, text);
  if (user) return user;
  throw new UsageError(`No user has the email address "${text}".`);
}

async function update(db: Db, id: number, body: UserUpdate): Promise<void> {
  const passwordHash = await explained(acceptNextPassword(db, id, body, null));
  const given = { passwordHash, ownId: null };
  const change = async (trx: Trx) => {
    const { details } = await changeUser(trx, id, body, given);
    const target = { kind: 'user', id } as const;
    await insertToolEntry(trx, { projectId: null, action: 'user_update', target, details });
  };
  await explained(db.transaction().execute(change));
}

/** What the API would refuse is a mistake of usage here. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Problem ? new UsageError(error.message) : error;
  }
}

async function list(db: Db): Promise<string> {
  const rows = (await listAllUsers(db)).map((user) => [
    String(user.id),
    user.email,
    user.name,
    user.is_admin ? 'yes' : 'no',
    user.has_password ? 'yes' : 'no',
    toSecond(user.created_at),
    user.disabled_at ? toSecond(user.disabled_at) : 'no',
  ]);
  return table([['ID', 'EMAIL', 'NAME', 'ADMIN', 'PASSWORD', 'CREATED', 'DISABLED'], ...rows]);
}

await runTool(usage, readCommand);
