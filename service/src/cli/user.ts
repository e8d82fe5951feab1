import { emailPattern, type Role, roles, type UserUpdate } from '@berth/contract/users';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { SetupError } from '../../../setup/commands.mjs';
import { difference } from '../audit/details.ts';
import { insertToolEntry } from '../audit/entry-queries.ts';
import type { Db, Trx } from '../db/connection.ts';
import { askFor } from '../lib/ask.ts';
import { printable } from '../lib/printable.ts';
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
  type Answer,
  noProject,
  onDatabase,
  type Program,
  printing,
  readId,
  readSecretLine,
  toSecond,
  UsageError,
} from './command-line.ts';

export function addUserCommands(program: Program): void {
  const user = program
    .command('user')
    .description('Adds, changes, lists and deletes the people who can sign in.');
  const who = ['<user>', 'email address or id', readUser] as const;
  user
    .command('create')
    .description('Adds a user. Asks for the password, or reads it from a line of standard input.')
    .requiredOption('--email <email>', 'the address that they sign in with', readEmail)
    .option(
      '--name <name>',
      'the name that others see; the default is the first part of the email address',
    )
    .option('--admin', 'make the user an administrator, who can do everything in all projects')
    .option('--project <name>', 'a project that the user becomes a member of; needs --role')
    .addOption(new Option('--role <role>', 'what they may there; needs --project').choices(roles))
    .option('--no-password', 'the user signs in with the OpenID provider')
    .action(printing((options) => onDatabase((db) => create(db, options))));
  user
    .command('password')
    .description(
      'Sets the password of a user, and ends their sessions. Asks for the password, or reads it from a line of standard input.',
    )
    .argument(...who)
    .action(printing((by) => onDatabase((db) => setPassword(db, by))));
  user
    .command('disable')
    .description('Disables a user: ends their sessions, and prevents them from signing in.')
    .argument(...who)
    .action(printing((by) => onDatabase((db) => disable(db, by, true))));
  user
    .command('enable')
    .description('Lets a disabled user sign in again.')
    .argument(...who)
    .action(printing((by) => onDatabase((db) => disable(db, by, false))));
  user
    .command('delete')
    .description(
      'Deletes a user: their sessions end and their tokens are revoked. The audit log keeps their id. The last owner of a project cannot be deleted.',
    )
    .argument(...who)
    .option('--yes', 'do not ask for confirmation')
    .action(printing((by, { yes }) => onDatabase((db) => remove(db, by, yes === true))));
  user
    .command('list')
    .description('Lists all users.')
    .action(printing(() => onDatabase(list)));
}

interface CreateOptions {
  email: string;
  name?: string | undefined;
  admin?: true | undefined;
  project?: string | undefined;
  role?: Role | undefined;
  /** False if the user has no password. */
  password: boolean;
}

async function create(db: Db, options: CreateOptions): Promise<Answer> {
  const { email, name, admin, project, role } = options;
  if ((project === undefined) !== (role === undefined)) {
    throw new UsageError('Give both --project and --role, or neither.');
  }
  const password = options.password ? await askPassword() : undefined;
  const body = {
    email,
    is_admin: admin === true,
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
    if (projectId === undefined) throw noProject(project);
    await putMember(trx, { projectId, userId: user.id, role });
    const details = difference(null, { role });
    await insertToolEntry(trx, { ...entry, projectId, action: 'member_add', details });
    return user;
  };
  const { id } = await explained(db.transaction().execute(add));
  const what = admin ? 'an administrator' : role ? `${role} of ${project}` : 'in no project yet';
  const made = {
    id,
    email,
    is_admin: admin === true,
    project: project ?? null,
    role: role ?? null,
  };
  return { text: `User ${id}, ${email}, is ${what}.`, json: made };
}

function readEmail(text: string): string {
  if (new RegExp(emailPattern).test(text)) return text;
  throw new InvalidArgumentError('This is not an email address.');
}

async function askPassword(): Promise<string> {
  const password = await readSecretLine('Password: ');
  if (password.length > 0 && password.length <= 128) return password;
  throw new UsageError('Give a password of 1 to 128 characters, on standard input.');
}

async function setPassword(db: Db, by: Who): Promise<string> {
  const { id } = await requireUser(db, by);
  const password = await askPassword();
  await update(db, id, { password });
  return `User ${id} has a new password. Their sessions have ended.`;
}

async function disable(db: Db, by: Who, isDisabled: boolean): Promise<string> {
  const { id } = await requireUser(db, by);
  await update(db, id, { enabled: !isDisabled });
  return `User ${id} is ${isDisabled ? 'disabled. Their sessions have ended' : 'enabled'}.`;
}

async function remove(db: Db, by: Who, isUnasked: boolean): Promise<string> {
  const { id, email } = await requireUser(db, by);
  const says = printable(
    `User ${id}, ${email}, will be deleted: their sessions end and their tokens are revoked. There is no way back.`,
  );
  if (!isUnasked) await askFor({ says, word: 'delete', undone: 'Nothing was deleted' });
  const removal = async (trx: Trx) => {
    await deleteUser(trx, id, null);
    const target = { kind: 'user', id } as const;
    const entry = { projectId: null, action: 'user_delete' as const, target, details: undefined };
    await insertToolEntry(trx, entry);
  };
  await explained(db.transaction().execute(removal));
  return `User ${id}, ${email}, is deleted. Their sessions have ended, and their tokens are revoked.`;
}

type Who = { id: number } | { email: string };

const readUser = (text: string): Who =>
  /^\d+$/.test(text) ? { id: readId(text) } : { email: text };

async function requireUser(db: Db, by: Who): Promise<ShownUser> {
  const user = 'id' in by ? await findUser(db, by.id) : await findUserByEmail(db, by.email);
  if (user) return user;
  const none =
    'id' in by ? userNotFound(by.id).message : `No user has the email address "${by.email}".`;
  throw new SetupError(none, 'See "npm run user -- list".');
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

/** Reports what the API would refuse as a usage error. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Problem ? new UsageError(error.message) : error;
  }
}

async function list(db: Db): Promise<Answer> {
  const users = await listAllUsers(db);
  const rows = users.map((user) => [
    String(user.id),
    user.email,
    user.name,
    user.is_admin ? 'yes' : 'no',
    user.has_password ? 'yes' : 'no',
    toSecond(user.created_at),
    user.disabled_at ? toSecond(user.disabled_at) : 'no',
  ]);
  const header = ['ID', 'EMAIL', 'NAME', 'ADMIN', 'PASSWORD', 'CREATED', 'DISABLED'];
  return { text: table([header, ...rows]), json: users };
}
