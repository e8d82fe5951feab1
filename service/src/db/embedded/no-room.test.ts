import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { noRoomError, noRoomForProgram, requireRoom } from './no-room.ts';

const dataDir = '/var/lib/berth';
const failure = (members: object) => Object.assign(new Error('failed'), members);

for (const [code, words, reason] of [
  ['ENOSPC', 'No space left on device', /is on a disk that is full/],
  ['EDQUOT', 'Disk quota exceeded', /quota/],
  ['EROFS', 'Read-only file system', /read-only/],
] as const) {
  test(`${code} is explained, for a file and for initdb`, () => {
    const ofFile = noRoomError(failure({ code, path: `${dataDir}/postgres` }), dataDir);
    assert.match(ofFile?.message ?? '', reason);
    assert.match(ofFile?.message ?? '', /\/var\/lib\/berth/);
    assert.match(ofFile?.wayOut ?? '', /start Berth again/);
    const stderr = `initdb: error: could not write to file "x": ${words}`;
    const ofProgram = noRoomForProgram(failure({ code: 1, stderr }), dataDir);
    assert.equal(noRoomError(failure({ code: 1, stderr }), dataDir), undefined);
    assert.match(ofProgram?.message ?? '', reason);
    assert.equal(ofProgram?.output, stderr);
  });
}

test('errors about other files, and other errors, are not explained as a lack of space', () => {
  for (const path of ['/var/cache/berth/image', '/var/lib/berth-2/x']) {
    assert.equal(noRoomError(failure({ code: 'ENOSPC', path }), dataDir), undefined);
  }
  assert.equal(noRoomError(failure({ code: 'EACCES', path: dataDir }), dataDir), undefined);
  assert.equal(noRoomError(failure({ code: 'ENOSPC' }), dataDir), undefined);
  assert.equal(noRoomError('ENOSPC', dataDir), undefined);
  assert.equal(noRoomForProgram(failure({ stderr: 'initdb: error' }), dataDir), undefined);
  assert.equal(noRoomForProgram(failure({ code: 'ENOSPC' }), dataDir), undefined);
});

test('free space is checked by writing, which leaves nothing behind', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-room-'));
  t.after(() => rm(directory, { recursive: true }));
  await requireRoom(directory);
  await symlink('/dev/full', join(directory, 'room'));
  await assert.rejects(requireRoom(directory), /is on a disk that is full \(ENOSPC\)/);
  assert.deepEqual(await readdir(directory), []);
});
