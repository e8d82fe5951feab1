import { sql } from 'kysely';
import type { Db, Queryable, Trx } from '../db/connection.ts';
import type { DriftKind } from '../drift/queries.ts';
import { insertDrift } from '../drift/sweep-queries.ts';
import { instanceName } from '../instances/labels.ts';
import type { Difference } from '../servers/engine/drift.ts';
import type { InstanceFacts } from '../servers/engine/facts.ts';
import type { Installation } from './fixtures.ts';

interface EnteredDrift {
  /** The server that is changed or missing; without it, an instance is unknown. */
  serverId?: number;
  isMissing?: boolean;
  instance?: string;
  /** The other Incus project that a foreign instance is in. */
  incusProject?: string;
  since?: string;
  /** What differs, by default the number of cores. */
  differences?: Difference[];
  /** What is known of an unknown or a foreign instance. */
  facts?: Partial<InstanceFacts>;
  /** Whether only one sweep has seen it. */
  isNew?: boolean;
}

const usualFacts: InstanceFacts = {
  ...{ mac: '10:66:6a:00:00:01', cpu: 1, ramMb: 256, diskGb: 2 },
  ...{ addresses: ['10.9.0.99'], obstacles: [] },
};

const cores = { path: 'config.limits.cpu', expected: '1', found: '8' };

/** Inserts a drift record, as two sweeps do. Returns its id. */
export const enterDrift = (db: Db, of: Installation, drift?: EnteredDrift): Promise<number> =>
  db.transaction().execute((trx) => enterDriftIn(trx, of, drift));

/** The same as part of a transaction, between whose begin and end no sweep sees it. */
export async function enterDriftIn(
  trx: Trx,
  { locationId, nodeId }: Installation,
  {
    serverId,
    isMissing = false,
    isNew = false,
    instance,
    incusProject,
    since,
    ...more
  }: EnteredDrift = {},
): Promise<number> {
  const name = instance ?? (await nameOf(trx, serverId));
  const ofNone = incusProject === undefined ? 'unknown_instance' : 'foreign_instance';
  const kind: DriftKind =
    serverId === undefined ? ofNone : isMissing ? 'missing_instance' : 'changed';
  const ofInstance = {
    path: 'instance',
    expected: isMissing ? name : null,
    found: isMissing ? null : name,
  };
  const differences = more.differences ?? [kind === 'changed' ? cores : ofInstance];
  const seen = differences.map((one) => ({
    ...one,
    since: since ?? '2026-11-21T04:32:50.120000Z',
    ...{ confirmed: !isNew, forgotten: false },
  }));
  const facts = serverId === undefined ? { ...usualFacts, ...more.facts } : null;
  const row = {
    ...{ kind, instance: name, incusProject: incusProject ?? null, nodeId },
    ...{ serverId: serverId ?? null, differences: seen, facts },
  };
  await insertDrift(trx, locationId, row);
  const query = trx
    .selectFrom('drift')
    .select('id')
    .where('instance', '=', name)
    .where(sql<boolean>`incus_project is not distinct from ${incusProject ?? null}`);
  return (await query.executeTakeFirstOrThrow()).id;
}

async function nameOf(db: Queryable, serverId: number | undefined): Promise<string> {
  if (serverId === undefined) return 'by-hand';
  const query = db.selectFrom('servers').select('uuid').where('id', '=', serverId);
  return instanceName((await query.executeTakeFirstOrThrow()).uuid);
}
