import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { serve } from '../../client/testing/server.ts';
import { createHome } from '../testing/terminal.ts';
import { connectTo } from './cli.ts';
import { createProgress } from './progress.ts';

test('a terminal shows that a request waits to be sent again', async () => {
  const { inTerminal } = createHome({ BERTH_URL: 'http://127.0.0.1:1', BERTH_TOKEN: 'berth_x' });
  const session = inTerminal(['server', 'list']);
  await session.sees('Waiting for 127.0.0.1:1');
  await session.sees('The connection to the service failed');
  await session.sees('Check that Berth runs');
  assert.equal((await session.ended()).status, 7);
});

test('a request whose response does not begin within two minutes fails', async (t) => {
  const received = Promise.withResolvers<void>();
  const { url } = await serve([() => received.resolve()]);
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const io = { env: {}, stdin, stdout, stderr, signal, openBrowser: async () => false };
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const berth = connectTo(io, createProgress(io), { url, retries: 0 });
  const failing = assert.rejects(berth.GET('/v1/servers'), {
    code: 'connection_failed',
    detail: /no response within 120 seconds/,
  });
  await received.promise;
  t.mock.timers.tick(120_000);
  await failing;
});
