import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  dataDirectory,
  serviceDirectory,
  serviceLog,
  startService,
  stopService,
} from '../../e2e/service.ts';
import { createIncusClient } from '../../service/src/incus/client.ts';
import { program, toolEntry } from '../../service/src/testing/tool.ts';
import { startSimulator } from '../src/simulator.ts';

// Tests what a start says about the security of an installation.

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const directory = serviceDirectory(stack, 'notes');
const socketPath = join(directory, 'incus.socket');
const simulator = await startSimulator({ listen: { socketPath } });
stack.defer(() => simulator.close());
const names = { project: 'notes', pool: 'notes', network: 'notes0' };
for (const project of ['theirs', names.project]) {
  simulator.plant({ ...names, project, imageAliases: ['berth-debian-12'] });
}

/** Starts a service, and returns what it has printed until it was ready. */
async function start(): Promise<string> {
  const before = readLog().length;
  await startService({ directory, socketPath, names });
  return readLog().slice(before);
}

function readLog(): string {
  const file = serviceLog(directory);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** An instance of another project on the network of the location. */
async function useNetwork() {
  const client = createIncusClient({ socketPath, project: 'theirs' });
  stack.defer(() => client.close());
  const signal = new AbortController().signal;
  const wait = (id: string) => client.operations.wait(id, { signal, timeoutSeconds: 60 });
  const { id } = await client.instances.create({
    ...{ name: 'web', type: 'container', source: { type: 'none' }, config: {}, profiles: [] },
    devices: {
      root: { type: 'disk', path: '/', pool: names.pool },
      eth0: { type: 'nic', name: 'eth0', network: names.network },
    },
  });
  await wait(id);
  return async () => {
    await wait((await client.instances.delete('web')).id);
  };
}

test('a start says that others use the network, and that a key is of an earlier release, until both are corrected', async () => {
  const stopUsing = await useNetwork();
  const dataDir = dataDirectory(directory);
  mkdirSync(dataDir, { recursive: true });
  // Without the word "bound", which later releases write.
  const key = `${randomBytes(32).toString('hex')}\n`;
  writeFileSync(join(dataDir, 'secret-key'), key, { mode: 0o600 });
  const shared =
    /Note: The network notes0 is also used by \/1\.0\/instances\/web\?project=theirs\. Therefore all of its IPv6 addresses can be reached from outside/;
  const unbound =
    /Note: \S+\/secret-key has a key of an earlier release\. .* run "npm run db -- rotate-key"\./;
  const first = await start();
  assert.match(first, shared);
  assert.match(first, unbound);

  await stopUsing();
  const rotate = program([toolEntry, 'db'], '', { BERTH_DATA_DIR: dataDir });
  const rotated = await rotate('rotate-key');
  assert.equal(rotated.code, 0, rotated.stderr);
  await stopService(directory, 'SIGTERM');
  const second = await start();
  assert.doesNotMatch(second, /is also used by/);
  assert.doesNotMatch(second, /earlier release/);
});
