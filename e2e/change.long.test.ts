import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Operation } from '@berth/contract/operations';
import type { Server, ServerUpdated } from '@berth/contract/servers';
import { imageAlias } from '../service/src/images/images.ts';
import { createIncusClient } from '../service/src/incus/client.ts';
import {
  call,
  created,
  incusProject,
  incusSocket,
  operations,
  primaryAddress,
  remove,
  untilIdle,
  view,
} from './api.ts';
import { incus } from './incus.ts';
import { ssh, untilSsh } from './ssh.ts';

// Tests updates of servers in real guests, with both ways in which they are set up.

const onIncus = (...args: string[]) =>
  incus({ socketPath: incusSocket(), names: { project: incusProject() } }, args);

const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
after(() => client.close());

const image = imageAlias('debian-12');
const property = 'berth.first-start';

const ways = [
  { way: 'from files', prepare: async () => undefined },
  { way: 'by cloud-init', prepare: () => onIncus('image', 'unset-property', image, property) },
];

/** Updates a server, and waits for the end of its operation. */
async function update(id: number, body: object): Promise<ServerUpdated> {
  const waits = { prefer: 'wait=60' };
  const answer = await call<ServerUpdated>('PATCH', `/v1/servers/${id}`, body, waits);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { operation } = answer.body;
  assert.equal(answer.headers.get('operation-id'), operation ? String(operation.id) : null);
  if (operation) assert.equal(operation.status, 'succeeded');
  return answer.body;
}

async function act(id: number, action: string): Promise<void> {
  const { status } = await call('POST', `/v1/servers/${id}/${action}`);
  assert.equal(status, 202);
  await untilIdle(id);
}

/** Its names as its guest has them: of the system, and in full. */
async function namesIn(server: Server): Promise<string> {
  const address = primaryAddress(server);
  await untilSsh(address);
  return await ssh(address, 'hostname; hostname -f; cat /etc/hostname');
}

const names = (full: string) => {
  const [short] = full.split('.');
  return `${short}\n${full}\n${short}`;
};

for (const { way, prepare } of ways) {
  describe(`a server that is set up ${way}`, () => {
    before(prepare);
    after(() => onIncus('image', 'set-property', image, property, '1'));

    it('is renamed at once while it runs, and keeps its name', async () => {
      const server = await created({ name: 'before.example.org' });
      const { id, uuid } = server;
      const address = primaryAddress(server);
      const on = (command: string) => ssh(address, command);
      const machine = await on('cat /etc/machine-id');
      await on('sed -i "s/^127.0.1.1.*/& alias/" /etc/hosts; echo "192.0.2.1 other" >> /etc/hosts');
      const modes = 'stat -c "%a %U" /etc/hostname /etc/hosts';
      const modesBefore = await on(modes);
      const booted = await on('cat /proc/sys/kernel/random/boot_id');

      const renamed = await update(id, { name: 'after.example.net' });
      assert.deepEqual([renamed.hostname, renamed.status], ['after.example.net', 'started']);
      assert.equal(await namesIn(server), names('after.example.net'));
      assert.equal(await on('cat /proc/sys/kernel/random/boot_id'), booted, 'it was not restarted');
      assert.equal(
        await on('grep -E "^127.0.1.1|other" /etc/hosts'),
        '127.0.1.1 after.example.net after alias\n192.0.2.1 other',
      );
      assert.equal(await on('grep -c before /etc/hosts || true'), '0');
      assert.equal(await on(modes), modesBefore);

      await act(id, 'restart');
      assert.equal(await namesIn(server), names('after.example.net'));
      assert.match(await on('cat /etc/hosts'), /^127\.0\.1\.1\s+after\.example\.net after alias$/m);
      assert.equal(await on('systemctl is-system-running --wait'), 'running');
      assert.equal(await on('cat /etc/machine-id'), machine, 'it was not set up again');
      const instance = await client.instances.get(`srv-${uuid}`);
      // A new value would have cloud-init set the guest up again.
      const recorded = way === 'from files' ? 'after.example.net' : 'before.example.org';
      assert.match(
        instance?.config['cloud-init.user-data'] ?? '',
        new RegExp(`"fqdn": "${recorded}"`),
      );
      await remove(id);
    });

    it('has a new name at its next start if it is stopped', async () => {
      const server = await created({ name: 'before' });
      const { id } = server;
      await act(id, 'stop');
      const renamed = await update(id, { name: 'later.example.org' });
      assert.deepEqual([renamed.hostname, renamed.status], ['later.example.org', 'stopped']);
      assert.equal((await view(id)).status, 'stopped');
      await act(id, 'start');
      assert.equal(await namesIn(server), names('later.example.org'));
      // It is not created again, and its keys are the same.
      const kinds = (await operations(id)).map(({ kind }) => kind);
      assert.deepEqual(kinds.sort(), ['create', 'rename', 'start', 'stop']);
      await remove(id);
    });
  });
}

describe('a running server', () => {
  it('whose guest has no program to change its name has it from its next start on', async () => {
    const server = await created({ name: 'stubborn' });
    const { id } = server;
    const address = primaryAddress(server);
    await ssh(address, 'chmod -x "$(command -v hostname)" "$(command -v hostnamectl)"');
    const asked = await call<ServerUpdated>('PATCH', `/v1/servers/${id}`, { name: 'willing' });
    assert.equal(asked.status, 200);
    await untilIdle(id);
    const { body } = await call<Operation>('GET', `/v1/operations/${asked.body.operation?.id}`);
    assert.deepEqual([body.status, body.error?.code], ['failed', 'rename_incomplete']);
    assert.equal((await view(id)).status, 'started');
    assert.equal(await ssh(address, 'cat /proc/sys/kernel/hostname'), 'stubborn');
    await act(id, 'restart');
    await untilSsh(address);
    assert.equal(await ssh(address, 'cat /proc/sys/kernel/hostname'), 'willing');
    await remove(id);
  });

  it('has labels, notes and protection, which its guest does not notice', async () => {
    const server = await created({ name: 'labelled' });
    const { id } = server;
    const settings = { labels: { e2e: 'change' }, notes: 'Keep.', protection: { delete: true } };
    const updated = await update(id, settings);
    assert.deepEqual([updated.labels, updated.notes], [settings.labels, settings.notes]);
    assert.equal(updated.operation, undefined);
    const listed = await call<Server[]>('GET', '/v1/servers?label_selector=e2e%20in%20(change)');
    assert.deepEqual(
      listed.body.map((one) => one.id),
      [id],
    );
    const refused = await call<{ code: string }>('DELETE', `/v1/servers/${id}`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'protected']);
    assert.equal(await namesIn(server), names('labelled'));
    await update(id, { protection: { delete: false } });
    await remove(id);
  });
});
