import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { shadowBackupPath, shadowPath } from '../service/src/guests/shadow.ts';
import { EngineError } from '../service/src/incus/transport/errors.ts';
import { operationKinds } from '../service/src/operation-kinds.ts';
import type { OperationKind } from '../service/src/operations/define.ts';
import type { ServerStepContext } from '../service/src/servers/define-operation.ts';
import { allRows } from '../service/src/testing/canaries.ts';
import { eventually, until } from '../service/src/testing/until.ts';
import { type Laboratory, newPassword, openLaboratory, project } from './laboratory.ts';
import { succeeds } from './operations.ts';
import { hashIn, hasPassword, isRecordedAs, runningServer } from './servers.ts';

// Tests how the password of root reaches running and stopped guests, and guests that are not as expected.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory({ kinds: operationKinds.map(interrupted) });
});
after(() => laboratory.close());

/** What the first write of the file leaves of it, by the host name of the server. */
const leavings = new Map<string, string>();

/** Interrupts the write, as a killed engine does. */
function interrupted(kind: OperationKind): OperationKind {
  const { write } = kind.steps;
  if (kind.kind !== 'set_password' || !write) return kind;
  const run = async (context: ServerStepContext<unknown>) => {
    const { hostname, id } = context.server;
    const left = leavings.get(hostname);
    if (left === undefined) return await write.run(context);
    leavings.delete(hostname);
    const { name } = await laboratory.server(id);
    const file = await pull(name);
    assert.ok(file);
    treeOf(name).set(shadowPath, { ...file, type: 'file', content: Buffer.from(left) });
    throw new EngineError('failed', 'The write was interrupted.');
  };
  return { ...kind, steps: { ...kind.steps, write: { ...write, run } } };
}

const passwordOfCreate = 'grüße, 世界 😀';

async function pull(name: string, path = shadowPath) {
  return await laboratory.client.files.pull(name, path, 10_000);
}

const isPassword = (name: string, password: string) => hasPassword(laboratory, name, password);

async function stoppedServer(hostname: string) {
  const server = await runningServer(laboratory, hostname);
  await succeeds(laboratory, await laboratory.request(server.id, 'stop'));
  return server;
}

/** Requests it, which fails. Returns the code and the message of the failure. */
async function fails(id: number) {
  const ended = await laboratory.ended((await laboratory.request(id, 'password')).id);
  assert.deepEqual([ended.status, ended.secrets], ['failed', null]);
  return [ended.error?.code, ended.error?.message];
}

async function messageOf(id: number): Promise<string> {
  const ended = await laboratory.ended((await laboratory.request(id, 'password')).id);
  assert.equal(ended.status, 'succeeded', ended.message);
  assert.equal(ended.secrets, null);
  return ended.message;
}

const guest = (name: string, programs?: 'missing' | 'fails' | 'hangs' | 'killed') =>
  laboratory.simulator.faults.guest(name, programs ? { programs } : {});

const treeOf = (name: string) => {
  const files = laboratory.simulator.model.projects.get(project)?.instances.get(name)?.files;
  assert.ok(files);
  return files;
};

describe('the password of root', () => {
  it('is set at once in a running guest', async () => {
    const { id, name } = await runningServer(laboratory, 'running');
    assert.ok(await isPassword(name, passwordOfCreate));
    assert.equal(await messageOf(id), 'The password of root was set.');
    assert.ok(await isPassword(name, newPassword));
    await isRecordedAs(laboratory, id, 'started');
  });

  it('is written to the disk of a stopped server, with a copy of what it was', async () => {
    const { id, name } = await stoppedServer('stopped');
    const before = await pull(name);
    assert.equal(
      await messageOf(id),
      'The password of root was set. It is valid from the next start.',
    );
    assert.ok(await isPassword(name, newPassword));
    const [after, backup] = [await pull(name), await pull(name, shadowBackupPath)];
    assert.deepEqual([after?.uid, after?.gid, after?.mode], [0, 42, 0o640]);
    assert.deepEqual(backup, before);
    await isRecordedAs(laboratory, id, 'stopped');
    await succeeds(laboratory, await laboratory.request(id, 'start'));
    assert.ok(await isPassword(name, newPassword));
  });

  it('is in no row, no log, and nothing that the engine shows', async () => {
    const { id, name } = await runningServer(laboratory, 'canary');
    const hashes: string[] = [];
    const keep = async () => hashes.push(await hashIn(laboratory, name));
    guest(name, 'fails');
    await fails(id);
    guest(name);
    await messageOf(id);
    await keep();
    await succeeds(laboratory, await laboratory.request(id, 'stop'));
    await messageOf(id);
    await keep();
    assert.notEqual(hashes[0], hashes[1]);
    const { client, database } = laboratory;
    const places = {
      rows: await allRows(database.db),
      log: JSON.stringify(laboratory.logged()),
      instance: JSON.stringify(await client.instances.get(name)),
      operations: JSON.stringify(await client.operations.list()),
    };
    assert.ok(places.rows.includes('set_password'), 'the rows are those of the right database');
    for (const [where, shown] of Object.entries(places)) {
      for (const secret of [newPassword, ...hashes]) {
        assert.ok(!shown.includes(secret), `${secret} is in the ${where}`);
      }
    }
  });

  it('says that SSH does not accept it, on a server without passwords', async () => {
    const { id } = await runningServer(laboratory, 'by-key');
    const { db } = laboratory.database;
    await db.updateTable('servers').set({ password_login: false }).where('id', '=', id).execute();
    const remark =
      'The server was created to refuse passwords over SSH, so it is for other logins, such as at the console.';
    assert.equal(await messageOf(id), `The password of root was set. ${remark}`);
  });
});

describe('a running guest', () => {
  it('that can not set it fails with the way out, which works', async () => {
    const { id, name } = await runningServer(laboratory, 'unable');
    const wayOut = 'Stop the server and set the password then: it is written to its disk.';
    guest(name, 'missing');
    assert.deepEqual(await fails(id), [
      'password_not_set',
      `Its guest has no chpasswd, which sets passwords. ${wayOut}`,
    ]);
    guest(name, 'fails');
    assert.deepEqual(await fails(id), [
      'password_not_set',
      `Its guest could not set it: chpasswd ended with 1, such as because its disk is full. ${wayOut}`,
    ]);
    guest(name, 'hangs');
    assert.deepEqual(await fails(id), [
      'password_not_set',
      `Its guest could not set it: chpasswd did not end. ${wayOut}`,
    ]);
    assert.ok(await isPassword(name, passwordOfCreate));
    await isRecordedAs(laboratory, id, 'started');
    await succeeds(laboratory, await laboratory.request(id, 'stop'));
    await messageOf(id);
    assert.ok(await isPassword(name, newPassword));
  });

  it('whose program is killed is asked again', async () => {
    const { id, name } = await runningServer(laboratory, 'killed');
    guest(name, 'killed');
    const operation = await laboratory.request(id, 'password');
    await until(
      'it is asked again',
      () => laboratory.ask(`/operations/${operation.id}`),
      ({ message }) => String(message).includes('chpasswd was killed in its guest'),
    );
    guest(name);
    await succeeds(laboratory, operation);
    assert.ok(await isPassword(name, newPassword));
  });

  it('that hangs can be deleted', async () => {
    const { id, name } = await runningServer(laboratory, 'hanging');
    guest(name, 'hangs');
    const operation = await laboratory.request(id, 'password');
    await eventually(async () => {
      const operations = await laboratory.client.operations.list();
      assert.ok(operations.some(({ description }) => description === 'Executing command'));
    });
    await succeeds(laboratory, await laboratory.request(id, 'delete'));
    const { status, secrets } = await laboratory.ended(operation.id);
    assert.deepEqual([status, secrets], ['superseded', null]);
  });

  it('that somebody pauses meanwhile fails with the way out', async () => {
    const { id, name } = await runningServer(laboratory, 'frozen');
    laboratory.simulator.administrator.freeze(project, name);
    // Its status is not recorded yet.
    const { db } = laboratory.database;
    await db.updateTable('servers').set({ status: 'started' }).where('id', '=', id).execute();
    const [code, message] = await fails(id);
    assert.equal(code, 'guest_paused');
    assert.match(message ?? '', /unpause/);
  });
});

describe('the disk of a stopped guest', () => {
  it('is written again after an interruption, whatever that left of its file', async () => {
    for (const [index, left] of ['', 'root:$6$half', 'root:*:1:0:\n', 'daemon:*:1:'].entries()) {
      const { id, name } = await stoppedServer(`interrupted-${index}`);
      const before = await pull(name);
      leavings.set(`interrupted-${index}`, left);
      await messageOf(id);
      assert.equal(leavings.size, 0, 'it was interrupted');
      assert.ok(await isPassword(name, newPassword));
      const rest = (text?: Buffer) => text?.toString().replace(/^root:.*/, '');
      assert.equal(rest((await pull(name))?.content), rest(before?.content));
      assert.deepEqual((await pull(name, shadowBackupPath))?.content, before?.content);
    }
  });

  it('whose file was emptied by an earlier operation gets it from the copy', async () => {
    const { id, name } = await stoppedServer('emptied');
    const files = treeOf(name);
    const good = await pull(name);
    assert.ok(good);
    files.set(shadowBackupPath, { ...good, type: 'file' });
    files.set(shadowPath, { ...good, type: 'file', content: Buffer.alloc(0) });
    await messageOf(id);
    assert.ok(await isPassword(name, newPassword));
    const after = await pull(name);
    assert.deepEqual([after?.uid, after?.gid, after?.mode], [0, 42, 0o640]);
    assert.match(after?.content.toString() ?? '', /^daemon:/m);
  });

  it('with something else in the place of a file is never opened', async () => {
    const { id, name } = await stoppedServer('traps');
    const files = treeOf(name);
    const entry = { uid: 0, gid: 0, mode: 0o600, content: Buffer.alloc(0) };
    const good = await pull(name);
    assert.ok(good);
    // Incus would block on a FIFO forever. One in the place of the copy is replaced.
    files.set(shadowBackupPath, { ...entry, type: 'fifo' });
    await messageOf(id);
    assert.ok(await isPassword(name, newPassword));
    assert.deepEqual((await pull(name, shadowBackupPath))?.content, good.content);
    for (const type of ['directory', 'symlink'] as const) {
      files.set(shadowPath, { ...entry, type, content: Buffer.from('/dev/zero') });
      assert.deepEqual(await fails(id), [
        'password_not_set',
        'Its /etc/shadow or /etc/shadow- is not an ordinary file. ' +
          'Start the server and set the password then: the guest sets it itself.',
      ]);
    }
    files.set(shadowPath, { ...entry, type: 'fifo' });
    files.set(shadowBackupPath, { ...entry, type: 'fifo' });
    const [code, message] = await fails(id);
    assert.equal(code, 'password_not_set');
    assert.match(message ?? '', /^Its \/etc\/shadow has no line of root\. /);
    files.delete(shadowPath);
    files.delete(shadowBackupPath);
    await messageOf(id);
  });
});
