import { type Generated, type GeneratedAlways, sql } from 'kysely';
import { beginsWith, isNamed } from '../db/filters.ts';
import { type Listing, listing } from '../db/listing.ts';
import type { Project } from '../db/project.ts';
import type { Timestamp } from '../db/schema/timestamp-schema.ts';

interface WebhooksTable {
  id: GeneratedAlways<number>;
  project_id: number;
  name: string;
  url: string;
  /** Empty for all types. */
  types: string[];
  label_selector: string;
  header_names: string[];
  /** Encrypted, see secrets.ts. Null once the webhook was deleted. */
  secrets: Buffer | null;
  former_secret_until: Timestamp | null;
  enabled: Generated<boolean>;
  failing_since: Timestamp | null;
  paused_at: Timestamp | null;
  paused_because: 'failing' | 'gone' | null;
  last_success_at: Timestamp | null;
  created_at: Timestamp;
  deleted_at: Timestamp | null;
}

declare module '../db/schema/schema.ts' {
  interface Database {
    webhooks: WebhooksTable;
  }
}

const shown = [
  ...(['id', 'name', 'url', 'types', 'label_selector', 'header_names', 'enabled'] as const),
  ...(['failing_since', 'paused_at', 'paused_because', 'last_success_at'] as const),
  ...(['project_id', 'created_at'] as const),
] as const;

/** Null once the former secret is no longer used. */
const formerUntil = sql<string | null>`
  case when former_secret_until > now() then former_secret_until end`.as('former_secret_until');

function shownWebhooks(project: Project) {
  return project
    .select('webhooks')
    .select([...shown])
    .select(formerUntil)
    .where('deleted_at', 'is', null);
}

export type ShownWebhook = NonNullable<Awaited<ReturnType<typeof findWebhook>>>;

/** Ordered by id. */
export function listWebhooks(
  project: Project,
  { q }: { q?: string | undefined } = {},
): Listing<ShownWebhook> {
  return listing(shownWebhooks(project).where(beginsWith(['name'], q)), { id: 'id' });
}

export async function findWebhook(project: Project, id: number) {
  return await shownWebhooks(project).where('id', '=', id).executeTakeFirst();
}

/** One at most. */
export async function findWebhooksNamed(project: Project, name: string): Promise<ShownWebhook[]> {
  return await shownWebhooks(project).where(isNamed('name', name)).execute();
}

export async function countWebhooks(project: Project): Promise<number> {
  const { count } = await project
    .select('webhooks')
    .select(sql<number>`count(*)`.as('count'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** The encrypted secrets of a webhook. */
export async function findSecrets(project: Project, id: number): Promise<Buffer | null> {
  const row = await project
    .select('webhooks')
    .select('secrets')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.secrets ?? null;
}

export interface WebhookValues {
  name: string;
  url: string;
  types: string[];
  label_selector: string;
  header_names: string[];
  enabled: boolean;
}

/** `seal` encrypts the secrets for the new id. */
export async function insertWebhook(
  project: Project,
  values: WebhookValues,
  seal: (id: number) => Buffer,
): Promise<number> {
  const inserted = project.insert('webhooks', values).returning('id');
  const { id } = await inserted.executeTakeFirstOrThrow();
  await setSecrets(project, id, { secrets: seal(id) });
  return id;
}

export async function updateWebhook(
  project: Project,
  id: number,
  values: Partial<WebhookValues & { failing_since: null }>,
): Promise<void> {
  if (Object.keys(values).length === 0) return;
  await project.update('webhooks').set(values).where('id', '=', id).execute();
}

/** Ends a pause, and forgets the failures before. */
export async function resumeWebhook(project: Project, id: number): Promise<void> {
  await project
    .update('webhooks')
    .set({ paused_at: null, paused_because: null, failing_since: null })
    .where('id', '=', id)
    .execute();
}

/** `formerHours` is set if these secrets have a former one. */
export async function setSecrets(
  project: Project,
  id: number,
  { secrets, formerHours }: { secrets: Buffer; formerHours?: number },
): Promise<void> {
  const until =
    formerHours === undefined
      ? {}
      : { former_secret_until: sql<string>`now() + make_interval(hours => ${formerHours})` };
  await project
    .update('webhooks')
    .set({ secrets, ...until })
    .where('id', '=', id)
    .execute();
}

/** Its deliveries are removed later: there may be very many. */
export async function markWebhookDeleted(project: Project, id: number): Promise<void> {
  await project
    .update('webhooks')
    .set({ deleted_at: sql<string>`now()`, secrets: null })
    .where('id', '=', id)
    .execute();
}
