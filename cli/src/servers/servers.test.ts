import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { signedIn } from '../../testing/signed-in.ts';
import { enter } from '../../testing/terminal.ts';
import type { Schemas } from '../schemas.ts';

const { berth, inTerminal, home, simulator } = await signedIn();

const size = ['--os', 'debian-12', '--cpu', '1', '--ram', '512M', '--disk', '5G'];

/** What a command prints as JSON. */
async function json<T>(...args: string[]): Promise<T> {
  const { status, stdout, stderr } = await berth([...args, '-o', 'json']);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as T;
}

const shown = (name: string) => json<Schemas['Server']>('server', 'show', name);
const create = (name: string, ...more: string[]) =>
  berth(['server', 'create', name, ...size, '--generate-password', ...more]);

before(async () => {
  const { status, stdout, stderr } = await create('web-1', '--label', 'env=prod');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^Password of root: [a-zA-Z2-9]{24}\nServer web-1 \(1\) is created: \d/);
});

test('a list has the usual columns, or those that are asked for', async () => {
  const { stdout } = await berth(['server', 'list']);
  const [head = '', line = ''] = stdout.split('\n');
  assert.match(head, /^ID +NAME +STATUS +OS +CPU +RAM +DISK +IP +NODE +AGE$/);
  assert.match(line, /^1 +web-1 +started +Debian 12 +1 +512 MiB +5 GiB +\d+\.\d+\.\d+\.\d+ /);
  const chosen = ['--columns', 'name,status,labels'];
  assert.equal(
    (await berth(['server', 'ls', ...chosen])).stdout,
    'NAME   STATUS   LABELS\nweb-1  started  env=prod\n',
  );
  assert.equal(
    (await berth(['server', 'list', '--no-header', ...chosen])).stdout,
    'web-1  started  env=prod\n',
  );
});

test('tables name the location and the project, and programs get their IDs', async () => {
  const one = (await berth(['server', 'show', 'web-1'])).stdout;
  assert.match(one, /^LOCATION +local \(1\)\nPROJECT +default \(1\)$/m);
  const columns = ['--columns', 'name,location_id,project_id'];
  assert.equal(
    (await berth(['server', 'list', ...columns])).stdout,
    'NAME   LOCATION  PROJECT\nweb-1  local     default\n',
  );
  assert.equal(
    (await berth(['server', 'list', ...columns, '-o', 'csv'])).stdout,
    'name,location_id,project_id\nweb-1,1,1\n',
  );
});

test('programs get JSON, YAML, names or CSV', async () => {
  const [server] = await json<Schemas['Server'][]>('server', 'list');
  assert.deepEqual([server?.hostname, server?.labels], ['web-1', { env: 'prod' }]);
  assert.match(
    (await berth(['server', 'list', '-o', 'yaml'])).stdout,
    /^- id: 1\n {2}hostname: web-1\n/,
  );
  assert.equal((await berth(['-o', 'name', 'server', 'list'])).stdout, 'web-1\n');
  const csv = ['-o', 'csv', '--columns', 'id,name,ram,labels'];
  assert.equal(
    (await berth(['server', 'list', ...csv])).stdout,
    'id,name,ram,labels\n1,web-1,512,env=prod\n',
  );
  assert.equal(
    (await berth(['server', 'show', 'web-1', ...csv])).stdout,
    'id,name,ram,labels\n1,web-1,512,env=prod\n',
  );
});

test('a column with a wrong name is refused, with the one that was meant', async () => {
  const { status, stderr } = await berth(['server', 'list', '--columns', 'nmae']);
  assert.equal(status, 2);
  assert.match(stderr, /There is no column nmae\. Did you mean name\?\nThe columns are id, name, /);
});

test('filters select servers', async () => {
  const names = async (...args: string[]) =>
    (await berth(['server', 'list', '-o', 'name', ...args])).stdout;
  assert.equal(await names('--label', 'env=prod'), 'web-1\n');
  assert.equal(await names('--label', 'env!=prod'), '');
  assert.equal(await names('--status', 'stopped'), '');
  assert.equal(await names('--status', 'stopped', 'started', '--os', 'debian-12'), 'web-1\n');
  assert.equal(
    await names('--created-after', '1h', '--location', 'local', '--search', 'WEB'),
    'web-1\n',
  );
  assert.equal(await names('--all-projects', '--sort', '-hostname', '--limit', '1'), 'web-1\n');
  const wrong = await berth(['server', 'list', '--status', 'stoped']);
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /Allowed choices are creating, started, stopped/);
});

test('a server that does not exist has the exit status 5, and similar names are suggested', async () => {
  const { status, stderr, stdout } = await berth(['server', 'show', 'wbe-1']);
  assert.deepEqual([status, stdout], [5, '']);
  assert.match(stderr, /^Error: .*wbe-1.*\nDid you mean web-1\?\n$/s);
  const os = await berth([
    'server',
    'create',
    'x',
    ...size,
    '--os',
    'debian-21',
    '--generate-password',
  ]);
  assert.equal(os.status, 2, os.stderr);
  assert.match(os.stderr, /Did you mean debian-12\?/);
});

test('a wrong verb or noun is refused, with the one that was meant', async () => {
  const verb = await berth(['server', 'lsit']);
  assert.deepEqual([verb.status, /Did you mean list\?/.test(verb.stderr)], [2, true], verb.stderr);
  const noun = await berth(['sever', 'list']);
  assert.deepEqual(
    [noun.status, /Did you mean server\?/.test(noun.stderr)],
    [2, true],
    noun.stderr,
  );
});

test('actions wait for their operations, on several servers at once', async () => {
  await create('web-2');
  const stopped = await berth(['server', 'stop', 'web-1', 'web-2']);
  assert.deepEqual([stopped.status, stopped.stdout], [0, 'web-1 is stopped.\nweb-2 is stopped.\n']);
  assert.equal((await shown('web-1')).status, 'stopped');
  const operations = await json<Schemas['Operation'][]>('server', 'start', 'web-1', 'web-2');
  assert.deepEqual(
    operations.map(({ kind, status }) => [kind, status]),
    [
      ['start', 'succeeded'],
      ['start', 'succeeded'],
    ],
  );
  const restarted = await json<Schemas['Operation']>('server', 'restart', 'web-1');
  assert.deepEqual([restarted.kind, restarted.status], ['restart', 'succeeded']);
  for (const verb of ['pause', 'unpause']) {
    const { status, stderr } = await berth(['server', verb, 'web-1']);
    assert.equal(status, 0, stderr);
  }
  assert.equal((await berth(['server', 'stop', '--force', 'web-2'])).status, 0);
});

test('what is not possible now has the exit status 6, and the others are done nevertheless', async () => {
  await berth(['server', 'stop', 'web-2', '--force']);
  const { status, stdout, stderr } = await berth(['server', 'start', 'web-1', 'web-2']);
  assert.deepEqual([status, stdout], [6, 'web-2 is started.\n'], stderr);
  assert.match(stderr, /^Error: /);
});

test('--no-wait returns as soon as the request was accepted', async () => {
  const accepted = await json<Schemas['Operation']>('server', 'restart', 'web-1', '--no-wait');
  assert.equal(accepted.kind, 'restart');
  const { status, stdout } = await berth(['operation', 'watch', String(accepted.id)]);
  assert.equal(status, 0, stdout);
  const watched = await berth(['server', 'watch', 'web-1', '--until-idle']);
  assert.match(watched.stdout, /^\d\d:\d\d:\d\d UTC {2}started {2}/);
});

test('a wait that is too long has the exit status 8, and the operation continues', async () => {
  await create('slow');
  simulator.setTiming({ shutdown: 1500 });
  const { status, stderr } = await berth(['server', 'stop', 'slow', '--timeout', '0s']);
  simulator.setTiming({ shutdown: 0 });
  assert.equal(status, 8, stderr);
  assert.match(
    stderr,
    /has not ended yet, and continues.*\nWait for it with "berth operation watch \d+"/s,
  );
});

test('a server is deleted only if somebody confirms it', async () => {
  await create('gone');
  const refused = await berth(['server', 'delete', 'gone']);
  assert.equal(refused.status, 9);
  assert.match(refused.stderr, /gone will be deleted with all data.*\nTo confirm it, add --yes\./s);
  const declined = inTerminal(['server', 'delete', 'gone']);
  await declined.answers('Continue?', `n${enter}`);
  assert.equal((await declined.ended()).status, 9);
  assert.equal((await shown('gone')).hostname, 'gone');
  const confirmed = inTerminal(['server', 'delete', 'gone']);
  await confirmed.answers('Continue?', `y${enter}`);
  const { status } = await confirmed.ended();
  assert.equal(status, 0, confirmed.shown());
  assert.match(confirmed.shown(), /gone is deleted\./);
  assert.equal((await berth(['server', 'show', 'gone'])).status, 5);
  await create('gone-too');
  const { id } = await shown('gone-too');
  const unconfirmed = await berth(['server', 'delete', String(id)]);
  assert.match(unconfirmed.stderr, new RegExp(`gone-too \\(${id}\\) will be deleted`));
  const byId = await berth(['server', 'delete', String(id), '--yes']);
  assert.deepEqual([byId.status, byId.stdout], [0, `gone-too (${id}) is deleted.\n`]);
});

test('a terminal shows the progress in words, and no colours with NO_COLOR', async () => {
  simulator.setTiming({ shutdown: 700 });
  const coloured = inTerminal(['server', 'stop', 'web-1']);
  await coloured.ended();
  assert.match(coloured.shown(), /web-1 {2}[█░]{20} +\d+ % {2}\S.* /);
  const plain = inTerminal(['server', 'start', 'web-1'], { env: { NO_COLOR: '1' } });
  await plain.ended();
  simulator.setTiming({ shutdown: 0 });
  // Escape sequences that move the cursor remain.
  assert.doesNotMatch(plain.raw().replaceAll('\u001b', 'ESC'), /ESC\[[0-9;]*m/);
  const list = inTerminal(['server', 'list']);
  await list.ended();
  assert.ok(list.raw().includes('\u001b[32mstarted'));
});

test('a create asks in a terminal for what is missing, with the choices of the installation', async () => {
  const session = inTerminal(['server', 'create']);
  await session.answers('Name:', `asked${enter}`);
  await session.sees('Operating system:');
  await session.answers('debian-12', enter);
  await session.answers('CPU cores, 1 to', enter);
  // As the options take it.
  await session.answers('Memory,', `1X${enter}`);
  await session.answers('It must be like 512, 512M or 2G.', `\u0015512M${enter}`);
  await session.answers('Disk,', `9T${enter}`);
  await session.answers('It must be from 2 GiB to', `\u00155${enter}`);
  await session.answers('Password of root of asked', `secret-of-asked${enter}`);
  await session.answers('The same password again:', `secret-of-asked${enter}`);
  const { status } = await session.ended();
  assert.equal(status, 0, session.shown());
  assert.ok(!session.shown().includes('secret-of-asked'));
  const { specifications } = await shown('asked');
  assert.deepEqual(specifications, { cpu: 1, ram: 512, disk: 5 });
});

test('a create without a terminal names what is missing', async () => {
  const { status, stderr } = await berth(['server', 'create', 'x', '--cpu', '1']);
  assert.equal(status, 2);
  assert.match(stderr, /The server needs --os, --ram, --disk\./);
  const noPassword = await berth(['server', 'create', 'x', ...size]);
  assert.match(noPassword.stderr, /A password of root of x is missing\.\nAdd --password-stdin/);
  const withKey = await berth(['server', 'create', 'x', ...size, '--ssh-key', 'laptop']);
  assert.match(withKey.stderr, /is missing\.\nAdd --no-password-login/);
  // A dry run creates nothing that would have one.
  const plan = await berth(['server', 'create', 'x', ...size, '--dry-run']);
  assert.deepEqual([plan.status, plan.stderr], [0, '']);
  assert.doesNotMatch(plan.stdout, /Password/);
});

test('a create that is not waited for names its operation', async () => {
  const { stderr } = await create('later-1', '--no-wait');
  assert.match(stderr, /^Follow it with "berth operation watch \d+"\.$/m);
  type Created = Schemas['Server'] & { operation: Schemas['OperationOutcome']; password: string };
  const flags = ['--generate-password', '--no-wait'];
  const created = await json<Created>('server', 'create', 'later-2', ...size, ...flags);
  assert.ok(created.operation.id > 0);
  assert.match(created.password, /^\S{24}$/);
  const ended = ['operation', 'watch', String(created.operation.id)];
  assert.equal((await berth(ended)).status, 0);
  const waited = await json<Created>('server', 'create', 'later-3', ...size, '--generate-password');
  assert.equal(waited.operation.status, 'succeeded');
});

test('values of an option are separated by spaces or by commas', async () => {
  const failed = ['--status', 'failed,superseded'];
  assert.equal((await berth(['operation', 'list', ...failed, '-o', 'name'])).stdout, '');
  const all = await berth(['operation', 'list', '--status', 'failed,succeeded', '-o', 'name']);
  assert.match(all.stdout, /^\d+$/m);
  const wrong = await berth(['operation', 'list', '--status', 'failed,frob']);
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /'failed,frob' is invalid/);
});

test('a password comes from standard input, and is not printed', async () => {
  const args = ['server', 'create', 'piped', ...size, '--password-stdin', '--command', 'exit 3'];
  const { status, stdout, stderr } = await berth(args, { input: 'from-a-pipe-1\n' });
  assert.equal(status, 0, stderr);
  assert.ok(!`${stdout}${stderr}`.includes('from-a-pipe-1'));
  assert.match(
    stderr,
    /Initial command 1 of 1 failed with exit status 3\. Its output: berth operation output \d+ 0/,
  );
  const changed = await berth(['server', 'password', 'piped', '--password-stdin'], {
    input: 'another-one-2',
  });
  assert.equal(changed.status, 0, changed.stderr);
  const generated = await json<{ password: string }>('server', 'password', 'piped');
  assert.ok(generated.password.length > 8);
});

test('a dry run says where a server would run, and creates nothing', async () => {
  const args = ['server', 'create', 'dry', ...size, '--generate-password', '--dry-run'];
  const { status, stdout } = await berth(args);
  assert.equal(status, 0);
  assert.match(stdout, /^NODE +\S+\nADDRESSES +\d/);
  assert.equal((await berth(['server', 'show', 'dry'])).status, 5);
});

test('a server is resized, renamed, labelled, protected and rebuilt', async () => {
  await create('old');
  const done = async (...args: string[]) => {
    const { status, stdout, stderr } = await berth(['server', ...args]);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  assert.equal(await done('resize', 'old', '--cpu', '2', '--ram', '1G'), 'old has its new size.\n');
  assert.equal(await done('rename', 'old', 'newer'), 'old is newer now.\n');
  const renamed = await json<Schemas['Server']>('server', 'rename', 'newer', 'new');
  assert.deepEqual(
    [renamed.hostname, renamed.allowed_actions],
    ['new', (await shown('new')).allowed_actions],
  );
  await done('label', 'new', 'a=1', 'b=2');
  await done('label', 'new', 'a-');
  assert.equal(
    await done('label', 'new', 'web-1', 'c=3'),
    'new has its labels.\nweb-1 has its labels.\n',
  );
  const unlabelled = await json<Schemas['Server'][]>('server', 'label', 'new', 'web-1', 'c-');
  assert.ok(unlabelled.every(({ labels }) => !('c' in labels)));
  assert.equal((await berth(['server', 'label', 'new', 'web-1'])).status, 2);
  assert.equal((await berth(['server', 'label', 'new', 'nobody', 'd=4'])).status, 5);
  await done('label', 'new', 'd-');
  await done('update', 'new', '--notes', 'For tests.', '--protect', 'delete');
  const now = await shown('new');
  assert.deepEqual(
    [now.specifications.cpu, now.specifications.ram, now.labels, now.notes, now.protection.delete],
    [2, 1024, { b: '2' }, 'For tests.', true],
  );
  const protectedOne = await berth(['server', 'delete', 'new', '--yes']);
  assert.equal(protectedOne.status, 6, protectedOne.stderr);
  await done('update', 'new', '--unprotect', 'delete');
  assert.match(
    await done('rebuild', 'new', '--yes', '--generate-password'),
    /^Password of root: \S+\nnew is rebuilt\.\n$/,
  );
  assert.equal((await berth(['server', 'resize', 'new'])).status, 2);
  assert.equal((await berth(['server', 'update', 'new'])).status, 2);
});

test('administrators suspend servers, and set their traffic allowance', async () => {
  await create('unpaid');
  const suspended = await berth(['server', 'suspend', 'unpaid', '--reason', 'It is unpaid.']);
  assert.equal(suspended.status, 0, suspended.stderr);
  assert.equal((await shown('unpaid')).suspension?.reason, 'It is unpaid.');
  assert.equal((await berth(['server', 'unsuspend', 'unpaid'])).status, 0);
  const set = await berth(['server', 'set-traffic', 'unpaid', '--allowance', '2T']);
  assert.equal(set.stdout, 'unpaid may transfer 2 TB a month.\n');
  assert.match((await berth(['server', 'traffic', 'unpaid'])).stdout, /ALLOWANCE +2 TB/);
  const moved = await berth(['server', 'move', 'unpaid']);
  assert.notEqual(moved.status, 0, 'there is only one node');
  assert.equal((await berth(['server', 'retry', 'unpaid'])).status, 6);
});

test('the usage is drawn, or printed as data', async () => {
  const drawn = await berth(['server', 'usage', 'web-1']);
  assert.equal(drawn.status, 0, drawn.stderr);
  assert.match(drawn.stdout, /^CPU/);
  const { series } = await json<Schemas['UsageHistory']>(
    'server',
    'usage',
    'web-1',
    '--metric',
    'cpu',
    'ram',
  );
  assert.deepEqual(
    series.map(({ metric }) => metric),
    ['cpu', 'ram'],
  );
  const csv = await berth([
    'server',
    'usage',
    'web-1',
    '--metric',
    'cpu',
    '--last',
    '5m',
    '-o',
    'csv',
  ]);
  assert.match(csv.stdout, /^time,cpu\n\d{4}-/);
});

test('top shows all servers with the busiest first', async () => {
  const once = await berth(['top', '--once']);
  assert.match(once.stdout, /^\d+ servers, \d+ running .* UTC\nNAME +STATUS +CPU +MEMORY/);
  const one = await berth(['top', '--once', '--label', 'env=prod']);
  assert.match(one.stdout, /^1 server, \d running /, one.stderr);
  assert.equal((await berth(['top'])).status, 1, 'it needs a terminal');
  const stopping = new AbortController();
  const live = inTerminal(['top', '--interval', '1s'], { signal: stopping.signal });
  await live.sees('web-1');
  stopping.abort();
  assert.equal((await live.ended()).status, 130);
});

test('ssh runs the ssh of this machine, and returns its exit status', async () => {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'ssh'), `#!/bin/sh\necho "$@" > "${home}/ssh-arguments"\nexit 42\n`);
  chmodSync(join(bin, 'ssh'), 0o755);
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const { status } = await berth(['server', 'ssh', 'web-1', '-p', '22', 'uptime', '-p'], { env });
  assert.equal(status, 42);
  const { ip_addresses: addresses } = await shown('web-1');
  const given = readFileSync(join(home, 'ssh-arguments'), 'utf8');
  assert.equal(
    given,
    `-l root -p 22 ${addresses.find(({ is_primary }) => is_primary)?.ip} uptime -p\n`,
  );
});
