import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { signedIn } from '../../testing/signed-in.ts';
import { enter } from '../../testing/terminal.ts';

const { berth, inTerminal, home } = await signedIn();

const size = ['--os', 'debian-12', '--cpu', '1', '--ram', '512M', '--disk', '5G'];

async function done(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await berth(args);
  assert.equal(status, 0, `berth ${args.join(' ')}: ${stderr}`);
  return stdout;
}

const statuses = () => done('server', 'list', '--columns', 'name,status', '--no-header');

before(async () => {
  for (const [name, env] of Object.entries({ 'web-1': 'test', 'web-2': 'test', db: 'prod' })) {
    await done('server', 'create', name, ...size, '--generate-password', '--label', `env=${env}`);
  }
});

test('a dry run says which servers would accept an action, and changes nothing', async () => {
  const shown = await done('server', 'stop', '--label', 'env=test', '--dry-run');
  assert.match(
    shown,
    /^ID +NAME +OUTCOME +OPERATION +DETAIL\n1 +web-1 +would accept +- +-\n2 +web-2 /,
  );
  assert.equal(await statuses(), 'web-1  started\nweb-2  started\ndb     started\n');
  const refused = await berth(['server', 'start', 'web-1', 'db', '--dry-run', '-o', 'json']);
  assert.equal(refused.status, 6, refused.stderr);
  const results = JSON.parse(refused.stdout) as { hostname: string; problem: { code: string } }[];
  assert.deepEqual(
    results.map(({ hostname }) => hostname),
    ['web-1', 'db'],
  );
  assert.ok(results.every(({ problem }) => problem.code.startsWith('server_')));
});

test('an action on all servers with a label waits for each, and says what has become of it', async () => {
  const stopped = await done('server', 'stop', '-l', 'env=test');
  assert.match(stopped, /^1 +web-1 +succeeded +\d+ +\S/m);
  assert.match(stopped, /^2 +web-2 +succeeded +\d+ +\S/m);
  assert.equal(await statuses(), 'web-1  stopped\nweb-2  stopped\ndb     started\n');
});

test('if some servers refuse, the others are done, and the exit status says why', async () => {
  const { status, stdout, stderr } = await berth(['server', 'start', '--label', 'env']);
  assert.equal(status, 6, stderr);
  assert.match(stdout, /^1 +web-1 +succeeded .*\n2 +web-2 +succeeded .*\n3 +db +refused +- +\S/m);
  assert.match(stderr, /2 of 3 servers/);
  const accepted = await done('server', 'restart', '-l', 'env=prod', '--no-wait');
  assert.match(accepted, /^3 +db +accepted +\d+ /m);
  await done('server', 'watch', 'db', '--until-idle');
});

test('what deletes servers by their labels names them first', async () => {
  const refused = await berth(['server', 'delete', '-l', 'env=test']);
  assert.equal(refused.status, 9);
  assert.match(refused.stderr, /web-1 and web-2 will be deleted with all data/);
  const session = inTerminal(['server', 'delete', '-l', 'env=test']);
  await session.answers('Continue?', `y${enter}`);
  assert.equal((await session.ended()).status, 0, session.shown());
  assert.equal(await done('server', 'list', '-o', 'name'), 'db\n');
});

test('labels that no server has select none, and names cannot be combined with labels', async () => {
  assert.equal(await done('server', 'delete', '-l', 'env=none', '--yes', '-o', 'json'), '[]\n');
  for (const args of [['stop'], ['stop', 'db', '-l', 'env']]) {
    const { status, stderr } = await berth(['server', ...args]);
    assert.equal(status, 2, stderr);
    assert.match(stderr, /select servers with --label env=test/);
  }
  assert.equal((await berth(['server', 'stop', 'bd', '--dry-run'])).status, 5);
});

test('user data comes from a file or from standard input, and gzip of it as well', async () => {
  const create = (name: string, file: string, input = '') =>
    berth(['server', 'create', name, ...size, '--generate-password', '--user-data', file], {
      input,
    });
  const text = '#!/bin/sh\ntouch /root/ready\n';
  const file = join(home, 'user-data.gz');
  writeFileSync(file, gzipSync(text));
  for (const made of [await create('packed', file), await create('piped', '-', text)]) {
    assert.equal(made.status, 0, made.stderr);
  }
  const creation = ['operation', 'list', '--kind', 'create', '--server', 'piped'];
  const [operation] = JSON.parse(await done(...creation, '-o', 'json'));
  assert.notEqual(operation.user_data, null);
  assert.match(await done('operation', 'show', String(operation.id)), /^USER DATA +\w+$/m);
  const wrong = await create('wrong', '-', 'nothing that cloud-init knows\n');
  assert.equal(wrong.status, 2, wrong.stderr);
  assert.match(wrong.stderr, /^Error: --user-data: /);
  const empty = await create('empty', '-');
  assert.match(empty.stderr, /The user data is empty\./);
  const missing = await create('missing', join(home, 'nowhere'));
  assert.match(missing.stderr, /The user data can't be read: /);
  const rebuild = ['server', 'rebuild', 'piped', '--yes', '--user-data', '-'];
  const unconfirmed = await berth(['server', 'rebuild', 'piped']);
  assert.equal(unconfirmed.status, 9);
  assert.match(unconfirmed.stderr, /add --yes\.\nA password .*Add --password-stdin/);
  const both = await berth([...rebuild, '--password-stdin'], { input: text });
  assert.match(both.stderr, /either the password or the user data/);
  const rebuilt = await berth([...rebuild, '--generate-password'], { input: text });
  assert.equal(rebuilt.status, 0, rebuilt.stderr);
});
