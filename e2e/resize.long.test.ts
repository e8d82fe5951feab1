import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Server, ServerResize } from '@berth/contract/servers';
import { eventually } from '../service/src/testing/until.ts';
import { call, created, incusProject, operations, primaryAddress, remove, view } from './api.ts';
import { countedGroups, poolMount } from './full-guests.ts';
import { ssh, untilSsh } from './ssh.ts';

// Tests that a guest gets the size that its server is given, and nothing beyond it.

const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;
const mount = await poolMount();

interface Answer {
  code?: string;
  detail?: string;
}

/** Resizes a server, and waits until the operation has ended. */
async function resize({ id }: Server, wanted: ServerResize, status = 202): Promise<Answer> {
  const path = `/v1/servers/${id}/resize`;
  const answer = await call<Answer>('POST', path, wanted, { prefer: 'wait=60' });
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}

const inGuest = (server: Server, command: string) => ssh(primaryAddress(server), command);

/** The cores that the guest can use, and its memory limit in MiB. */
async function seen(server: Server): Promise<[cores: number, ramMb: number]> {
  const told = await inGuest(server, "nproc; awk '/MemTotal/ {print $2}' /proc/meminfo");
  const [cores, kibibytes] = told.split('\n').map(Number);
  return [cores ?? 0, (kibibytes ?? 0) / 1024];
}

async function groupOf({ uuid }: Server) {
  const group = (await countedGroups(mount)).get(`containers/${incusProject()}_srv-${uuid}`);
  if (!group) throw new Error(`${uuid} has no group.`);
  return group;
}

/** Makes the guest write until its disk is full. Returns the bytes that are charged to it. */
async function fill(server: Server, gigabytes: number): Promise<number> {
  const more = `/root/fill-$(date +%s%N)`;
  await inGuest(server, `head -c ${gigabytes}G /dev/urandom > ${more}; sync; true`);
  return (await groupOf(server)).charged;
}

test('a running server gets cores, memory and disk at once', async (t) => {
  const server = await created({ cpu: 1, ram: 512, disk: 2 });
  assert.deepEqual(await seen(server), [1, 512]);
  // The file is gone after a restart.
  await inGuest(server, 'touch /run/same-run');
  const full = await fill(server, 3);
  assert.ok(full > 2 * gibibyte - mebibyte && full <= 2 * gibibyte, `${full} bytes`);

  const since = performance.now();
  await resize(server, { cpu: 2, ram: 1024, disk: 3 });
  // Incus distributes cores a moment later.
  await eventually(async () => assert.deepEqual(await seen(server), [2, 1024]));
  t.diagnostic(`Its guest saw its size after ${Math.round(performance.now() - since)} ms.`);
  const { specifications } = await view(server.id);
  assert.deepEqual(specifications, { cpu: 2, ram: 1024, disk: 3 });
  assert.equal((await groupOf(server)).limit, 3 * gibibyte);
  const fuller = await fill(server, 2);
  assert.ok(fuller > 3 * gibibyte - mebibyte && fuller <= 3 * gibibyte, `${fuller} bytes`);

  await resize(server, { cpu: 1, ram: 512 });
  await eventually(async () => assert.deepEqual(await seen(server), [1, 512]));
  assert.equal(await inGuest(server, 'ls /run/same-run'), '/run/same-run');
  await remove(server.id);
});

test('memory that a guest has in use is not taken from it', async () => {
  const server = await created({ ram: 768 });
  await inGuest(server, 'head -c 400M /dev/zero > /dev/shm/fill');
  // Incus caches its metrics for some seconds.
  await eventually(async () => {
    const { code, detail = '' } = await resize(server, { ram: 384 }, 409);
    assert.equal(code, 'memory_in_use');
    assert.match(detail, /uses (4|5)\d\d MiB of memory, and would have 384 MiB/);
  });
  assert.equal((await view(server.id)).specifications.ram, 768);
  assert.equal((await seen(server))[1], 768);
  assert.equal(await inGuest(server, 'stat -c %s /dev/shm/fill'), String(400 * mebibyte));
  await inGuest(server, 'rm /dev/shm/fill');
  await eventually(async () => void (await resize(server, { ram: 384 })));
  assert.equal((await seen(server))[1], 384);
  await remove(server.id);
});

test('a stopped server has its new size when it is started, and a disk does not shrink', async () => {
  const server = await created({ cpu: 1, ram: 512, disk: 2 });
  const act = (action: string) =>
    call('POST', `/v1/servers/${server.id}/${action}`, {}, { prefer: 'wait=60' });
  await act('stop');
  await resize(server, { cpu: 2, ram: 256, disk: 4 });
  const { detail = '' } = await resize(server, { disk: 2 }, 422);
  assert.match(detail, /can't shrink/);
  await act('start');
  await untilSsh(primaryAddress(server));
  await eventually(async () => assert.deepEqual(await seen(server), [2, 256]));
  assert.equal((await groupOf(server)).limit, 4 * gibibyte);
  const [last] = (await operations(server.id)).filter(({ kind }) => kind === 'resize');
  assert.equal(last?.status, 'succeeded');
  await remove(server.id);
});
