import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { deleteOldEvents } from '../retention/event-queries.ts';
import { openUnread, startEventServices } from '../testing/event-services.ts';
import { until } from '../testing/until.ts';

const { db, place, ends, startService, two, token, follow, resumeAfter } =
  await startEventServices();

/** Enters events of 20 KB. */
const enter = (count: number) =>
  sql`insert into event_outbox (type, project_id, data)
    select 'server.started', ${place.projectId}, ${JSON.stringify({ text: 'x'.repeat(20_000) })}::jsonb
    from generate_series(1, ${count})`.execute(db);

describe('a stream whose client does not read', () => {
  const cases = {
    'one at a time': { all: 20, atOnce: 1 },
    'all at once': { all: 400, atOnce: 400 },
  };
  for (const [how, { all, atOnce }] of Object.entries(cases)) {
    test(`it is cut off if events are written ${how}, and resumes`, async () => {
      const impatient = await startService({ behindMs: 1500 });
      const reader = await follow(impatient.url);
      const from = reader.lastId;
      const before = ends.length;
      openUnread(impatient.app, resumeAfter(from));
      for (let written = 0; written < all; written += atOnce) {
        await enter(atOnce);
        await reader.count(written + atOnce);
      }
      await until(
        'it is cut off',
        () => ends.slice(before),
        (seen) => seen.includes('slow'),
      );
      const resumed = await follow(two.url, resumeAfter(from));
      await resumed.count(all);
      assert.deepEqual(resumed.events, reader.events);
      await impatient.stop();
    });
  }

  test('it goes on if the client reads in time', async () => {
    const service = await startService();
    const reader = await follow(service.url);
    const client = openUnread(service.app, resumeAfter(reader.lastId));
    await enter(20);
    await reader.count(20);
    client.setEncoding('utf8');
    let read = '';
    client.on('data', (part) => {
      read += part;
    });
    await until('it has the last event', () => read.includes(`id: ${reader.lastId}\n`));
    assert.equal(read.match(/^event: /gm)?.length, 20);
    await service.stop();
  });

  test('it ends if events that the client has missed are removed, which is then told so', async () => {
    const service = await startService();
    const reader = await follow(two.url);
    const from = reader.lastId;
    // More than a service keeps in memory.
    await enter(300);
    await reader.count(300);
    const before = ends.length;
    const client = openUnread(service.app, resumeAfter(from));
    await until('it is sent a part', () => client.readableLength > 0);
    await sql`update events set at = '2020-01-01'`.execute(db);
    await deleteOldEvents(db, new Date('2021-01-01'));
    const sent = await text(client);
    assert.ok((sent.match(/^event: /gm)?.length ?? 0) < 300);
    assert.deepEqual(ends.slice(before), ['gone']);
    await assert.rejects(follow(two.url, resumeAfter(from)), /410.*events_gone/);
    await service.stop();
  });
});

test('a heartbeat does not begin a stream before its headers', async () => {
  const restless = await startService({ heartbeatMs: 1 });
  const response = await fetch(restless.url, token);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  await response.body?.cancel();
  await restless.stop();
});
