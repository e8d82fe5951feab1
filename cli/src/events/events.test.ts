import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, problem, serve } from '../../../client/testing/server.ts';
import { signedIn } from '../../testing/signed-in.ts';
import type { Schemas } from '../schemas.ts';

const { berth, database, inTerminal } = await signedIn();

const cordon = (is: boolean) => database.pool.query('update nodes set cordoned = $1', [is]);

test('events are listed, and filtered', async () => {
  await cordon(true);
  await cordon(false);
  const { stdout, stderr } = await berth(['event', 'list', '--type', 'node.cordoned']);
  assert.match(
    stdout,
    /^ID +AT +TYPE +SERVER ID +ABOUT\n\d+ +\S+ \S+ UTC +node.cordoned +- +\S+\n$/,
  );
  assert.equal(stderr, '');
  const listed = await berth(['event', 'list', '-o', 'json']);
  const all = JSON.parse(listed.stdout) as Schemas['Event'][];
  assert.deepEqual(all.map(({ type }) => type).slice(-2), ['node.cordoned', 'node.online']);
  const after = ['--after', String(all.at(-2)?.id)];
  const rest = await berth(['event', 'list', ...after, '-o', 'name']);
  assert.equal(rest.stdout, `${all.at(-1)?.id}\n`);
  const last = await berth(['event', 'list', '--limit', '2', '-o', 'name']);
  assert.equal(last.stdout, `${all.at(-2)?.id}\n${all.at(-1)?.id}\n`);
  const filtered = ['--type', 'node.cordoned', '--limit', '1'];
  const cordoned = await berth(['event', 'list', ...filtered, '-o', 'name']);
  assert.equal(cordoned.stdout, `${all.at(-2)?.id}\n`);
  const first = await berth(['event', 'list', '--after', '0', '--limit', '1', '-o', 'name']);
  assert.equal(first.stdout, `${all[0]?.id}\n`);
  assert.equal((await berth(['event', 'list', '--limit', '0', '-o', 'json'])).stdout, '[]\n');
  const wrong = await berth(['event', 'list', '--type', 'node.exploded']);
  assert.equal(wrong.status, 2);
});

test('events are printed as they happen, until Ctrl-C', async () => {
  const stopping = new AbortController();
  const watching = inTerminal(['event', 'watch', '--after', '0', '--type', 'node.cordoned'], {
    signal: stopping.signal,
  });
  await watching.sees('node.cordoned');
  await cordon(true);
  await watching.sees('node.cordoned');
  stopping.abort();
  assert.equal((await watching.ended()).status, 130);
});

test('as JSON, each event is a line', async () => {
  const stopping = new AbortController();
  const watching = inTerminal(['event', 'watch', '--after', '0', '-o', 'json'], {
    signal: stopping.signal,
  });
  await watching.sees('"type":"node.online"');
  stopping.abort();
  await watching.ended();
  assert.match(watching.shown(), /^\{"id":\d+,.*\}\r?$/m);
});

test('the last events are found although earlier ones are no longer kept', async () => {
  const event = { id: 7, at: '2026-11-27T18:00:00Z', type: 'node.online', data: {} };
  const end = { 'Last-Event-ID': '7' };
  const { url, requests } = await serve([
    json([event], end),
    problem(410, 'events_gone'),
    json([event], end),
  ]);
  const env = { BERTH_URL: url, BERTH_TOKEN: 'berth_x' };
  const { stdout, stderr } = await berth(['event', 'list', '--limit', '2', '-o', 'name'], { env });
  assert.deepEqual([stdout, stderr], ['7\n', '']);
  const after = requests.map((one) => new URL(one.url, url).searchParams.get('after'));
  assert.deepEqual(after, ['0', '5', '0']);
});
