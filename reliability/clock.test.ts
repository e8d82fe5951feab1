import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { until } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

// Tests a clock that is set back by an hour, after which recorded times are an hour ahead. The
// tests move the times instead of the clock, which has the same effect.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory();
});
after(() => laboratory.close());

async function setClockBack(): Promise<void> {
  const { db } = laboratory.database;
  await sql`
    update operations set wake_at = wake_at + interval '1 hour',
      lease_until = lease_until + interval '1 hour', deadline_at = deadline_at + interval '1 hour',
      step_since = step_since + interval '1 hour', started_at = started_at + interval '1 hour'
  `.execute(db);
  await sql`update servers set real_status_at = real_status_at + interval '1 hour'`.execute(db);
}

test('waiting operations continue, and so does one whose worker is gone', async () => {
  const created = await Promise.all(['one', 'two', 'three'].map((name) => laboratory.create(name)));
  const { db } = laboratory.database;
  await sql`
    update operations set lease_holder = gen_random_uuid(), lease_until = now() + interval '10 seconds',
      fence = fence + 1 where id = ${created[0]?.operation.id ?? 0} and finished_at is null
  `.execute(db);
  await setClockBack();
  for (const { operation } of created) {
    assert.equal((await laboratory.ended(operation.id)).status, 'succeeded');
  }
});

test('the engine’s observed state is accepted', async () => {
  const { serverId, operation } = await laboratory.create('seen');
  await laboratory.ended(operation.id);
  await setClockBack();
  const { name } = await laboratory.server(serverId);
  await laboratory.client.instances.updateState(name, { action: 'stop', force: true });
  await until(
    'the server is shown as stopped',
    () => laboratory.server(serverId),
    ({ status }) => status === 'stopped',
  );
});
