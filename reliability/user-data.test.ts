import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { eventually } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';
import { isWhole } from './servers.ts';

// Tests user data in images that can start from files, and in others. every-step.test.ts tests it with every fault, and
// e2e/user-data.long.test.ts in real guests.

const seed = '/var/lib/cloud/seed/nocloud';
const canary = 'canary-83b1d0';

for (const fromFiles of [true, false]) {
  describe(`user data in ${fromFiles ? 'an image that can start from files' : 'another image'}`, () => {
    let laboratory: Laboratory;
    before(async () => {
      laboratory = await openLaboratory();
      if (fromFiles) return;
      const images = laboratory.simulator.model.projects.get(project)?.images.values() ?? [];
      for (const image of images) image.properties = {};
    });
    after(() => laboratory.close());

    const content = async (name: string, path: string) =>
      (await laboratory.client.files.pull(name, path, 100_000))?.content.toString();

    /** Creates a server, and returns how that ended. */
    async function created(user_data: string, commands: string[] = []) {
      const { serverId, operation } = await laboratory.create('web-1', commands, { user_data });
      const { status, message, state } = await laboratory.ended(operation.id);
      assert.equal(status, 'succeeded', message);
      const { name } = await laboratory.server(serverId);
      const { user_data: report } = await laboratory.ask(`/operations/${operation.id}`);
      return { serverId, name, message, state, report };
    }

    it('is carried out before the commands', async () => {
      const script = '#!/bin/sh\necho data >> /root/order\n';
      const command = 'echo command >> /root/order';
      const { serverId, name, message, report } = await created(script, [command]);
      assert.equal(await content(name, '/root/order'), 'data\ncommand\n');
      assert.deepEqual(
        [message, report],
        ['The server was created.', { status: 'done', errors: [] }],
      );
      await isWhole(laboratory, serverId);
    });

    it('is unpacked, and is not in the configuration of the instance', async () => {
      const text = `#cloud-config\nruncmd:\n  - echo ${canary} > /root/packed\n`;
      const { name, report } = await created(gzipSync(text).toString('base64'));
      assert.deepEqual(report, { status: 'done', errors: [] });
      assert.equal(await content(name, '/root/packed'), `${canary}\n`);
      assert.equal(await content(name, `${seed}/user-data`), text);
      const instance = await laboratory.client.instances.get(name);
      assert.ok(!JSON.stringify(instance).includes(canary));
    });

    it('that fails does not fail the create, which says so', async () => {
      const { serverId, message, report } = await created('#!/bin/sh\nexit 3\n');
      assert.match(
        message,
        /was created, but cloud-init reports errors in its user data; see user_data/,
      );
      const { status, errors } = report as { status: string; errors: string[] };
      assert.equal(status, 'error');
      assert.match(errors[0] ?? '', /scripts_user.*1 failures/);
      const shown = await laboratory.ask(`/servers/${serverId}/status`);
      assert.match(String(shown.status), /cloud-init reports errors in its user data\. GET /);
      await isWhole(laboratory, serverId);
    });

    it('that is broken is left out, and what was there is not stored', async () => {
      const { serverId, message, report } = await created(`#cloud-config\n[${canary}\n`);
      assert.match(message, /but cloud-init reports warnings; see user_data/);
      const { status, errors } = report as { status: string; errors: string[] };
      assert.equal(status, 'degraded');
      assert.match(errors[0] ?? '', /^format-l2\.c1: .*not valid YAML/);
      await isWhole(laboratory, serverId);
      const rows = await sql<{ text: string }>`select o::text as text from operations o`.execute(
        laboratory.database.db,
      );
      assert.ok(rows.rows.every(({ text }) => !text.includes(canary)));
      assert.ok(!JSON.stringify(laboratory.logged()).includes(canary));
    });

    it('of a rebuild is carried out in the new system, and a rebuild without it has none', async () => {
      const before = await created('#!/bin/sh\necho first >> /root/data\n');
      const { serverId, name } = before;
      const user_data = `#!/bin/sh\necho ${canary} >> /root/data\nexit 3\n`;
      const second = await laboratory.ended((await laboratory.rebuild(serverId, { user_data })).id);
      assert.match(second.message, /^The server was rebuilt, but cloud-init reports errors in its/);
      assert.equal(await content(name, '/root/data'), `${canary}\n`);
      const { user_data: report } = await laboratory.ask(`/operations/${second.id}`);
      assert.equal((report as { status: string }).status, 'error');
      const third = await laboratory.ended((await laboratory.rebuild(serverId)).id);
      assert.equal(third.message, 'The server was rebuilt.');
      assert.equal(await content(name, '/root/data'), undefined);
      assert.equal(await content(name, `${seed}/user-data`), undefined);
      assert.equal((await laboratory.ask(`/operations/${third.id}`)).user_data, null);
      await isWhole(laboratory, serverId);
      const rows = await sql<{ text: string }>`select o::text as text from operations o`.execute(
        laboratory.database.db,
      );
      assert.ok(rows.rows.every(({ text }) => !text.includes(canary)));
    });

    it('is kept for the retry of a create that failed', async () => {
      laboratory.simulator.fillPool('berth', true);
      const user_data = '#!/bin/sh\necho data >> /root/data\n';
      const { serverId, operation } = await laboratory.create('full', [], { user_data });
      assert.equal((await laboratory.ended(operation.id)).error?.code, 'no_space');
      laboratory.simulator.fillPool('berth', false);
      const retry = await laboratory.ended((await laboratory.request(serverId, 'retry')).id);
      assert.equal(retry.status, 'succeeded', retry.message);
      const { name } = await laboratory.server(serverId);
      assert.equal(await content(name, '/root/data'), 'data\n');
      const { user_data: report } = await laboratory.ask(`/operations/${retry.id}`);
      assert.deepEqual(report, { status: 'done', errors: [] });
    });

    for (const mode of ['reboot', 'poweroff']) {
      it(`may end with a ${mode}, after which the commands run`, async () => {
        const text = `#cloud-config\nruncmd:\n  - echo data >> /root/order\npower_state:\n  mode: ${mode}\n`;
        const command = 'echo command >> /root/order';
        const { serverId, name, report } = await created(text, [command]);
        assert.equal(await content(name, '/root/order'), 'data\ncommand\n');
        assert.deepEqual(report, { status: 'done', errors: [] });
        await isWhole(laboratory, serverId);
      });
    }

    it('that holds up its boot holds up other creates on its node for a minute only', async () => {
      const { db } = laboratory.database;
      const { faults } = laboratory.simulator;
      const setPlaces = (creates_per_node: number | null) =>
        db.updateTable('locations').set({ creates_per_node }).execute();
      const untilIt = (id: number, words: RegExp) =>
        eventually(async () => {
          assert.match(String((await laboratory.ask(`/operations/${id}`)).message), words);
        });
      await setPlaces(1);
      faults.guest('*', { neverBoots: true });
      const slow = await laboratory.create('slow', [], { user_data: '#!/bin/sh\nexit 0\n' });
      await untilIt(slow.operation.id, /waiting for its network/);
      faults.guest('*', {});
      const another = await laboratory.create('another');
      await untilIt(another.operation.id, /waiting for other servers being created/);
      const longAgo = sql<string>`state || '{"handed_over": 0}'`;
      await db
        .updateTable('operations')
        .set({ state: longAgo })
        .where('id', '=', slow.operation.id)
        .execute();
      assert.equal((await laboratory.ended(another.operation.id)).status, 'succeeded');
      const { id } = await laboratory.request(slow.serverId, 'delete');
      assert.equal((await laboratory.ended(id)).status, 'succeeded');
      await setPlaces(null);
    });

    it('shows that it is being carried out, and can be interrupted by a delete', async () => {
      const user_data = '#!/bin/sh\nsleep 1000\n';
      const { serverId } = await laboratory.create('web-2', [], { user_data });
      await eventually(async () => {
        const { status } = await laboratory.ask(`/servers/${serverId}/status`);
        assert.equal(status, 'Creating the server: carrying out its user data');
      });
      const { id } = await laboratory.request(serverId, 'delete');
      assert.equal((await laboratory.ended(id)).status, 'succeeded');
    });
  });
}
