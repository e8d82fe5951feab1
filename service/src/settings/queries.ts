import type { Selectable } from 'kysely';
import type { Queryable, Trx } from '../db/connection.ts';
import type { Database } from '../db/schema/schema.ts';

/** The settings that administrators can change. */
const columns = ['audit_months', 'operations_months', 'outputs_days'] as const;
export type SettingsRow = Pick<Selectable<Database['settings']>, (typeof columns)[number]>;

export async function findSettings(db: Queryable): Promise<SettingsRow> {
  return await db.selectFrom('settings').select(columns).executeTakeFirstOrThrow();
}

/** Locks the settings, so that changes run one after the other. */
export async function lockSettings(trx: Trx): Promise<SettingsRow> {
  return await trx.selectFrom('settings').select(columns).forUpdate().executeTakeFirstOrThrow();
}

export async function updateSettings(trx: Trx, row: SettingsRow): Promise<void> {
  await trx.updateTable('settings').set(row).execute();
}
