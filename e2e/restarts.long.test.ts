import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createIncusClient } from '../service/src/incus/client.ts';
import { until } from '../service/src/testing/until.ts';
import {
  create,
  directory,
  incusPool,
  incusProject,
  incusSocket,
  operations,
  primaryAddress,
  remove,
  status,
  untilIdle,
  view,
} from './api.ts';
import { killDaemon } from './private-incus.ts';
import { currentService, startService, stopService } from './service.ts';
import { ssh, sshLast } from './ssh.ts';

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`a create continues when ${signal} ends the service during its commands`, async () => {
    const server = await create({
      initialCommands: [
        'echo 1 >> /root/ran; sleep 2',
        'echo 2 >> /root/ran; sleep 2',
        'echo 3 >> /root/ran',
      ],
    });
    await until(
      'a command runs',
      () => status(server.id),
      (now) => /running command/.test(now.status),
    );
    await stopService(directory(), signal);
    await startService(currentService(directory()));
    const seen = await untilIdle(server.id);
    const progress = seen.map((s) => s.progress);
    assert.deepEqual(
      progress,
      progress.toSorted((a, b) => a - b),
      'progress fell',
    );
    const [operation] = await operations(server.id);
    assert.deepEqual(
      operation?.commands?.map((command) => command.exit_status),
      [0, 0, 0],
    );
    assert.equal((await view(server.id)).status, 'started');
    assert.equal(await ssh(primaryAddress(server), 'cat /root/ran'), '1\n2\n3');
    await remove(server.id);
  });
}

test('an image that a killed daemon unpacked in part is unpacked again', async () => {
  const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
  const imageVolumes = async () =>
    (await client.storage.listVolumes(incusPool())).filter(({ type }) => type === 'image');
  try {
    for (const volume of await imageVolumes()) {
      await client.storage.deleteVolume(incusPool(), volume);
    }
    const server = await create({ initialCommands: ['echo ran >> /root/ran'] });
    await until('it is being unpacked', imageVolumes, ({ length }) => length > 0);
    await killDaemon(join(directory(), 'incus'));
    await untilIdle(server.id);
    assert.equal((await view(server.id)).status, 'started');
    assert.equal(
      await ssh(primaryAddress(server), 'dpkg --verify base-files; cat /root/ran'),
      'ran',
    );
    await remove(server.id);
  } finally {
    await client.close();
  }
});

test('a guest that stops while the service is down is noticed when it is back', async () => {
  const server = await create();
  await untilIdle(server.id);
  await stopService(directory(), 'SIGTERM');
  await sshLast(primaryAddress(server), 'nohup poweroff --force >/dev/null 2>&1 &');
  await startService(currentService(directory()));
  await until(
    'the server is stopped',
    () => view(server.id),
    ({ status: now }) => now === 'stopped',
  );
  await remove(server.id);
});
