import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import type { Server } from '@berth/contract/servers';
import { createIncusClient } from '../service/src/incus/client.ts';
import { toolEntry } from '../service/src/testing/tool.ts';
import { eventually, until } from '../service/src/testing/until.ts';
import {
  call,
  create,
  created,
  directory,
  incusPool,
  incusProject,
  incusSocket,
  metrics,
  operations,
  primaryAddress,
  remove,
  untilIdle,
  view,
} from './api.ts';
import { assertNoSubvolumes, createSubvolumes } from './attacks/subvolumes.ts';
import { incus } from './incus.ts';
import { dataDirectory } from './service.ts';
import { ssh, sshLast, sshSend, untilSsh } from './ssh.ts';

// Attacks of root in a guest on its host and its neighbours.

const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
after(() => client.close());
const incusCommand = (...args: string[]) =>
  incus({ socketPath: incusSocket(), names: { project: incusProject() } }, args);
const disk = 2;

const inspect = ({ id }: Server) => inspected('server', String(id));

async function inspected(...what: string[]): Promise<string> {
  const env = { ...process.env, BERTH_DATA_DIR: dataDirectory(directory()) };
  const args = [toolEntry, 'inspect', ...what];
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}

/** The result of the last sync with the engine, which runs every minute. */
async function untilUnconfined(servers: number): Promise<void> {
  const told = new RegExp(`^berth_servers_unconfined\\{location="local"\\} ${servers}$`, 'm');
  await until(`${servers} are reported as unconfined`, metrics, (all) => told.test(all), 180);
}

test('root in a guest can not exceed the quota of its disk', async () => {
  const server = await created({ disk });
  await assertNoSubvolumes(server);
  assert.match(await inspect(server), /^confined +yes$/m);
  const address = primaryAddress(server);
  // Programs that try to create a subvolume get a directory, as on other file systems.
  const line = 'v /srv/wanted 0755 root root -';
  const wanted = `echo '${line}' > /etc/tmpfiles.d/x.conf && systemd-tmpfiles --create x.conf && ls -d /srv/wanted`;
  assert.equal(await ssh(address, wanted), '/srv/wanted');
  const fill = `head -c ${disk + 1}G /dev/zero > /root/fill; sync; stat -c %s /root/fill`;
  const written = Number(await ssh(address, fill));
  assert.ok(written > 0 && written < disk * 2 ** 30, `${written} bytes were written`);
  const shown = async () => (await view(server.id)).usage.disk;
  // Without the data that it shares with its image.
  await until('its disk use is shown', shown, (used) => used >= written / 2 ** 30 - 0.1, 180);
  assert.ok((await shown()) <= disk);
  await remove(server.id);
});

test('a server of an earlier version is confined from its next start on', async () => {
  const server = await created({ disk });
  const name = `srv-${server.uuid}`;
  const address = primaryAddress(server);
  await incusCommand('stop', name);
  await incusCommand('config', 'unset', name, 'security.syscalls.deny');
  await incusCommand('start', name);
  await untilSsh(address);
  const made = (await createSubvolumes(server)).filter(([, , result]) => result === 'made');
  assert.ok(made.length >= 6, 'the attack works where it is not denied');
  assert.match(await inspect(server), /^confined +no, .* when it is next started$/m);
  await untilUnconfined(1);
  assert.match(await inspected('location', 'local'), new RegExp(`^unconfined +${name}: `, 'm'));
  assert.match(await inspect(server), /^subvolumes +[1-9]\d*, which .*attack.*rm -r/m);
  // The guest restarts by itself, and is confined from then on.
  await sshLast(address, 'nohup reboot >/dev/null 2>&1 &');
  await eventually(async () => assert.match(await inspect(server), /^confined +yes$/m), 180);
  await untilSsh(address);
  // They still exist, and a confined guest can remove them.
  assert.match(await inspect(server), /^subvolumes +[1-9]/m);
  assert.notEqual(await ssh(address, 'find / -xdev -mindepth 1 -type d -inum 256'), '');
  await ssh(address, 'rm -r /attack*');
  assert.match(await inspect(server), /^subvolumes +none$/m);
  await assertNoSubvolumes(server);
  await untilUnconfined(0);
  assert.match(await inspected('location', 'local'), /^unconfined +none$/m);
  await call('POST', `/v1/servers/${server.id}/stop`, {});
  await untilIdle(server.id);
  await incusCommand('config', 'unset', name, 'security.syscalls.deny');
  await call('POST', `/v1/servers/${server.id}/start`, {});
  await untilIdle(server.id);
  await untilSsh(address);
  await assertNoSubvolumes(server);
  await remove(server.id);
});

const report = '/var/lib/berth/progress';
const replacements = {
  'a FIFO': `mkfifo ${report}`,
  'a device without an end': `touch ${report}; mount --bind /dev/zero ${report}`,
  'a file of 3 GB': `truncate -s 3G ${report}`,
  'a directory': `mkdir ${report}`,
  'a link': `ln -s /dev/zero ${report}`,
};

test('a guest that replaces its progress file fails its create with an explanation, and can be deleted', async () => {
  const servers = await Promise.all(
    Object.values(replacements).map(async (replace) => {
      const command = `rm ${report}; ${replace}; sleep 600`;
      return await create({ initialCommands: [command] });
    }),
  );
  for (const { id } of servers) {
    await untilIdle(id);
    const [operation] = await operations(id);
    assert.equal(operation?.error?.code, 'guest_report_replaced', operation?.message);
    assert.match(operation?.message ?? '', /\/var\/lib\/berth\/progress.*Create it again/);
    assert.equal((await view(id)).status, 'error');
  }
  await Promise.all(servers.map(({ id }) => remove(id)));
});

/** Creates pairs of interfaces with both ends in the guest. */
const pairs = 5000;

test('a guest with ten thousand interfaces does not prevent the metering of others', async () => {
  const [server, neighbour] = await Promise.all([created({ disk, ram: 2048 }), created({ disk })]);
  const address = primaryAddress(server);
  // It would read each of them.
  await ssh(address, 'systemctl stop systemd-udevd\\* || true');
  for (let from = 0; from < pairs; from += 1000) {
    const links = Array.from(
      { length: 1000 },
      (_, at) => `link add a${from + at} type veth peer name b${from + at}`,
    );
    await sshSend(address, 'ip -batch -', `${links.join('\n')}\n`);
  }
  assert.ok(Number(await ssh(address, 'ls /sys/class/net | wc -l')) > 2 * pairs);
  // This server is not in any scrape of its node yet.
  const late = await created({ disk });
  const volume = { type: 'container', name: `srv-${server.uuid}` };
  const options = { timeoutSeconds: 120 };
  const took = async (what: string, asked: Promise<unknown>) => {
    const begun = performance.now();
    const ended = await asked.then(
      () => 'is read',
      (error: unknown) => `ends in ${error}`,
    );
    console.log(`${2 * pairs} interfaces: ${what} ${ended} after ${performance.now() - begun} ms`);
  };
  const drain = async (pieces: AsyncIterable<Buffer>) => {
    for await (const _ of pieces);
  };
  await took('its disk', client.storage.getVolumeState(incusPool(), volume, options));
  await took('its usage', client.instances.getUse(volume.name, options));
  await took('the usage of its node', client.server.metrics(undefined, drain, options));
  const since = Date.now();
  const isNew = (at: string | null) => at !== null && Date.parse(at) > since;
  const readTimes = async () => {
    const others = await Promise.all([neighbour, late].map(({ id }) => view(id)));
    const { usage: own } = await view(server.id);
    return [
      ...others.map(({ usage }) => usage.read_at),
      ...[own, ...others.map(({ usage }) => usage)].flatMap(({ disk_read_at, traffic }) => [
        disk_read_at,
        traffic.read_at,
      ]),
    ];
  };
  await until('everything has been read again', readTimes, (times) => times.every(isNew), 300);
  for (const { id } of [server, neighbour, late]) await remove(id);
});
