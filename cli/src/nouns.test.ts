import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { goodPassword } from '../../service/src/testing/people.ts';
import { newPublicKey } from '../../service/src/testing/ssh-keys.ts';
import { signedIn } from '../testing/signed-in.ts';
import type { Schemas } from './schemas.ts';

const { berth, home } = await signedIn();

async function done(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await berth(args);
  assert.equal(status, 0, `berth ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  return JSON.parse(await done(...args, '-o', 'json')) as T;
}

const head = async (...args: string[]) => (await done(...args)).split('\n')[0] ?? '';

test('each list has its usual columns', async () => {
  const expected: Record<string, RegExp> = {
    location: /^ID +NAME +DESCRIPTION +ENABLED +REACHABLE +CPU +RAM +DISK$/,
    os: /^ID +SLUG +NAME +VERSION +TYPE +ARCHITECTURE +MIN RAM +MIN DISK +ENABLED$/,
    size: /^ID +NAME +CPU +RAM +DISK +TRAFFIC +HOURLY +MONTHLY +DEPRECATED$/,
    drift: /^ID +KIND +LOCATION +NODE +SERVER ID +INSTANCE +DIFFERENCES +SINCE$/,
    node: /^ID +NAME +LOCATION +STATUS +SERVERS +CPU +RAM +DISK$/,
    project: /^ID +NAME +DESCRIPTION +SERVERS +CPU +RAM +DISK +ADDRESSES$/,
    token: /^ID +NAME +SCOPES +EXPIRES AT +LAST USED$/,
    user: /^ID +EMAIL +NAME +IS ADMIN +ENABLED$/,
    member: /^USER ID +EMAIL +NAME +ROLE +SINCE$/,
    'ssh-key': /^ID +NAME +FINGERPRINT +AGE$/,
    operation: /^ID +KIND +STATUS +PROGRESS +SERVER ID +MESSAGE +AGE$/,
    webhook: /^ID +NAME +STATUS +URL +LAST SUCCESS$/,
    event: /^ID +AT +TYPE +SERVER ID +ABOUT$/,
    'address-pool': /^ID +LOCATION +CIDR +GATEWAY +FIRST +LAST +ENABLED +HELD$/,
    audit: /^ID +AT +COUNT +ACTION +TARGET +STATUS +CODE +USER ID +TOKEN ID +ADDRESS$/,
  };
  for (const [noun, columns] of Object.entries(expected)) {
    assert.match(await head(noun, 'list'), columns, noun);
  }
});

test('a noun without a verb shows its verbs', async () => {
  assert.match(await done('location'), /^Usage: berth location .*Commands:\n +list/s);
  assert.match(await done(), /^Usage: berth .*Commands:\n +login/s);
});

test('help of a verb is asked for before or after it', async () => {
  const after = await done('server', 'list', '--help');
  assert.equal(await done('help', 'server', 'list'), after);
  assert.equal(await done('server', 'help', 'list'), after);
  assert.match(await done('help', 'server'), /^Usage: berth server .*Commands:\n +list/s);
  for (const words of [['servr'], ['servr', 'list']]) {
    const { status, stderr } = await berth(['help', ...words]);
    assert.equal(status, 2);
    assert.match(stderr, /Unknown command 'servr'\n\(Did you mean server\?\)/);
  }
  const wrong = await berth(['help', 'server', 'lisst']);
  assert.match(wrong.stderr, /Unknown command 'lisst'\n\(Did you mean list\?\)/);
});

test('the options of a verb are before those of all commands, with their defaults as they are typed', async () => {
  assert.match(
    await done('server', 'label', '--help'),
    /\nOptions:\n.*\nOptions of all commands:\n/s,
  );
  assert.match(await done('server', 'usage', '--help'), /--last <duration> .*\(default: 1h\)/);
  assert.match(await done('top', '--help'), /--interval <duration> .*\(default: 5s\)/);
});

test('a word too many is named, with the arguments that there are', async () => {
  const { status, stderr } = await berth(['ssh-key', 'create', 'laptop', 'id.pub']);
  assert.equal(status, 2);
  assert.match(stderr, /takes only <name>, and this is one word more: id\.pub/);
});

test('locations and operating systems are shown and changed', async () => {
  assert.match(await done('location', 'show', 'local'), /^ID +1\nNAME +local\n/);
  const changed = [
    '--description',
    'Here.',
    '--max-cpu',
    '3',
    '--max-disk',
    '90G',
    '--traffic-allowance',
    '2T',
  ];
  assert.equal(
    await done('location', 'update', 'local', ...changed),
    'Location local is changed.\n',
  );
  const { description, limits } = await json<{
    description: string;
    limits: { cpu: { max: number }; disk: { max: number } };
  }>(...['location', 'show', 'local']);
  assert.deepEqual([description, limits.cpu.max, limits.disk.max], ['Here.', 3, 90]);
  assert.equal((await berth(['location', 'update', 'local'])).status, 2);
  assert.match(
    await done('os', 'show', 'debian-12', '--columns', 'slug,version'),
    /^SLUG +debian-12\nVERSION +12\n$/,
  );
  const added = ['--name', 'Alpine', '--version', '3.22', '--alias', 'alpine/3.22/cloud'];
  const from = ['--image-server', 'https://images.linuxcontainers.org'];
  const least = ['--min-ram', '256M', '--min-disk', '1G', '--disabled'];
  assert.equal(
    await done('os', 'create', 'alpine-test', ...added, ...from, ...least),
    'Operating system alpine-test is added.\n',
  );
  assert.equal(
    await done('os', 'update', 'alpine-test', '--min-ram', '512M', '--enabled', 'yes'),
    'Operating system alpine-test is changed.\n',
  );
  const os = await json<{ minimum: object; enabled: boolean }>('os', 'show', 'alpine-test');
  assert.deepEqual([os.minimum, os.enabled], [{ ram: 512, disk: 1 }, true]);
});

test('images are imported, and listed', async () => {
  const { stdout, stderr, status } = await berth([
    'image',
    'import',
    'debian-12',
    'local',
    '--no-wait',
  ]);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^debian-12 at local: /);
  assert.match(await head('image', 'list', 'debian-12'), /^OS +LOCATION +STATUS/);
});

test('SSH keys are added from a file, renamed and deleted', async () => {
  const file = join(home, 'key.pub');
  writeFileSync(file, newPublicKey());
  assert.match(
    await done('ssh-key', 'create', 'laptop', '--file', file),
    /^SSH key laptop is added: SHA256:/,
  );
  const piped = await berth(['ssh-key', 'create', 'piped', '--file', '-'], {
    input: newPublicKey(),
  });
  assert.equal(piped.status, 0, piped.stderr);
  await done('ssh-key', 'rename', 'laptop', '--name', 'desk');
  assert.equal(await done('ssh-key', 'list', '-o', 'name'), 'desk\npiped\n');
  assert.equal(await done('ssh-key', 'delete', 'desk', '--yes'), 'SSH key desk is deleted.\n');
  assert.match(await done('ssh-key', 'show', 'piped'), /NAME +piped/);
});

test('people join projects', async () => {
  await done(
    'project',
    'create',
    'shop',
    '--servers',
    '5',
    '--ram',
    '4096',
    '--unique-names',
    'yes',
  );
  const created = await berth(
    ['user', 'create', 'ada@example.com', '--name', 'Ada', '--password-stdin'],
    {
      input: goodPassword,
    },
  );
  assert.equal(created.status, 0, created.stderr);
  const inShop = ['--project', 'shop'];
  await done('member', 'add', 'ada@example.com', '--role', 'viewer', ...inShop);
  await done('member', 'update', 'ada@example.com', '--role', 'owner', ...inShop);
  assert.match(await done('member', 'show', 'ada@example.com', ...inShop), /ROLE +owner/);
  assert.equal(await done('member', 'list', '-o', 'name', ...inShop), 'ada@example.com\n');
  // The last owner stays.
  const removed = await berth(['member', 'remove', 'ada@example.com', '--yes', ...inShop]);
  assert.equal(removed.status, 6, removed.stderr);
  await done('project', 'update', 'shop', '--servers', 'none', '--name', 'store');
  assert.match(await done('project', 'quota', 'store'), /SERVERS +0, no limit\n/);
  assert.match(
    await done('project', 'show', 'store'),
    /SERVERS +0, no limit\n.*RAM +0 B of 4 GiB\n/s,
  );
  assert.ok(!('inUse' in (await json('project', 'show', 'store'))));
  assert.match(await done('project', 'show', '--project', 'store'), /^NAME +store$/m);
  assert.match(await done('project', 'quota', '--project', 'store'), /^RAM +0 B of 4 GiB$/m);
  await done('user', 'update', 'ada@example.com', '--admin', 'yes');
  assert.match(await done('user', 'show', 'ada@example.com'), /IS ADMIN +yes/);
  await done('project', 'delete', 'store', '--yes');
  await done('user', 'delete', 'ada@example.com', '--yes');
  assert.match(await done('project', 'list', '--deleted'), /store/);
});

test('a token prints only its secret, and is revoked', async () => {
  const made = await done('token', 'create', 'ci', '--scope', 'servers:read', '--expires', '30d');
  assert.match(made, /^berth_\S+\n$/);
  const limited = { env: { BERTH_TOKEN: made.trim() } };
  const refused = await berth(['user', 'list'], limited);
  assert.equal(refused.status, 4, refused.stderr);
  assert.match(await done('token', 'show', 'ci'), /SCOPES +servers:read/);
  assert.equal(await done('token', 'delete', 'ci', '--yes'), 'Token ci is revoked.\n');
  const gone = await berth(['whoami'], limited);
  assert.equal(gone.status, 3);
  assert.match(gone.stderr, /Sign in again with "berth login URL"/);
});

test('nodes are cordoned, and must be named to be given up', async () => {
  const node = (await done('node', 'list', '-o', 'name')).trim();
  assert.match(await done('node', 'cordon', node), /is cordoned\./);
  assert.match(await done('node', 'uncordon', node), /is online\./);
  assert.match(await done('node', 'show', node), /STATUS +online/);
  const unconfirmed = await berth(['node', 'declare-lost', node]);
  assert.equal(unconfirmed.status, 9);
  assert.match(unconfirmed.stderr, /add --confirm /);
  const answering = await berth(['node', 'declare-lost', node, '--confirm', node]);
  assert.equal(answering.status, 6, answering.stderr);
  assert.equal((await berth(['node', 'evacuate', node])).status, 9);
  assert.equal((await berth(['node', 'restore', node])).status, 6);
  assert.equal((await berth(['node', 'restore', node, '--yes'])).status, 2);
});

test('address pools are disabled, deleted and created', async () => {
  const [pool] = await json<Schemas['AddressPool'][]>('address-pool', 'list');
  assert.ok(pool);
  const { id, cidr, gateway, first, last } = pool;
  await done('address-pool', 'update', String(id), '--enabled', 'no');
  assert.match(await done('address-pool', 'show', String(id)), /ENABLED +no/);
  assert.match(await done('address-pool', 'delete', String(id), '--yes'), /is deleted\./);
  const place = ['--location', 'local', '--gateway', gateway, '--first', first, '--last', last];
  assert.match(await done('address-pool', 'create', cidr, ...place), /is created\./);
});

test('the audit log is filtered, and exported as lines of JSON', async () => {
  await done('project', 'create', 'audited');
  const entries = await json<{ action: string }[]>(
    'audit',
    'list',
    '--action',
    'project_create',
    '--limit',
    '1',
  );
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['project_create'],
  );
  const shown = await done('audit', 'list', '--columns', 'at', '--limit', '1', '--no-header');
  assert.match(shown, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n$/);
  const lines = (await done('audit', 'export', '--action', 'project_create')).trim().split('\n');
  assert.ok(
    lines.length > 0 && lines.every((line) => JSON.parse(line).action === 'project_create'),
  );
});

test('the statement of a month is a table, JSON, or the CSV of the API', async () => {
  assert.match(await head('statement', 'show'), /^SERVER ID +HOSTNAME +HOURS/);
  const { is_final } = await json<{ is_final: boolean }>('statement', 'show');
  assert.equal(is_final, false);
  assert.match(await head('statement', 'show', '-o', 'csv'), /^"?server_id"?,/);
});

test('the installation shows its settings, health, versions and metrics', async () => {
  assert.match(await done('settings', 'show'), /^AUDIT MONTHS +\d+\n/);
  assert.equal(
    await done('settings', 'update', '--audit-months', '30'),
    'The settings are changed.\n',
  );
  assert.match(await done('settings', 'show'), /^AUDIT MONTHS +30\n/);
  assert.match(await head('health'), /^NAME +STATUS +DETAIL$/);
  assert.equal((await json('health', '--ready')).status, 'ok');
  assert.match(await done('version'), /^CLIENT +\S+\nSERVICE +\S+\n/);
  const signedOut = await berth(['version'], { env: { BERTH_URL: '', BERTH_TOKEN: '' } });
  assert.equal(signedOut.status, 0, signedOut.stderr);
  assert.match(signedOut.stdout, /^CLIENT +\d\S+\nSERVICE +-\n/);
  assert.match(signedOut.stderr, /You are not signed in\./);
  assert.match(await done('metrics'), /^# HELP /m);
  assert.match(await done('whoami'), /^URL +http/);
});
