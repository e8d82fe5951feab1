import { sql } from 'kysely';
import type { Queryable } from '../db/connection.ts';
import type { ReconcilerStatus } from './status.ts';

/** The time after which the statuses of a silent service are removed. */
const goneMinutes = 2;

/** Replaces the statuses of the reconcilers of a service, and removes those of services that are gone. */
export async function writeStatuses(
  db: Queryable,
  service: string,
  statuses: ReconcilerStatus[],
): Promise<void> {
  const rows = statuses.map(({ last, lastFailure, everySeconds, runningFor, ...status }) => ({
    ...status,
    every_seconds: everySeconds,
    running_for: runningFor,
    age: last?.age,
    key: last?.key,
    lag_seconds: last?.lagSeconds,
    seconds: last?.seconds,
    outcome: last?.outcome,
    found: last?.found,
    failed_age: lastFailure?.age,
    error: lastFailure?.error,
  }));
  await sql`
    with written as (
      insert into reconciler_statuses (service, reconciler, location, every_seconds, running_since,
        runs, ran_at, key, lag_seconds, seconds, outcome, found, failures, failed_at, error, reported_at)
      select ${service}, reconciler, location, every_seconds, now() - running_for * interval '1 second',
        runs, now() - age * interval '1 second', key, lag_seconds, seconds, outcome, found,
        failures, now() - failed_age * interval '1 second', error, now()
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as status (
        reconciler text, location text, every_seconds float8, running_for float8, runs bigint,
        age float8, key text, lag_seconds float8, seconds float8, outcome text, found jsonb,
        failures bigint, failed_age float8, error text)
      on conflict (service, reconciler, location) do update set
        every_seconds = excluded.every_seconds, running_since = excluded.running_since,
        runs = excluded.runs, ran_at = excluded.ran_at, key = excluded.key,
        lag_seconds = excluded.lag_seconds, seconds = excluded.seconds, outcome = excluded.outcome,
        found = excluded.found, failures = excluded.failures, failed_at = excluded.failed_at,
        error = excluded.error, reported_at = excluded.reported_at
      returning reconciler, location
    )
    delete from reconciler_statuses old
    where reported_at < now() - make_interval(mins => ${sql.lit(goneMinutes)}) and service <> ${service}
      or service = ${service}
        and not exists (select from written where (reconciler, location) = (old.reconciler, old.location))
  `.execute(db);
}
