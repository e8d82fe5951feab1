import assert from 'node:assert/strict';
import { hashPassword } from '../service/src/guests/password-hash.ts';
import { shadowPath } from '../service/src/guests/shadow.ts';
import type { Laboratory } from './laboratory.ts';
import { succeeds } from './operations.ts';

/** A server that was created and runs, and its instance's name. */
export async function runningServer(laboratory: Laboratory, hostname: string) {
  const { serverId: id, operation } = await laboratory.create(hostname);
  await succeeds(laboratory, operation);
  return { id, name: (await laboratory.server(id)).name };
}

/** Whether the record has this status; an error also has this message. */
export async function isRecordedAs(
  laboratory: Laboratory,
  id: number,
  wanted: string,
  reason = /./,
): Promise<void> {
  const { status, error } = await laboratory.server(id);
  assert.equal(status, wanted);
  if (wanted === 'error') assert.match(error ?? '', reason);
  else assert.equal(error, null);
}

const shownAs: Record<string, string> = { Running: 'started', Stopped: 'stopped' };

/** Whether its only instance is as recorded, and its commands ran exactly once. */
export async function isWhole(laboratory: Laboratory, id: number, wanted = 'started') {
  const { client } = laboratory;
  const { name } = await laboratory.server(id);
  await isRecordedAs(laboratory, id, wanted);
  assert.equal(shownAs[(await client.instances.get(name))?.status ?? ''], wanted);
  const ran = await client.files.pull(name, '/root/ran', 1000);
  assert.equal(ran?.content.toString(), 'ran\n', 'its command ran once');
}

/** The hash of the password of root in the guest. */
export async function hashIn({ client }: Laboratory, name: string): Promise<string> {
  const shadow = await client.files.pull(name, shadowPath, 10_000);
  return /^root:([^:]*):/m.exec(shadow?.content.toString() ?? '')?.[1] ?? '';
}

/** Whether it is the password of root in the guest. */
export async function hasPassword(
  laboratory: Laboratory,
  name: string,
  password: string,
): Promise<boolean> {
  const hash = await hashIn(laboratory, name);
  const [, , salt = ''] = hash.split('$');
  return hash === (await hashPassword(password, salt));
}

/** The file of hashes is complete, and only root can read it. */
export async function hasWholeShadow({ client }: Laboratory, name: string): Promise<void> {
  const file = await client.files.pull(name, shadowPath, 10_000);
  const [root, ...others] = file?.content.toString().split('\n') ?? [];
  assert.match(root ?? '', /^root:\$6\$[^:]{103}:\d+:0:99999:7:::$/);
  assert.deepEqual(others, ['daemon:*:19700:0:99999:7:::', '']);
  assert.deepEqual([file?.uid, file?.gid, file?.mode], [0, 42, 0o640]);
}

/** Whether a deleted server has neither an instance nor a disk nor addresses. */
export async function nothingIsLeft(laboratory: Laboratory, id: number): Promise<void> {
  const { client, database } = laboratory;
  const { name, isDeleted } = await laboratory.server(id);
  assert.ok(isDeleted);
  assert.equal(await client.instances.get(name), null);
  const volumes = await client.storage.listVolumes('berth');
  assert.ok(!volumes.some((volume) => volume.name === name), 'its disk is gone');
  const held = database.db.selectFrom('addresses').selectAll().where('server_id', '=', id);
  assert.deepEqual(await held.execute(), []);
}
