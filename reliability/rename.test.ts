import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Fault } from '../incus-sim/src/faults.ts';
import type { Entry } from '../incus-sim/src/tree.ts';
import { newHosts } from '../service/src/guests/host-name.ts';
import { until } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { runningServer } from './servers.ts';

// Tests what a rename does in a guest. every-step.test.ts tests it with every fault, and e2e/change.long.test.ts in real
// guests.

const root = { uid: 0, gid: 0, mode: 0o644 };
const entry = (type: Entry['type'], content = ''): Entry => ({
  ...{ ...root, type, content: Buffer.from(content) },
});

const hosts = '127.0.0.1 localhost\n127.0.1.1\tweb-1.example.org web-1 alias\n10.0.0.7 web-1\n';
const settings = 'cloud_init_modules:\n - set_hostname\n - update_etc_hosts\n - users_groups\n';

for (const fromFiles of [true, false]) {
  describe(`the rename of a server that was set up ${fromFiles ? 'from files' : 'by cloud-init'}`, () => {
    let laboratory: Laboratory;
    before(async () => {
      laboratory = await openLaboratory();
      if (fromFiles) return;
      const images = laboratory.simulator.model.projects.get(project)?.images.values() ?? [];
      for (const image of images) image.properties = {};
    });
    after(() => laboratory.close());

    function instanceOf(name: string) {
      const found = laboratory.simulator.model.projects.get(project)?.instances.get(name);
      assert.ok(found);
      return found;
    }

    const content = (name: string, path: string) =>
      instanceOf(name).files.get(path)?.content.toString();

    async function entered(hostname = 'web-1.example.org') {
      const server = await runningServer(laboratory, hostname);
      const { files } = instanceOf(server.name);
      files.set('/etc/hosts', entry('file', hosts));
      files.set('/etc/cloud/cloud.cfg', entry('file', settings));
      return server;
    }

    const rename = async (id: number, to: string) => {
      const { id: operationId } = await laboratory.rename(id, to);
      return await laboratory.ended(operationId);
    };

    it('changes its files, its configuration, and at once its name', async () => {
      const { id, name } = await entered();
      const before = instanceOf(name).config['cloud-init.user-data'];
      const { status, message } = await rename(id, 'web-2.example.org');
      assert.deepEqual(
        [status, message],
        ['succeeded', 'The server was renamed to web-2.example.org.'],
      );
      assert.equal(instanceOf(name).run?.guestName, 'web-2');
      assert.equal(content(name, '/etc/hostname'), 'web-2\n');
      assert.equal(
        content(name, '/etc/hosts'),
        '127.0.0.1 localhost\n127.0.1.1 web-2.example.org web-2 alias\n10.0.0.7 web-1\n',
      );
      // It must not be set up again.
      const own = instanceOf(name).config['cloud-init.user-data'];
      const wanted = fromFiles ? before?.replaceAll('web-1', 'web-2') : before;
      assert.equal(own, wanted);
      const left = fromFiles ? settings : settings.replace(' - update_etc_hosts\n', '');
      assert.equal(content(name, '/etc/cloud/cloud.cfg'), left);
      const { hostname, status: shown } = await laboratory.ask(`/servers/${id}`);
      assert.deepEqual([hostname, shown], ['web-2.example.org', 'started']);
      await succeeds(laboratory, await laboratory.request(id, 'restart'));
      assert.equal(instanceOf(name).run?.guestName, 'web-2');
    });

    it('of a server with user data keeps its cloud-init from writing the former name', async () => {
      const user_data = '#!/bin/sh\necho data >> /root/data\n';
      const { serverId: id, operation } = await laboratory.create('web-1', [], { user_data });
      await succeeds(laboratory, operation);
      const { name } = await laboratory.server(id);
      const { files } = instanceOf(name);
      files.set('/etc/cloud/cloud.cfg', entry('file', settings));
      assert.equal((await rename(id, 'web-9')).status, 'succeeded');
      const left = settings.replace(' - update_etc_hosts\n', '');
      assert.equal(content(name, '/etc/cloud/cloud.cfg'), left);
      const metaData = content(name, '/var/lib/cloud/seed/nocloud/meta-data');
      assert.match(metaData ?? '', /"local-hostname":"web-1"/, 'it must not be set up again');
      await succeeds(laboratory, await laboratory.request(id, 'restart'));
      assert.equal(instanceOf(name).run?.guestName, 'web-9');
      assert.equal(content(name, '/root/data'), 'data\n');
    });

    it('gives a stopped server its name at its next start', async () => {
      const { id, name } = await entered();
      await succeeds(laboratory, await laboratory.request(id, 'stop'));
      assert.equal((await rename(id, 'web-3')).status, 'succeeded');
      assert.equal((await laboratory.server(id)).status, 'stopped');
      assert.equal(instanceOf(name).run, undefined);
      await succeeds(laboratory, await laboratory.request(id, 'start'));
      assert.equal(instanceOf(name).run?.guestName, 'web-3');
      assert.match(content(name, '/etc/hosts') ?? '', /^127\.0\.1\.1 web-3 alias$/m);
    });

    it('leaves alone what is not a file in the place of /etc/hosts, and replaces others', async () => {
      const { id, name } = await entered();
      const { files } = instanceOf(name);
      files.set('/etc/hosts', entry('symlink', '/run/hosts'));
      files.set('/etc/hostname', entry('symlink', '/run/hostname'));
      assert.equal((await rename(id, 'web-4')).status, 'succeeded');
      assert.deepEqual(files.get('/etc/hosts'), entry('symlink', '/run/hosts'));
      assert.deepEqual(files.get('/etc/hostname'), entry('file', 'web-4\n'));
      // Incus would block on these.
      files.set('/etc/hosts', entry('fifo'));
      files.set('/etc/hostname', entry('fifo'));
      assert.equal((await rename(id, 'web-5')).status, 'succeeded');
      assert.deepEqual(files.get('/etc/hosts'), entry('file', newHosts('web-5')));
      assert.deepEqual(files.get('/etc/hostname'), entry('file', 'web-5\n'));
    });

    it('keeps bytes of any encoding in /etc/hosts', async () => {
      const { id, name } = await entered();
      const odd = Buffer.from([0x23, 0xff, 0xfe, 0x00, 0xe4, 0x0a]);
      instanceOf(name).files.set('/etc/hosts', { ...entry('file'), content: odd });
      assert.equal((await rename(id, 'web-6')).status, 'succeeded');
      const wanted = Buffer.concat([Buffer.from('127.0.1.1 web-6\n'), odd]);
      assert.deepEqual(instanceOf(name).files.get('/etc/hosts')?.content, wanted);
    });

    /** Renames a server. The engine is killed when it has only opened its first file for writing. */
    async function renameInterrupted(id: number, to: string, how: Fault) {
      const { name } = await laboratory.server(id);
      const { faults } = laboratory.simulator;
      const first = { method: 'POST', path: `${name}/files$`, times: 1 };
      const goOn = faults.add({ kind: 'delay', ms: 60_000, ...first });
      faults.add({ ...how, ...first });
      const { id: operationId } = await laboratory.rename(id, to);
      await until(
        'it writes a file',
        () => faults.delayed(),
        (count) => count > 0,
      );
      const emptied = ['/etc/hosts', ...(fromFiles ? [] : ['/etc/cloud/cloud.cfg'])];
      for (const path of emptied) instanceOf(name).files.set(path, entry('file'));
      return { goOn, ended: () => laboratory.ended(operationId) };
    }

    const drop = { kind: 'drop', when: 'before' } as const;

    const isWhole = (name: string, own: string, more = '') => {
      const wanted = `127.0.0.1 localhost\n127.0.1.1 ${own} alias\n10.0.0.7 web-1\n${more}`;
      assert.equal(content(name, '/etc/hosts'), wanted);
      const left = fromFiles ? settings : settings.replace(' - update_etc_hosts\n', '');
      assert.equal(content(name, '/etc/cloud/cloud.cfg'), left);
    };

    it('loses nothing if the engine is killed while it writes a file', async () => {
      const { id, name } = await entered();
      const { goOn, ended } = await renameInterrupted(id, 'web-9', drop);
      goOn();
      assert.equal((await ended()).status, 'succeeded');
      isWhole(name, 'web-9');
    });

    it('keeps what somebody writes to a file meanwhile', async () => {
      const { id, name } = await entered();
      const { goOn, ended } = await renameInterrupted(id, 'web-10', drop);
      const { files } = instanceOf(name);
      files.set('/etc/hosts', entry('file', `${hosts}10.0.0.8 mine\n`));
      goOn();
      assert.equal((await ended()).status, 'succeeded');
      isWhole(name, 'web-10', '10.0.0.8 mine\n');
    });

    it('after one that failed while it wrote a file loses nothing, and leaves no earlier name', async () => {
      const { id, name } = await entered();
      const error = { kind: 'error', status: 400, text: 'Broken.' } as const;
      const { goOn, ended } = await renameInterrupted(id, 'web-11.example.org', error);
      goOn();
      assert.equal((await ended()).status, 'failed');
      assert.equal((await rename(id, 'web-12')).status, 'succeeded');
      isWhole(name, 'web-12');
    });

    it('that the running guest does not take over says so, and can be repeated', async () => {
      const { id, name } = await entered();
      for (const programs of ['missing', 'fails', 'hangs'] as const) {
        laboratory.simulator.faults.guest(name, { programs });
        const failed = await rename(id, 'web-7');
        assert.deepEqual([failed.status, failed.error?.code], ['failed', 'rename_incomplete']);
        assert.equal((await laboratory.server(id)).status, 'started');
        assert.equal(content(name, '/etc/hostname'), 'web-7\n');
      }
      laboratory.simulator.faults.guest(name, {});
      assert.equal((await rename(id, 'web-7')).status, 'succeeded');
      assert.equal(instanceOf(name).run?.guestName, 'web-7');
      await assert.rejects(laboratory.rename(id, 'web-7'), /nothing to rename/);
    });

    it('of a server that is paused meanwhile fails, and can be repeated', async () => {
      const { id, name } = await entered();
      const { administrator, faults } = laboratory.simulator;
      const goOn = faults.add({
        kind: 'delay',
        ms: 60_000,
        method: 'HEAD',
        path: `${name}/files$`,
      });
      const begun = await laboratory.rename(id, 'web-8');
      await until(
        'it reads a file',
        () => faults.delayed(),
        (count) => count > 0,
      );
      administrator.freeze(project, name);
      goOn();
      assert.equal((await laboratory.ended(begun.id)).error?.code, 'guest_paused');
      const status = async () => (await laboratory.server(id)).status;
      await until('it is seen to be paused', status, (seen) => seen === 'paused');
      administrator.unfreeze(project, name);
      await until('it is seen to run', status, (seen) => seen === 'started');
      assert.equal((await rename(id, 'web-8')).status, 'succeeded');
    });
  });
}
