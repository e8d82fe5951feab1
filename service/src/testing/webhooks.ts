import { sql } from 'kysely';
import type { Db } from '../db/connection.ts';
import { Project } from '../db/project.ts';
import { moveEvents } from '../events/feed-queries.ts';
import type { TargetRules } from '../webhooks/url.ts';
import { createWebhook } from '../webhooks/webhooks.ts';
import { testSecretKey } from './app.ts';

/** Receivers of tests are on this machine. */
export const looseTargets: TargetRules = { allowHttp: true, allowedNetworks: ['127.0.0.1/32'] };

interface Given {
  projectId: number;
  url: string;
  name?: string;
  types?: string[];
  label_selector?: string;
  headers?: Record<string, string>;
}

/** Inserts a webhook as a request would, and returns its id and its secret. */
export async function enterWebhook(
  db: Db,
  { projectId, name = `hook ${crypto.randomUUID().slice(0, 8)}`, ...body }: Given,
): Promise<{ id: number; secret: string }> {
  const { row, secret } = await db
    .transaction()
    .execute((trx) =>
      createWebhook(
        { trx, secretKey: testSecretKey, targets: looseTargets },
        new Project(db, projectId).in(trx),
        { ...body, name } as Parameters<typeof createWebhook>[2],
      ),
    );
  return { id: row.id, secret };
}

/** Writes an event of a project, as a trigger would, and returns its id. */
export async function enterEvent(
  db: Db,
  projectId: number | null,
  { type = 'server.started', labels = {}, serverId = 1 as number | null } = {},
): Promise<number> {
  await sql`
    insert into event_outbox (type, project_id, server_id, labels, data)
    values (${type}, ${projectId}, ${serverId}, ${JSON.stringify(labels)}, '{"server": {"id": 1}}')`.execute(
    db,
  );
  await moveEvents(db, 'inTurn');
  const { rows } = await sql<{ id: number }>`select max(id) as id from events`.execute(db);
  return rows[0]?.id ?? 0;
}
