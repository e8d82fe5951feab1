import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { shadowBackupPath, shadowPath } from '../service/src/guests/shadow.ts';
import type { PulledFile } from '../service/src/incus/files.ts';
import { allRows } from '../service/src/testing/canaries.ts';
import { eventually, until } from '../service/src/testing/until.ts';
import { type Laboratory, newPassword, openLaboratory, project } from './laboratory.ts';
import { endIn, succeeds } from './operations.ts';
import { hashIn, hasPassword, hasWholeShadow, isRecordedAs, runningServer } from './servers.ts';

// Tests how the password of root reaches running and stopped guests, and guests that are not as expected.

let laboratory: Laboratory;
before(async () => {
  laboratory = await openLaboratory();
});
after(() => laboratory.close());

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

const guest = (name: string, programs?: 'missing' | 'fails' | 'hangs' | 'floods' | 'killed') =>
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
      `Its guest could not set it: chpasswd ended with 1. ${wayOut}`,
    ]);
    for (const [fault, why] of [
      ['hangs', 'chpasswd did not end in its guest'],
      ['killed', 'chpasswd was killed in its guest'],
      ['floods', 'chpasswd was killed in its guest'],
    ] as const) {
      guest(name, fault);
      assert.deepEqual(await fails(id), [
        'password_unconfirmed',
        `It is unknown whether it was set: ${why}. ${wayOut} The new password may be in force.`,
      ]);
    }
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

  it('that hangs can be stopped by force, suspended and deleted', async () => {
    for (const action of ['stop', 'suspend', 'delete'] as const) {
      const { id, name } = await runningServer(laboratory, `hanging-${action}`);
      guest(name, 'hangs');
      const operation = await laboratory.request(id, 'password');
      await eventually(async () => {
        const operations = await laboratory.client.operations.list();
        assert.ok(operations.some(({ description }) => description === 'Executing command'));
      });
      await succeeds(laboratory, await laboratory.request(id, action, true));
      const { status, secrets } = await laboratory.ended(operation.id);
      assert.deepEqual([status, secrets], ['superseded', null]);
    }
  });

  it('that is frozen before its program is run is looked at again', async () => {
    const { id, name } = await runningServer(laboratory, 'refused');
    const path = `/instances/${name}/exec$`;
    const refusal = { kind: 'error', text: 'Instance is frozen', status: 400 } as const;
    laboratory.simulator.faults.add({ ...refusal, method: 'POST', path, times: 1 });
    await messageOf(id);
    assert.ok(await isPassword(name, newPassword));
  });

  it('that somebody pauses meanwhile fails with the way out', async () => {
    const { id, name } = await runningServer(laboratory, 'frozen');
    laboratory.simulator.administrator.freeze(project, name);
    // As if its status were not recorded yet.
    const { db } = laboratory.database;
    const servers = db.selectFrom('servers').select('status').where('id', '=', id);
    await until('it is seen to be paused', async () => {
      return (await servers.executeTakeFirstOrThrow()).status === 'paused';
    });
    await db.updateTable('servers').set({ status: 'started' }).where('id', '=', id).execute();
    const [code, message] = await fails(id);
    assert.equal(code, 'guest_paused');
    assert.match(message ?? '', /unpause/);
  });
});

/** What Incus says if a push is interrupted, or finds no space. */
const interruption = { text: 'unexpected EOF', status: 500 };
const noSpace = {
  text: 'sftp: "write: no space left on device" (SSH_FX_FAILURE)',
  status: 500,
};
const noSpaceWords =
  'There is no space left for it. Start the server and free some space on its disk, or give it a larger disk.';

/** Leaves a part of the file at a push, once or always. Returns a function that ends this. */
function cutPushes(
  name: string,
  bytes: number,
  { times, ...words }: { text: string; status: number; times?: number } = interruption,
) {
  const push = { method: 'POST', path: `/instances/${name}/files$`, file: shadowPath };
  const fault = { kind: 'push', bytes, ...push, ...words } as const;
  return laboratory.simulator.faults.add(times === undefined ? fault : { ...fault, times });
}

async function isRetried(operationId: number, step: string): Promise<void> {
  const { db } = laboratory.database;
  const query = db.selectFrom('operations').selectAll().where('id', '=', operationId);
  await until(
    `its step ${step} is retried`,
    () => query.executeTakeFirstOrThrow(),
    (row) => row.step === step && row.attempts > 0,
  );
}

/** The file, and lengths of its parts that an interrupted write may leave. */
async function partsOf(name: string): Promise<[PulledFile, number[]]> {
  const file = await pull(name);
  assert.ok(file);
  // The line of root is as long as before.
  const line = file.content.indexOf('\n') + 1;
  return [file, [0, 3, line - 20, line, line + 5, file.content.length - 1, file.content.length]];
}

describe('a write to the disk of a stopped guest', () => {
  it('is repeated after an interruption, whatever that left of its file', async () => {
    const { id, name } = await stoppedServer('interrupted');
    const [, parts] = await partsOf(name);
    for (const bytes of parts) {
      const before = await pull(name);
      const goOn = cutPushes(name, bytes, { ...interruption, times: 2 });
      await messageOf(id);
      goOn();
      assert.ok(await isPassword(name, newPassword));
      await hasWholeShadow(laboratory, name);
      assert.deepEqual((await pull(name, shadowBackupPath))?.content, before?.content);
    }
  });

  it('that ends without space is undone', async () => {
    const { id, name } = await stoppedServer('no-space');
    const [before, parts] = await partsOf(name);
    for (const bytes of parts.slice(0, -1)) {
      cutPushes(name, bytes, { ...noSpace, times: 1 });
      assert.deepEqual(await fails(id), ['password_not_set', noSpaceWords]);
      assert.deepEqual(await pull(name), before);
    }
  });

  it('that ends at its deadline is undone as soon as the engine can', async () => {
    const { id, name } = await stoppedServer('late');
    const [before, parts] = await partsOf(name);
    for (const bytes of parts.slice(0, -1)) {
      const goOn = cutPushes(name, bytes);
      const operation = await laboratory.request(id, 'password');
      await isRetried(operation.id, 'write');
      await endIn(laboratory, operation.id, 1);
      await isRetried(operation.id, 'restore');
      goOn();
      const { error } = await laboratory.ended(operation.id);
      assert.equal(error?.code, 'deadline_exceeded');
      assert.deepEqual(await pull(name), before);
    }
  });

  it('is superseded by a delete only', async () => {
    const { id, name } = await stoppedServer('kept');
    const goOn = cutPushes(name, 10);
    const operation = await laboratory.request(id, 'password');
    await isRetried(operation.id, 'write');
    for (const [action, force] of [
      ['suspend', false],
      ['stop', true],
    ] as const) {
      const isBusy = { code: 'operation_in_progress' };
      await assert.rejects(laboratory.request(id, action, force), isBusy);
    }
    goOn();
    await succeeds(laboratory, operation);
    await hasWholeShadow(laboratory, name);
    cutPushes(name, 10);
    const again = await laboratory.request(id, 'password');
    await isRetried(again.id, 'write');
    await succeeds(laboratory, await laboratory.request(id, 'delete'));
    assert.equal((await laboratory.ended(again.id)).status, 'superseded');
  });

  it('does not undo what the guest has changed before it is repeated', async () => {
    const { id, name } = await stoppedServer('changed');
    const own = 'ada:$6$ada$hash:19700:0:99999:7:::\n';
    const before = await pull(name);
    assert.ok(before);
    const line = before.content.indexOf('\n') + 1;
    for (const changed of [
      Buffer.concat([before.content, Buffer.from(own)]),
      // The last users are deleted.
      before.content.subarray(0, line),
    ]) {
      const push = { method: 'POST', path: `/instances/${name}/files$`, file: shadowPath };
      const goOn = laboratory.simulator.faults.add({ kind: 'error', ...push, ...interruption });
      const operation = await laboratory.request(id, 'password');
      await isRetried(operation.id, 'write');
      treeOf(name).set(shadowPath, { ...before, type: 'file', content: changed });
      goOn();
      await succeeds(laboratory, operation);
      assert.ok(await isPassword(name, newPassword));
      const after = await pull(name);
      assert.deepEqual(after?.content.subarray(line), changed.subarray(line));
      assert.deepEqual((await pull(name, shadowBackupPath))?.content, changed);
    }
  });

  it('sets the owner and the mode of a new file if an interruption left others', async () => {
    const { id, name } = await stoppedServer('open');
    const [before, parts] = await partsOf(name);
    treeOf(name).set(shadowBackupPath, { ...before, type: 'file' });
    for (const bytes of parts) {
      treeOf(name).set(shadowPath, { ...before, type: 'file', content: Buffer.alloc(0) });
      cutPushes(name, bytes, { ...interruption, times: 1 });
      await messageOf(id);
      await hasWholeShadow(laboratory, name);
      treeOf(name).set(shadowBackupPath, { ...before, type: 'file' });
    }
  });

  it('does not begin on a full disk', async () => {
    const { id, name } = await stoppedServer('full');
    await messageOf(id);
    const [before, backup] = [await pull(name), await pull(name, shadowBackupPath)];
    const path = `/instances/${name}/files$`;
    const { faults } = laboratory.simulator;
    const goOn = faults.add({ kind: 'push', bytes: 0, method: 'POST', path, ...noSpace });
    assert.deepEqual(await fails(id), ['password_not_set', noSpaceWords]);
    goOn();
    assert.deepEqual([await pull(name), await pull(name, shadowBackupPath)], [before, backup]);
    assert.equal(await pull(name, '/etc/.berth-room'), null);
    await messageOf(id);
  });
});

describe('the disk of a stopped guest', () => {
  it('of which an earlier operation left a part gets the rest from the copy', async () => {
    const { id, name } = await stoppedServer('left');
    const files = treeOf(name);
    const [good, parts] = await partsOf(name);
    // A part that ends with a line is what a guest leaves that deletes its last users.
    const within = parts.filter((bytes) => bytes === 0 || good.content[bytes - 1] !== 10);
    for (const bytes of within) {
      const content = Buffer.from(good.content.toString().replace(':$6$', ':$5$').slice(0, bytes));
      files.set(shadowBackupPath, { ...good, type: 'file' });
      files.set(shadowPath, { ...good, type: 'file', mode: 0o644, content });
      await messageOf(id);
      assert.ok(await isPassword(name, newPassword));
      await hasWholeShadow(laboratory, name);
      assert.deepEqual(await pull(name, shadowBackupPath), good);
    }
  });

  it('without a part of its file keeps what it has', async () => {
    const { id, name } = await stoppedServer('shorter');
    const files = treeOf(name);
    const good = await pull(name);
    assert.ok(good);
    files.set(shadowBackupPath, { ...good, type: 'file' });
    const content = good.content.subarray(0, good.content.indexOf('\n') + 1);
    files.set(shadowPath, { ...good, type: 'file', content });
    await messageOf(id);
    assert.match((await pull(name))?.content.toString() ?? '', /^root:[^\n]*\n$/);
  });

  it('with something else in the place of a file is never opened', async () => {
    const { id, name } = await stoppedServer('traps');
    const files = treeOf(name);
    const entry = { uid: 0, gid: 0, mode: 0o600, content: Buffer.alloc(0) };
    const good = await pull(name);
    assert.ok(good);
    // The copy is not read. Incus would block on a FIFO forever.
    files.set(shadowBackupPath, { ...entry, type: 'fifo' });
    await messageOf(id);
    assert.ok(await isPassword(name, newPassword));
    assert.deepEqual((await pull(name, shadowBackupPath))?.content, good.content);
    const startFirst = 'Start the server and set the password then: the guest sets it itself.';
    for (const type of ['directory', 'symlink'] as const) {
      files.set(shadowPath, { ...entry, type, content: Buffer.from('/dev/zero') });
      assert.deepEqual(await fails(id), [
        'password_not_set',
        `Its /etc/shadow is a ${type}. ${startFirst}`,
      ]);
    }
    files.set(shadowPath, { ...good, type: 'file', content: Buffer.alloc(2 ** 19 + 1, 'x') });
    assert.deepEqual(await fails(id), [
      'password_not_set',
      `Its /etc/shadow is longer than 524288 bytes. ${startFirst}`,
    ]);
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
