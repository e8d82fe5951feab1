import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startsFromFiles } from '../../service/src/guests/first-start.ts';
import { handoverFiles } from '../../service/src/guests/handover.ts';
import { type RootLogin, sshdSettings } from '../../service/src/guests/login.ts';
import {
  type GuestProgress,
  longestProgressBytes,
  readProgress,
  resultPaths,
} from '../../service/src/guests/report.ts';
import type { IncusEvent } from '../../service/src/incus/events.ts';
import { EngineError } from '../../service/src/incus/transport/errors.ts';
import { follow, isLifecycle } from './follow.ts';
import { createInstance, start } from './guests.ts';
import { until, useTarget } from './target.ts';

const target = useTarget();
const login: RootLogin = {
  passwordHash: '$6$contract$x',
  authorizedKeys: ["ssh-ed25519 AAAA it's one", 'ssh-ed25519 BBBB'],
  passwordLogin: false,
};

const commands = [
  'echo one; exit 3',
  ['echo', 'a b', '"c"'],
  "echo 'quoted; not run' && false",
  'echo kept > /root/kept',
  'poweroff',
  'echo after',
];

/** While a container shuts down, Incus loses the connection to its files. */
function unlessPassing(error: unknown): void {
  assert.ok(error instanceof EngineError && error.retryable, String(error));
}

const ways = [
  { way: 'cloud-init', fromFiles: false, script: '/var/lib/cloud/scripts/per-boot/00-berth' },
  { way: 'a unit of its image', fromFiles: true, script: '/var/lib/berth/runner' },
];

for (const { way, fromFiles, script } of ways) {
  describe(`a new guest whose boot ends with ${way}`, () => {
    it('runs its handover once, also if that powers it off', async () => {
      const { client } = target;
      const { name, config } = await createInstance(target, 'guest');
      const network = config['cloud-init.network-config'] ?? '';
      const firstStart = fromFiles ? { hostname: 'contract', network } : undefined;
      for (const { path, ...file } of handoverFiles({ login, commands }, firstStart)) {
        await client.files.push(name, path, file);
      }
      const content = async (path: string) =>
        (await client.files.pull(name, path, longestProgressBytes))?.content ?? null;
      const seen: GuestProgress[] = [await readProgress(content, commands.length)];
      assert.equal(seen[0]?.phase, 'booting');

      const events = await follow(target);
      const isEnd = (event: IncusEvent) =>
        isLifecycle(event) && event.action === 'instance-shutdown' && event.instance === name;
      await start(target, name);
      // Its status is not reliable: Incus shows it as stopped, as running again, and then as
      // stopped.
      await until('it powers itself off', 60, async () => {
        await readProgress(content, commands.length).then((now) => seen.push(now), unlessPassing);
        return events.some(isEnd);
      });
      // Incus sends the event just before it releases the instance, which it shows as running until
      // then.
      const status = async () => (await client.instances.get(name))?.status;
      await until('it is shown as stopped', 30, async () => (await status()) === 'Stopped');
      assert.equal(await content('/var/lib/berth/handover'), null);
      assert.equal((await content('/root/kept'))?.toString(), 'kept\n');
      const keys = await client.files.pull(name, '/root/.ssh/authorized_keys', 10_000);
      assert.deepEqual(
        [keys?.uid, keys?.mode, keys?.content.toString()],
        [0, 0o600, "ssh-ed25519 AAAA it's one\nssh-ed25519 BBBB\n"],
      );
      const settings = await content('/etc/ssh/sshd_config.d/00-berth.conf');
      assert.equal(settings?.toString(), `${sshdSettings(login)}\n`);

      await start(target, name);
      const last = await until('its commands have ended', 60, async () => {
        const progress = await readProgress(content, commands.length);
        seen.push(progress);
        return progress.phase === 'done' && progress;
      });
      const times = last.results.map(({ duration_ms }) => duration_ms);
      assert.ok(times.every(Number.isInteger), String(times));
      const results = last.results.map(({ duration_ms: _, ...result }) => result);
      assert.deepEqual(
        { ...last, results },
        {
          phase: 'done',
          finished: 6,
          results: [
            { exit_status: 3, output: 'one\n' },
            { exit_status: 0, output: 'a b "c"\n' },
            { exit_status: 1, output: 'quoted; not run\n' },
            { exit_status: 0, output: '' },
            { exit_status: 0, output: '' },
            { exit_status: 0, output: 'after\n' },
          ],
          sshReady: true,
          awaitsUserData: false,
          userData: null,
        },
      );
      const counts = seen.map(({ finished }) => finished);
      assert.deepEqual(counts, [...counts].sort(), 'its progress never decreases');
      // The guest reports its end, and then removes its working files and, last, its script.
      await until('its script is gone', 30, async () => (await content(script)) === null);
      for (const path of resultPaths) await client.files.delete(name, path);
    });

    it('carries out its user data first, and says what is wrong with it', async () => {
      const script = '#!/bin/sh\necho data >> /root/order\nexit 3\n';
      const ran = await withUserData(script, ['echo command >> /root/order']);
      assert.equal(ran.order, 'data\ncommand\n');
      const { status, errors } = JSON.parse(ran.userData?.status ?? '');
      assert.equal(status, 'error');
      assert.match(errors.join(), /scripts.user.*1 failures/);
      assert.equal(ran.userData?.schema, '');
    });

    it('leaves out user data that is broken', async () => {
      const ran = await withUserData('#cloud-config\nruncmd: [\n', []);
      assert.equal(JSON.parse(ran.userData?.status ?? '').status, 'done');
      assert.match(ran.userData?.schema ?? '', /Cloud config schema errors: format-l\d+\.c\d+: /);
    });

    it('continues with its commands after its user data has restarted it', async () => {
      const restarts =
        '#cloud-config\nruncmd:\n  - echo data >> /root/order\npower_state:\n  mode: reboot\n';
      const ran = await withUserData(restarts, ['echo command >> /root/order']);
      assert.equal(ran.order, 'data\ncommand\n');
      assert.equal(JSON.parse(ran.userData?.status ?? '').status, 'done');
    });

    /** The report of a guest at its end, and what it wrote to `/root/order`. */
    async function withUserData(userData: string, guestCommands: string[]) {
      const { client } = target;
      const { name, config } = await createInstance(target, 'user-data');
      const network = config['cloud-init.network-config'] ?? '';
      const hostname = 'contract';
      const seed = {
        ...{ instanceId: name, hostname, passwordLogin: login.passwordLogin, network },
        userData: Buffer.from(userData),
      };
      const handed = { login, commands: guestCommands, seed };
      const firstStart = fromFiles ? { hostname, network } : undefined;
      for (const { path, ...file } of handoverFiles(handed, firstStart)) {
        await client.files.push(name, path, file);
      }
      const content = async (path: string) =>
        (await client.files.pull(name, path, longestProgressBytes))?.content ?? null;
      await start(target, name);
      const progress = await until('it is done', 120, async () => {
        const now = await readProgress(content, guestCommands.length).catch((error) => {
          unlessPassing(error);
          return undefined;
        });
        return now?.phase === 'done' && now;
      });
      return { ...progress, order: (await content('/root/order'))?.toString() };
    }
  });
}

it('an instance has the properties of its image', async () => {
  const { name } = await createInstance(target, 'image');
  const instance = await target.client.instances.get(name);
  assert.ok(instance && startsFromFiles(instance), JSON.stringify(instance?.config));
});
