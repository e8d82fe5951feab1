import { type Selectable, sql, type UpdateObject } from 'kysely';
import { hasAnyOf, isWithin, planned } from '../db/filters.ts';
import { type Listing, listing, snapshotListing } from '../db/listing.ts';
import { notificationWith } from '../db/notifications.ts';
import type { Project, ProjectRows } from '../db/project.ts';
import type { CommandResult, Database, Placement, UserDataReport } from '../db/schema/schema.ts';
import { isSelected, type Selected, selectLabels } from '../labels/queries.ts';
import type { Selector } from '../labels/selector.ts';
import { operationTitles } from './titles.ts';

export type OperationRow = Selectable<Database['operations']>;
/** An operation is on a server or on a node, as a constraint ensures. */
export type ServerOperationRow = OperationRow & { server_id: number };
export type NodeOperationRow = OperationRow & { node_id: number };

export const isOfServer = (row: OperationRow): row is ServerOperationRow => row.server_id !== null;
export const isOfNode = (row: OperationRow): row is NodeOperationRow => row.node_id !== null;

/** The initial values of an operation on any subject. */
export interface OperationStart {
  kind: string;
  step: string;
  message: string;
  deadlineSeconds: number;
  state?: Record<string, unknown>;
}

export interface NewOperation extends OperationStart {
  serverId: number;
  /** The operation that started this one as a part of it. */
  parentId?: number;
  /** Seals the secrets for the operation with this id. */
  secrets?: (id: number) => Buffer;
  placement?: Placement;
}

/** The columns of a new operation. */
export function startColumns({ kind, step, message, deadlineSeconds, state = {} }: OperationStart) {
  const deadline = sql<string>`now() + make_interval(secs => ${deadlineSeconds})`;
  return { kind, step, message, state: JSON.stringify(state), deadline_at: deadline };
}

/** Inserts an operation. Any worker may lease it as soon as the transaction commits. */
export async function insertOperation(
  project: Project,
  operation: NewOperation,
): Promise<OperationRow> {
  const { told: _, ...row } = await project
    .insert('operations', {
      server_id: operation.serverId,
      parent_id: operation.parentId ?? null,
      placement: operation.placement ? JSON.stringify(operation.placement) : null,
      ...startColumns(operation),
    })
    .returningAll()
    .returning(notificationWith('operation_due', { id: sql.ref('operations.id') }).as('told'))
    .executeTakeFirstOrThrow();
  const secrets = operation.secrets?.(row.id);
  if (secrets) {
    await project.update('operations').set({ secrets }).where('id', '=', row.id).execute();
  }
  return { ...row, secrets: secrets ?? null };
}

const unfinished = (project: Project, serverId: number) =>
  project
    .select('operations')
    .selectAll()
    .where('server_id', '=', serverId)
    .where('finished_at', 'is', null);

/** The operation in progress on a server, locked until the transaction ends. */
export async function unfinishedOperation(
  project: Project,
  serverId: number,
): Promise<OperationRow | undefined> {
  return await unfinished(project, serverId).forUpdate().executeTakeFirst();
}

/** The same without a lock, so that it may end at any time. */
export async function findUnfinishedOperation(
  project: Project,
  serverId: number,
): Promise<OperationRow | undefined> {
  return await unfinished(project, serverId).executeTakeFirst();
}

/** An operation, locked until the transaction ends. Its server must be locked before. */
export async function lockOperation(
  project: Project,
  id: number,
): Promise<ServerOperationRow | undefined> {
  const row = await project
    .select('operations')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row && isOfServer(row) ? row : undefined;
}

/** The message of an operation that was superseded, as in "Stopping the server was superseded by a forced stop." */
export const supersededMessage = (by: string) => titled(`was superseded by ${by}.`);

/** A sentence that begins with what an operation does: by default, the title of its kind. */
function titled(words: string, own?: string) {
  const title =
    own !== undefined
      ? sql`${own}::text`
      : sql`coalesce(${JSON.stringify(operationTitles)}::jsonb ->> kind, 'The operation')`;
  return sql<string>`${title} || ${` ${words}`}::text`;
}

/** The columns of an operation that was superseded. */
export function supersededBy(by: string) {
  const message = supersededMessage(by);
  return { status: 'superseded' as const, message, secrets: null, finished_at: sql<string>`now()` };
}

/** Ends an operation because another one supersedes it. */
export async function supersedeOperation(project: Project, id: number, by: string): Promise<void> {
  await endEarly(project, id, supersededBy(by));
}

/** How an operation was cancelled. */
interface Cancelled {
  /** The beginning of its message, if not the title of its kind. */
  title?: string | undefined;
  /** The rest of its message, such as "was cancelled." */
  words: string;
  /** Whether its secrets are kept for a retry. */
  keepsSecrets: boolean;
}

/** Ends an operation because a request cancels it. */
export async function endCancelled(
  project: Project,
  id: number,
  { title, words, keepsSecrets }: Cancelled,
): Promise<void> {
  await endEarly(project, id, {
    status: 'cancelled',
    message: titled(words, title),
    finished_at: sql<string>`now()`,
    ...(!keepsSecrets && { secrets: null }),
  });
}

/**
 * Ends an operation, whose worker aborts its step and can write nothing more. The worker keeps the lease until the step
 * has ended; no other operation on the same server is leased before that.
 */
async function endEarly(
  project: Project,
  id: number,
  columns: UpdateObject<Database, 'operations'>,
): Promise<void> {
  await project.update('operations').set(columns).where('id', '=', id).execute();
  await project.notify('operation_superseded', { id });
  await project.notify('operation_finished', { id });
}

/** The failed create of a server whose secrets are still stored. Locks it. */
export async function failedCreate(
  project: Project,
  serverId: number,
): Promise<OperationRow | undefined> {
  return await project
    .select('operations')
    .selectAll()
    .where('server_id', '=', serverId)
    .where('finished_at', 'is not', null)
    .where('secrets', 'is not', null)
    .forUpdate()
    .executeTakeFirst();
}

/** Wipes the secrets of the ended operations of a server that is not to be retried. */
export async function wipeSecrets(project: Project, serverId: number): Promise<void> {
  await project
    .update('operations')
    .set({ secrets: null })
    .where('server_id', '=', serverId)
    .where('finished_at', 'is not', null)
    .where('secrets', 'is not', null)
    .execute();
}

/** What cloud-init said of the user data of a create, from its state. */
export const userDataReport = sql<UserDataReport | null>`operations.state -> 'user_data'`.as(
  'user_data',
);

/** What the API shows of an operation, besides that: neither its secrets nor its state. */
const listedColumns = [
  'id',
  'kind',
  'server_id',
  'status',
  'step',
  'progress',
  'message',
  'error',
  'placement',
  'created_at',
  'started_at',
  'finished_at',
] as const;
export const shownColumns = [...listedColumns, 'commands'] as const;

export type ShownOperation = Pick<OperationRow, (typeof shownColumns)[number]> & {
  user_data: UserDataReport | null;
};

/** What of an operation in progress says whether it can be cancelled. */
export type OperationInProgress = Pick<
  OperationRow,
  'id' | 'kind' | 'server_id' | 'status' | 'step' | 'state'
>;

/** The state of an operation in progress; null once it has ended. */
const currentState = sql<
  OperationRow['state'] | null
>`case when finished_at is null then state end`.as('state');

/** Whether the server of an operation in progress is protected against its deletion; null once it has ended. */
const isProtected = sql<boolean | null>`case when finished_at is null then
  (select protects_delete from servers where servers.id = operations.server_id) end`.as(
  'protects_delete',
);

type InProgress = { state: OperationRow['state'] | null; protects_delete: boolean | null };

/** An operation on a server. */
export type FoundOperation = ShownOperation & InProgress;
/** An operation in a list, without outputs: those of a single operation may have 256 KiB. */
export type ListedOperation = Omit<FoundOperation, 'commands'> & {
  commands: Omit<CommandResult, 'output'>[] | null;
};

const withoutOutputs = sql<
  ListedOperation['commands']
>`case when commands is not null then coalesce(
  (select jsonb_agg(result - 'output' order by place)
   from jsonb_array_elements(commands) with ordinality as results (result, place)), '[]') end`;

/** The columns that a client waiting for an operation needs. */
export const waitedColumns = [
  'id',
  'kind',
  'server_id',
  'status',
  'progress',
  'message',
  'error',
  'attempts',
] as const;

export type WaitedOperation = Pick<OperationRow, (typeof waitedColumns)[number]>;
export type LastOperation = WaitedOperation & Pick<ShownOperation, 'user_data'>;

/** The last operation of a server, whether or not it has ended, except those that were cancelled. */
export async function lastOperation(
  rows: ProjectRows,
  serverId: number,
): Promise<LastOperation | undefined> {
  const [row] = await rows.run(lastOfServer, { serverId });
  return row;
}

const lastOfServer = (rows: ProjectRows, { serverId }: { serverId: number }) =>
  rows
    .select('operations')
    .select(waitedColumns)
    .select(userDataReport)
    .where('server_id', '=', serverId)
    .where('status', '<>', 'cancelled')
    .orderBy('id', 'desc')
    .limit(1);

/** The last operation of one of these kinds, except those that were cancelled, which have changed nothing. */
export async function lastOperationOf(
  rows: ProjectRows,
  serverId: number,
  kinds: string[],
): Promise<Pick<OperationRow, 'kind' | 'status' | 'state'> | undefined> {
  return await rows
    .select('operations')
    .select(['kind', 'status', 'state'])
    .where('server_id', '=', serverId)
    .where(sql<boolean>`kind = any(${kinds}::text[])`)
    .where('status', '<>', 'cancelled')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The create of a server. */
export async function createOf(project: Project, serverId: number): Promise<WaitedOperation> {
  return await project
    .select('operations')
    .select(waitedColumns)
    .where('server_id', '=', serverId)
    .where('kind', '=', 'create')
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
}

/** An operation of a project; administrators can find those of any. */
export async function findOperation(
  rows: ProjectRows,
  id: number,
): Promise<FoundOperation | undefined> {
  const [row] = await rows.run(operationById, { id });
  return row;
}

const operationById = (rows: ProjectRows, { id }: { id: number }) =>
  rows
    .select('operations')
    .select(shownColumns)
    .select([userDataReport, currentState, isProtected])
    .where('project_id', 'is not', null)
    .where('id', '=', id);

/** The project of an operation on a server. */
export async function projectOfOperation(
  rows: ProjectRows,
  id: number,
): Promise<{ id: number; name: string } | undefined> {
  return await rows
    .select('operations')
    .innerJoin('projects', 'projects.id', 'operations.project_id')
    .select(['projects.id', 'projects.name'])
    .where('operations.id', '=', id)
    .executeTakeFirst();
}

/**
 * The result of one command of an operation; `index` counts from 0. Undefined if the operation was
 * not found, null if it has not run that command.
 */
export async function findCommand(
  rows: ProjectRows,
  id: number,
  index: number,
): Promise<CommandResult | null | undefined> {
  const row = await rows
    .select('operations')
    .select(sql<CommandResult | null>`commands -> ${index}::integer`.as('command'))
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.command;
}

/** Filters of the list. Each field matches any of its values. */
export interface OperationFilters {
  server_id?: number[] | undefined;
  status?: OperationRow['status'][] | undefined;
  kind?: string[] | undefined;
  /** Of the labels of their servers. */
  selector?: Selector | undefined;
  /** When the operation was requested. */
  from?: string | undefined;
  to?: string | undefined;
}

export interface OperationOrder {
  sort: 'id' | 'created_at';
  descending: boolean;
}

/**
 * Operations on servers, including deleted ones, without the outputs of their commands. With a selector, each page is
 * read as of one time, since a change of a server's labels would otherwise hide its operations although both its old and
 * its new ones are selected.
 */
export function listOperations(
  rows: ProjectRows,
  { selector, ...filters }: OperationFilters,
  order: OperationOrder,
): Listing<ListedOperation> {
  if (!selector) return operationsIn(rows, filters, order);
  return snapshotListing<ProjectRows, ListedOperation>(rows, async (own) =>
    operationsIn(own, { ...filters, labels: await selectLabels(own, selector) }, order),
  );
}

function operationsIn(
  rows: ProjectRows,
  filters: Omit<OperationFilters, 'selector'> & { labels?: Selected },
  order: OperationOrder,
): Listing<ListedOperation> {
  const { server_id, status, kind, labels } = filters;
  const query = rows
    .select('operations')
    .select(listedColumns)
    .select(userDataReport)
    .select([withoutOutputs.as('commands'), currentState, isProtected])
    .where('project_id', 'is not', null)
    .where(hasAnyOf({ server_id, status, kind }))
    .where(isWithin('created_at', filters))
    .where(labels ? isOnSelected(rows, labels) : sql<boolean>`true`);
  return listing(query, { ...order, id: 'id' });
}

/** Matches operations on existing servers. A deleted server has no set of labels. */
function isOnSelected(rows: ProjectRows, labels: Selected) {
  const servers = rows
    .select('servers')
    .select('servers.id')
    .where('servers.deleted_at', 'is', null)
    .where(isSelected('servers', labels));
  return sql<boolean>`${planned} operations.server_id in (${servers})`;
}
