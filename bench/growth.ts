import { sql } from 'kysely';
import type { Service } from '../e2e/service.ts';
import type { Scope } from '../service/src/callers/app-types.ts';
import type { Db } from '../service/src/db/connection.ts';
import { maxKinds } from '../service/src/refusals/counts.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { createTestProject } from '../service/src/testing/people.ts';
import type { Attack } from './attacks.ts';
import { onDatabaseOf } from './hostile-rows.ts';

/** What an attack adds to the database. */
export interface Growth {
  /** What is counted, such as 'rows'. */
  unit: string;
  read(db: Db): Promise<number>;
  /** The most that an attack of so many minutes may add. */
  most(minutes: number): number;
}

/** The changes of a token that the service of the benchmark accepts: a minute, and at once. */
const changes = { aMinute: 60, burst: 1000 };
/** The setting of it, which is the default. */
export const changesLimit = `${changes.aMinute}/${changes.burst}`;

const quotaMib = 1;
/** How many tokens, or servers, are created at a time. */
const atOnce = 4;
const outputBytes = 256 * 1024;

/** Attacks that would fill the disk if nothing limited them. */
export const growingAttacks: readonly Attack[] = [
  {
    name: 'refused requests of one token, and refused sign-ins, from 250 addresses',
    program: 'many-refusals.ts',
    args: async (service) => {
      const token = await tokenOf(service, 'refused', ['servers:read']);
      return [String(service.port), token];
    },
    growth: {
      unit: 'entries in the audit log',
      read: lastEntry,
      // Of each kind two a minute, and one of all further kinds; of the token, and of strangers.
      most: (minutes) => 2 * (2 * maxKinds.ofCaller + 1) * minutes,
    },
  },
  {
    name: 'a token that creates and revokes tokens',
    program: 'cancelling-changes.ts',
    args: async (service) => {
      const token = await tokenOf(service, cancelling, ['servers:read', 'servers:write']);
      return [service.url, token, String(atOnce)];
    },
    growth: {
      unit: 'entries in the audit log',
      read: entriesOfCancelling,
      // A token that was created is revoked even beyond the limit.
      most: (minutes) => changes.burst + changes.aMinute * minutes + atOnce,
    },
  },
  {
    name: `creates that print 250 KiB, in a project with a quota of ${quotaMib} MiB`,
    program: 'printing-creates.ts',
    args: async (service) => {
      const token = await tokenOf(service, printing, ['servers:read', 'servers:write']);
      await onDatabaseOf(service, (db) =>
        db
          .updateTable('projects')
          .set({ max_outputs_mib: quotaMib })
          .where('name', '=', printing)
          .execute(),
      );
      return [service.url, token, String(atOnce)];
    },
    growth: {
      unit: 'bytes of stored outputs',
      read: storedBytes,
      // Until a create ends, its outputs do not count for the quota.
      most: () => quotaMib * 2 ** 20 + atOnce * outputBytes,
    },
  },
];

const cancelling = 'cancelling';
const printing = 'printing';

async function tokenOf(service: Service, project: string, scopes: Scope[]): Promise<string> {
  return await onDatabaseOf(service, async (db) => {
    await createTestProject(db, project);
    return (await createTestToken(db, { project, scopes })).token;
  });
}

/** The id of the last entry in the audit log: ids are consecutive. */
async function lastEntry(db: Db): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select coalesce(max(id), 0) as id from audit_entries`.execute(db);
  return rows[0]?.id ?? 0;
}

async function entriesOfCancelling(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from audit_entries
    where project_id = (select id from projects where name = ${cancelling})`.execute(db);
  return rows[0]?.count ?? 0;
}

async function storedBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_column_size(commands)), 0)::float8 as bytes
    from operations
    where project_id = (select id from projects where name = ${printing})`.execute(db);
  return rows[0]?.bytes ?? 0;
}
