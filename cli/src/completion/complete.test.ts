import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedIn } from '../../testing/signed-in.ts';
import { createHome } from '../../testing/terminal.ts';

const { berth, url } = await signedIn();

/** What the shell is offered for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const { status, stdout, stderr } = await berth(['complete', '--', ...words]);
  assert.deepEqual([status, stderr], [0, '']);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split('\t')[0] ?? '');
}

test('nouns, verbs and options are completed', async () => {
  assert.deepEqual(await offered('ser'), ['server']);
  assert.deepEqual(await offered('server', 'st'), ['status', 'start', 'stop']);
  assert.deepEqual(await offered('server', 'stop', '--fo'), ['--force']);
  assert.deepEqual(await offered('-o', 'json', 'os', 'l'), ['list']);
});

test('values are completed where they are known', async () => {
  assert.deepEqual(await offered('server', 'list', '--status', 'sto'), ['stopped']);
  assert.deepEqual(await offered('server', 'list', '--status=sto'), ['--status=stopped']);
  assert.deepEqual(await offered('server', 'list', '-o', 'y'), ['yaml']);
  assert.deepEqual(await offered('completion', ''), ['bash', 'zsh', 'fish']);
});

test('names come from the service', async () => {
  const size = ['--os', 'debian-12', '--cpu', '1', '--ram', '512', '--disk', '5'];
  for (const name of ['web-1', 'web-2', 'db-1']) {
    await berth(['server', 'create', name, ...size, '--generate-password', '--no-wait']);
  }
  assert.deepEqual(await offered('server', 'show', 'we'), ['web-1', 'web-2']);
  assert.deepEqual(await offered('server', 'stop', 'web-1', ''), ['web-2', 'db-1']);
  assert.deepEqual(await offered('server', 'create', 'x', '--location', ''), ['local']);
  assert.deepEqual(await offered('server', 'create', '--os', 'debian-12'), ['debian-12']);
  assert.deepEqual(await offered('server', 'list', '--project', 'def'), ['default']);
  assert.ok((await offered('operation', 'show', '')).length >= 3);
  for (const noun of ['node', 'token', 'location', 'project', 'os']) {
    assert.ok((await offered(noun, 'show', '')).length > 0, noun);
  }
  const { stdout } = await berth(['complete', '--', 'server', 'show', 'web-1']);
  assert.match(stdout, /^web-1\t\w+, Debian 12\n$/);
});

test('nothing is offered, and nothing is said, where nobody is signed in', async () => {
  const { berth: stranger } = createHome();
  const { stdout, stderr } = await stranger(['complete', '--', 'server', 'show', '']);
  assert.deepEqual([stdout, stderr], ['', '']);
  const env = { BERTH_URL: url, BERTH_TOKEN: 'berth_wrong' };
  const refused = await stranger(['complete', '--', 'server', 'show', ''], { env });
  assert.deepEqual([refused.stdout, refused.stderr], ['', '']);
});

test('the commands in the help are not broken', async () => {
  const { stdout } = await berth(['completion', '--help']);
  assert.match(stdout, /^ +berth completion fish > ~\/\.config\/fish\/completions\/berth\.fish$/m);
});

test('each shell has its script', async () => {
  for (const [shell, has] of Object.entries({
    bash: 'complete -F __berth_complete berth',
    zsh: '#compdef berth',
    fish: 'complete -c berth',
  })) {
    const { status, stdout } = await berth(['completion', shell]);
    assert.equal(status, 0);
    assert.ok(stdout.includes(has), shell);
  }
  assert.equal((await berth(['completion', 'tcsh'])).status, 2);
});
