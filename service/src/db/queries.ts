import type { Queryable } from './connection.ts';

/** The id that labels what this installation made in Incus. */
export async function installationId(db: Queryable): Promise<string> {
  const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  return id;
}
