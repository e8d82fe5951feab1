import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listenOnSocket, stop, temporaryDirectory } from '../incus/test-server.ts';
import { isOfSharedOutage } from '../lib/outage.ts';
import { keptLog } from '../testing/canaries.ts';
import { createEngines } from './engines.ts';

const directory = temporaryDirectory();
after(() => directory.remove());

const at = (name: string) => ({
  ...{ id: 1, name: 'local', incus_project: 'p' },
  engine: { socket_path: directory.file(name) },
});

test('each part that comes upon an Incus that is away finds it logged, with the name of the location', async (t) => {
  const { log, lines } = keptLog();
  const engines = createEngines({ log });
  t.after(() => engines.close());
  for (let part = 0; part < 3; part += 1) {
    const error = await engines
      .of(at('nobody'))
      .server.info()
      .catch((thrown: unknown) => thrown);
    assert.ok(isOfSharedOutage(error));
  }
  assert.equal(lines.length, 1);
  const { location, reason, where } = JSON.parse(lines[0] ?? '');
  assert.equal(location, 'local');
  assert.match(reason, /ENOENT/);
  assert.match(where, /nobody/);
  assert.ok(engines.outageOf(at('nobody')).isAway());
});

test('a location that is renamed is logged by its new name', async (t) => {
  const { log, lines } = keptLog();
  const engines = createEngines({ log });
  t.after(() => engines.close());
  const client = engines.of(at('nobody'));
  engines.outageOf({ id: 1, name: 'renamed' });
  await assert.rejects(client.server.info());
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).location),
    ['renamed'],
  );
});

test('a call that is cut off because its location is reached elsewhere now is no outage', async (t) => {
  const { log, lines } = keptLog();
  const engines = createEngines({ log });
  t.after(() => engines.close());
  const asked = Promise.withResolvers<void>();
  const server = await listenOnSocket(directory.file('silent'), () => asked.resolve());
  t.after(() => stop(server));
  const call = engines.of(at('silent')).server.info();
  await asked.promise;
  engines.of(at('nobody'));
  await assert.rejects(call, { code: 'unreachable' });
  assert.deepEqual(lines, []);
});
