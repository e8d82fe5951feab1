import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { serverBody } from '../service/src/testing/servers.ts';
import { newPublicKey } from '../service/src/testing/ssh-keys.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { isWhole, nothingIsLeft, runningServer } from './servers.ts';

// Tests a new server that is set up by cloud-init or from files. every-step.test.ts tests this with every fault, and
// e2e/first-start.long.test.ts in real guests.

const cloudInitOff = '/etc/cloud/cloud-init.disabled';
const hostKey = '/etc/ssh/ssh_host_ed25519_key';

for (const fromFiles of [true, false]) {
  describe(`a server that is set up ${fromFiles ? 'from files' : 'by cloud-init'}`, () => {
    let laboratory: Laboratory;
    before(async () => {
      laboratory = await openLaboratory();
      if (fromFiles) return;
      const images = laboratory.simulator.model.projects.get(project)?.images.values() ?? [];
      for (const image of images) image.properties = {};
    });
    after(() => laboratory.close());

    const content = async (name: string, path: string) =>
      (await laboratory.client.files.pull(name, path, 10_000))?.content.toString();

    async function remove(id: number): Promise<void> {
      await succeeds(laboratory, await laboratory.request(id, 'delete'));
      await nothingIsLeft(laboratory, id);
    }

    it('runs its commands once and in order, over its own reboots', async () => {
      const commands = ['reboot', 'exit 3', 'poweroff', 'echo end > /root/end'];
      const { serverId, operation } = await laboratory.create('commands', commands);
      await succeeds(laboratory, operation);
      const { commands: results } = await laboratory.ended(operation.id);
      const statuses = (results ?? []).map(({ exit_status: status }) => status);
      assert.deepEqual(statuses, [0, 0, 3, 0, 0]);
      await isWhole(laboratory, serverId);
      const { name } = await laboratory.server(serverId);
      assert.equal(await content(name, '/root/end'), 'end\n');
      await remove(serverId);
    });

    it('has cloud-init, or what that would do for it', async () => {
      const { id, name } = await runningServer(laboratory, 'web-1.example.org');
      const isThere = async (path: string) => (await content(name, path)) !== undefined;
      assert.equal(await isThere(cloudInitOff), fromFiles);
      assert.equal(await isThere(hostKey), fromFiles);
      if (fromFiles) {
        assert.equal(await content(name, '/etc/hostname'), 'web-1\n');
        assert.match(
          (await content(name, '/etc/netplan/50-cloud-init.yaml')) ?? '',
          /"10\.9\.0\.\d+\//,
        );
      }
      await remove(id);
    });

    it('keeps nothing of what was handed over to it', async () => {
      const { id, name } = await runningServer(laboratory, 'secrets');
      for (const left of ['', '/handover', '/runner', '/progress']) {
        assert.equal(await content(name, `/var/lib/berth${left}`), undefined);
      }
      const { config } = (await laboratory.client.instances.get(name)) ?? {};
      assert.doesNotMatch(JSON.stringify(config), /\$6\$|PRIVATE KEY/);
      await remove(id);
    });

    it('lets in the keys of its project, whatever becomes of them, and no password', async () => {
      const public_key = newPublicKey();
      const key = await laboratory.post('/ssh-keys', undefined, { name: 'laptop', public_key });
      assert.equal(key.statusCode, 201, key.body);
      const { password: _, ...body } = serverBody(laboratory.place, { name: 'by-key' });
      const wish = { ...body, ssh_keys: ['laptop'], password_login: false };
      const made = await laboratory.post('/servers', undefined, wish);
      assert.equal(made.statusCode, 201, made.body);
      const { id, operation } = made.json();
      const { status, message } = await laboratory.ended(operation.id);
      assert.equal(status, 'succeeded', message);
      const { name } = await laboratory.server(id);
      assert.equal(await content(name, '/root/.ssh/authorized_keys'), `${public_key}\n`);
      const settings = await content(name, '/etc/ssh/sshd_config.d/00-berth.conf');
      assert.match(settings ?? '', /^PasswordAuthentication no$/m);
      const { config } = (await laboratory.client.instances.get(name)) ?? {};
      assert.match(config?.['cloud-init.user-data'] ?? '', /"ssh_pwauth": false/);
      await remove(id);
    });

    it('shares no host key with another one', async () => {
      const servers = await Promise.all(
        ['one', 'two'].map((one) => runningServer(laboratory, one)),
      );
      const keys = await Promise.all(servers.map(({ name }) => content(name, hostKey)));
      if (fromFiles) assert.equal(new Set(keys).size, 2);
      // Those of cloud-init are made in the guest.
      else assert.deepEqual(keys, [undefined, undefined]);
      await Promise.all(servers.map(({ id }) => remove(id)));
    });
  });
}
