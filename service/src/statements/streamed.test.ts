import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Statement } from '@berth/contract/statements';
import { sql } from 'kysely';
import { enterServer } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const { db, place, ask, close } = await createWholeApp();
after(close);
const path = `/projects/${place.projectId}/statement`;

/** More servers than are read, or sent, at once. */
const many = 1200;

test('a statement with many servers is streamed, complete and in order, as JSON and as CSV', async () => {
  const first = await enterServer(db, place, { status: 'stopped' });
  await sql`insert into servers overriding system value
    select (jsonb_populate_record(servers, jsonb_build_object(
      'id', servers.id + number, 'uuid', gen_random_uuid(), 'hostname', 'many-' || number,
      'mac', gen_random_uuid()))).*
    from servers, generate_series(1, ${many}::integer) as number where servers.id = ${first}`.execute(
    db,
  );
  const answer = await ask('GET', path);
  assert.equal(
    answer.headers['content-length'],
    undefined,
    'the response is not created as a whole',
  );
  const { servers, project_id } = answer.json() as Statement;
  assert.equal(project_id, place.projectId);
  const ids = servers.map(({ server_id }) => server_id);
  assert.deepEqual(
    ids,
    Array.from({ length: many + 1 }, (_, at) => first + at),
  );
  const csv = await ask('GET', `${path}.csv`);
  assert.equal(csv.headers['content-length'], undefined);
  const [, ...lines] = csv.body.trimEnd().split('\r\n');
  assert.deepEqual(
    lines.map((line) => Number(line.split(',')[0])),
    ids,
  );
});

test('a statement without servers is valid', async () => {
  const { servers, month, prices } = (await ask('GET', `${path}?month=2020-02`)).json();
  assert.deepEqual([servers, month, prices], [[], '2020-02', []]);
  const csv = await ask('GET', `${path}.csv?month=2020-02`);
  assert.match(csv.body, /^server_id,[^\n]+\r\n$/);
});
