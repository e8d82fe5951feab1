import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enterDrift } from '../../../service/src/testing/drift.ts';
import { installation } from '../../../service/src/testing/fixtures.ts';
import { enterServer } from '../../../service/src/testing/servers.ts';
import { signedIn } from '../../testing/signed-in.ts';
import type { Schemas } from '../schemas.ts';

const { berth, database } = await signedIn();
const { db } = database;
// Nobody sweeps this location, because its Incus can't be reached. Operations there wait, and can be cancelled.
const place = await installation(db);

async function done(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await berth(args);
  assert.equal(status, 0, `berth ${args.join(' ')}: ${stderr}`);
  return stdout;
}

test('a list says what differs, and since when', async () => {
  const since = '2026-11-21T04:32:50.120000Z';
  const serverId = await enterServer(db, place);
  const missingId = await enterServer(db, place, { status: 'error' });
  const changed = await enterDrift(db, place, { serverId, since });
  await enterDrift(db, place, { serverId: missingId, isMissing: true });
  const unknown = await enterDrift(db, place);
  const columns = ['--columns', 'kind,server_id,differences,since'];
  const [head = '', ...lines] = (await done('drift', 'list', ...columns)).split('\n');
  assert.match(head, /^KIND +SERVER ID +DIFFERENCES +SINCE$/);
  const at = '2026-11-21 04:32:50 UTC';
  assert.match(
    lines[0] ?? '',
    new RegExp(`^changed +${serverId} +config.limits.cpu: 1 -> 8 +${at}`),
  );
  assert.match(lines[1] ?? '', /^missing_instance +\d+ +It does not exist in Incus\. /);
  assert.match(lines[2] ?? '', /^unknown_instance +- +It belongs to no server\. /);
  assert.equal(await done('drift', 'list', '--kind', 'changed', '-o', 'name'), `${changed}\n`);
  assert.equal(
    await done('drift', 'ls', '--server', String(serverId), '-o', 'name'),
    `${changed}\n`,
  );
  assert.equal(await done('drift', 'list', '--location', 'local', '-o', 'name'), '');
  assert.match(
    await done('drift', 'show', String(unknown)),
    /^ADOPTABLE +yes: 1 CPU, 256 MiB, 2 GiB, 10\.9\.0\.99$/m,
  );
  assert.match(await done('location', 'show', 'test'), /^DRIFT +3$/m);
  const offered = await done('complete', '--', 'drift', 'repair', String(unknown));
  assert.equal(offered, `${unknown}\tunknown_instance by-hand\n`);
});

test('what cannot be adopted says why, and several differences each say since when', async () => {
  const obstacles = ['It has the device data.'];
  const id = await enterDrift(db, place, { instance: 'other', facts: { obstacles } });
  assert.match(
    await done('drift', 'show', String(id)),
    /^ADOPTABLE +no\n +It has the device data\.$/m,
  );
  const serverId = await enterServer(db, place);
  const differences = [
    { path: 'config.limits.cpu', expected: '1', found: '2' },
    { path: 'devices.data', expected: null, found: 'disk' },
  ];
  const several = await enterDrift(db, place, { serverId, differences });
  const shown = await done('drift', 'show', String(several));
  assert.match(shown, /config\.limits\.cpu: 1 -> 2 \(\w+ ago\)\n +devices\.data: none -> disk \(/);
});

test('an instance of another Incus project is listed if it is asked for', async () => {
  await done('location', 'update', 'test', '--adopt-from', 'default', '--adopt-from', 'old');
  assert.match(await done('location', 'show', 'test'), /^ADOPT FROM +default, old$/m);
  const id = await enterDrift(db, place, { instance: 'afar', incusProject: 'old' });
  assert.equal(await done('drift', 'list', '--search', 'afar', '-o', 'name'), '');
  const foreign = ['drift', 'list', '--kind', 'foreign_instance', '--columns', 'id,differences'];
  assert.match(
    await done(...foreign),
    new RegExp(`^${id} +It is in the Incus project old\\.$`, 'm'),
  );
  assert.match(await done('drift', 'show', String(id)), /^INCUS PROJECT +old$/m);
  await done('location', 'update', 'test', '--adopt-from-none');
  const shown = JSON.parse(await done('location', 'show', 'test', '-o', 'json'));
  assert.deepEqual(shown.adopt_from, []);
});

test('what is forgotten is listed apart', async () => {
  const id = await enterDrift(db, place, { instance: 'kept' });
  assert.equal(await done('drift', 'forget', String(id)), `Drift ${id} is forgotten.\n`);
  assert.equal(await done('drift', 'list', '--search', 'kept', '-o', 'name'), '');
  assert.equal(await done('drift', 'list', '--forgotten', '-o', 'name'), `${id}\n`);
  assert.equal((await berth(['drift', 'forget', '99999'])).status, 5);
});

test('a repair is an operation, which cannot be cancelled', async () => {
  const serverId = await enterServer(db, place);
  await done('server', 'label', String(serverId), 'env=test');
  const id = await enterDrift(db, place, { serverId });
  const repair = ['drift', 'repair', String(id)];
  const accepted = await done(...repair, '--no-wait', '-o', 'json');
  const operation = JSON.parse(accepted) as Schemas['Operation'];
  assert.deepEqual([operation.kind, operation.server_id], ['repair', serverId]);
  assert.equal((await berth(repair)).status, 6, 'it is being repaired');
  const list = ['operation', 'list', '-l', 'env=test', '--since', '1h', '-o', 'name'];
  assert.equal(await done(...list), `${operation.id}\n`);
  const refused = await berth(['operation', 'cancel', String(operation.id), '99999']);
  assert.equal(refused.status, 6, refused.stderr);
});

test('an instance is adopted with a name and an operating system', async () => {
  const id = await enterDrift(db, place, { instance: 'found' });
  const unnamed = await berth(['drift', 'adopt', String(id)]);
  assert.equal(unnamed.status, 2);
  assert.match(unnamed.stderr, /--os <os>/);
  const adopt = [
    'drift',
    'adopt',
    String(id),
    '--os',
    'debian-12',
    '--name',
    'web-7',
    '--no-wait',
    '-p',
    'default',
  ];
  assert.match(await done(...adopt), /^Server web-7 \(\d+\) is being adopted/);
});
