import { type Selectable, sql } from 'kysely';
import { hasAnyOf, isWithin } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Project, ProjectRows } from '../db/project.ts';
import type { CommandResult, Database, Placement } from '../db/schema/schema.ts';
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
  const row = await project
    .insert('operations', {
      server_id: operation.serverId,
      parent_id: operation.parentId ?? null,
      placement: operation.placement ? JSON.stringify(operation.placement) : null,
      ...startColumns(operation),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const secrets = operation.secrets?.(row.id);
  if (secrets) {
    await project.update('operations').set({ secrets }).where('id', '=', row.id).execute();
  }
  await project.notify('operation_due', { id: row.id });
  return { ...row, secrets: secrets ?? null };
}

/** The operation in progress on a server, locked until the transaction ends. */
export async function unfinishedOperation(
  project: Project,
  serverId: number,
): Promise<OperationRow | undefined> {
  return await project
    .select('operations')
    .selectAll()
    .where('server_id', '=', serverId)
    .where('finished_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/** The message of an operation that was superseded, as in "Stopping the server was superseded by a forced stop." */
export function supersededMessage(by: string) {
  const title = sql`coalesce(${JSON.stringify(operationTitles)}::jsonb ->> kind, 'The operation')`;
  return sql<string>`${title} || ${` was superseded by ${by}.`}::text`;
}

/** The columns of an operation that was superseded. */
export function supersededBy(by: string) {
  const message = supersededMessage(by);
  return { status: 'superseded' as const, message, secrets: null, finished_at: sql<string>`now()` };
}

/**
 * Ends an operation because another one supersedes it. Its worker keeps the lease until its step
 * has ended; the other operation is not leased before that.
 */
export async function supersedeOperation(project: Project, id: number, by: string): Promise<void> {
  await project.update('operations').set(supersededBy(by)).where('id', '=', id).execute();
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

/** What the API shows of an operation: neither its secrets nor its state. */
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

export type ShownOperation = Pick<OperationRow, (typeof shownColumns)[number]>;
/** An operation in a list, without outputs: those of a single operation may have 256 KiB. */
export type ListedOperation = Omit<ShownOperation, 'commands'> & {
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

/** The last operation of a server, whether or not it has ended. */
export async function lastOperation(
  rows: ProjectRows,
  serverId: number,
): Promise<WaitedOperation | undefined> {
  return await rows
    .select('operations')
    .select(waitedColumns)
    .where('server_id', '=', serverId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The last operation of one of these kinds. */
export async function lastOperationOf(
  rows: ProjectRows,
  serverId: number,
  kinds: string[],
): Promise<WaitedOperation | undefined> {
  return await rows
    .select('operations')
    .select(waitedColumns)
    .where('server_id', '=', serverId)
    .where(sql<boolean>`kind = any(${kinds}::text[])`)
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
): Promise<ShownOperation | undefined> {
  return await rows
    .select('operations')
    .select(shownColumns)
    .where('project_id', 'is not', null)
    .where('id', '=', id)
    .executeTakeFirst();
}

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
  /** When the operation was requested. */
  from?: string | undefined;
  to?: string | undefined;
}

export interface OperationOrder {
  sort: 'id' | 'created_at';
  descending: boolean;
}

/** Operations on servers, including deleted ones, without the outputs of their commands. */
export function listOperations(
  rows: ProjectRows,
  filters: OperationFilters,
  order: OperationOrder,
): Listing<ListedOperation> {
  const { server_id, status, kind } = filters;
  const query = rows
    .select('operations')
    .select(listedColumns)
    .select(withoutOutputs.as('commands'))
    .where('project_id', 'is not', null)
    .where(hasAnyOf({ server_id, status, kind }))
    .where(isWithin('created_at', filters));
  return listing(query, { ...order, id: 'id' });
}
