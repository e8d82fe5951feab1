import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedIn } from '../../testing/signed-in.ts';

const { berth, inTerminal } = await signedIn();

async function done(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await berth(args);
  assert.equal(status, 0, `berth ${args.join(' ')}: ${stderr}`);
  return stdout;
}

// Nothing is ever sent to this name (RFC 6761, section 6.4).
const url = 'https://hooks.invalid/berth';

test('people are told what the secret is, and that they see it only once', async () => {
  const session = inTerminal(['webhook', 'create', 'seen', '--url', url]);
  assert.equal((await session.ended()).status, 0);
  assert.match(
    session.shown(),
    /Webhook seen \(\d+\) is created\. This is its secret, which is shown only now:\s+whsec_/,
  );
  await done('webhook', 'delete', 'seen', '--yes');
});

test('a webhook is created, shown, changed and deleted', async () => {
  const more = ['--type', 'server.started', '--type', 'server.failed', '-l', 'env=prod'];
  const header = ['--header', 'authorization=Bearer x'];
  const secret = await done('webhook', 'create', 'bot', '--url', url, ...more, ...header);
  assert.match(secret, /^whsec_\S+\n$/);
  const shown = await done('webhook', 'show', 'bot');
  assert.match(shown, /^STATUS +active$/m);
  assert.match(shown, /^TYPES +server\.started\n +server\.failed$/m);
  assert.match(shown, /^HEADER NAMES +authorization$/m);
  assert.ok(!shown.includes(secret.trim()));
  const changed = ['--all-types', '--label', '', '--enabled', 'no', '--name', 'robot'];
  assert.equal(
    await done('webhook', 'update', 'bot', ...changed),
    'Webhook robot is changed, and disabled.\n',
  );
  assert.match(await done('webhook', 'show', 'robot'), /^TYPES +all$/m);
  const rotated = await done('webhook', 'rotate-secret', 'robot', '--keep-former', '1', '--yes');
  assert.match(rotated, /^whsec_\S+\n$/);
  assert.notEqual(rotated, secret);
  assert.equal((await berth(['webhook', 'update', 'robot'])).status, 2);
  assert.equal(await done('webhook', 'list', '-o', 'name'), 'robot\n');
  assert.equal(await done('complete', '--', 'webhook', 'show', 'ro'), `robot\tdisabled, ${url}\n`);
  assert.equal(await done('webhook', 'delete', 'robot', '--yes'), 'Webhook robot is deleted.\n');
});

test('a test says why it was not delivered, and what was sent is listed', async () => {
  await done('webhook', 'create', 'hook', '--url', url, '--disabled');
  const failed = await berth(['webhook', 'test', 'hook']);
  assert.equal(failed.status, 1, failed.stderr);
  assert.match(failed.stdout, /^Delivery \d+ failed: The name of the URL /);
  const [id = ''] = (await done('webhook', 'deliveries', 'hook', '-o', 'name')).split('\n');
  assert.match(await done('webhook', 'delivery', 'hook', id), /^TYPE +webhook\.test$/m);
  assert.match(
    await done('webhook', 'redeliver', 'hook', id, '--no-wait'),
    /^Delivery \d+ is pending\.\n$/,
  );
  const newest = (await done('webhook', 'deliveries', 'hook', '-o', 'name')).split('\n');
  assert.ok(Number(newest[0]) > Number(id));
  assert.match(
    await done('webhook', 'deliveries', 'hook', '--limit', '1'),
    /^ID +TYPE +EVENT ID +STATUS/,
  );
  assert.equal((await berth(['webhook', 'delivery', 'hook', '99999'])).status, 5);
});
