import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, serve } from '../../../client/testing/server.ts';
import { createHome } from '../../testing/terminal.ts';

const { berth, inTerminal } = createHome();
const { url } = await serve([json([])]);
const env = { BERTH_URL: url, BERTH_TOKEN: 'berth_x' };

async function shown(...args: string[]): Promise<string> {
  const session = inTerminal(args, { env });
  const { status, stdout } = await session.ended();
  assert.equal(status, 0, stdout);
  return stdout.replaceAll('\r', '');
}

test('an empty list says which filters select nothing, or how to make the first object', async () => {
  assert.equal(
    await shown('server', 'list'),
    'There are no servers yet. Create one with: berth server create\n',
  );
  assert.equal(
    await shown('ssh-key', 'ls'),
    'There are no SSH keys yet. Create one with: berth ssh-key create NAME\n',
  );
  assert.equal(await shown('drift', 'list'), 'There is no drift.\n');
  const filters = ['--status', 'stopped', 'error', '-l', 'env=prod', '-A', '--sort', '-id'];
  assert.equal(
    await shown('server', 'list', ...filters),
    'No server matches -s stopped -s error -l env=prod.\n',
  );
  const piped = await berth(['server', 'list', '-l', 'env=prod'], { env });
  assert.match(piped.stdout, /^ID +NAME /);
  assert.equal(piped.stderr, '');
  const program = await berth(['server', 'list', '-o', 'json'], { env });
  assert.deepEqual([program.stdout, program.stderr], ['[]\n', '']);
});

test('a name after a list is refused, with the commands that take it', async () => {
  const { status, stderr } = await berth(['server', 'list', 'web'], { env });
  assert.equal(status, 2);
  assert.match(stderr, /Try "berth server list --search web", or "berth server show web"\.\n$/);
  const unsearched = await berth(['audit', 'list', 'web'], { env });
  assert.equal(unsearched.status, 2);
  assert.match(unsearched.stderr, /--help/);
});

test('verbs have the names that they have in other programs', async () => {
  const help = (...args: string[]) => berth([...args, '--help'], { env });
  assert.match((await help('token')).stdout, / +revoke\|delete .*<token>/);
  for (const [noun, verb] of [
    ['server', 'get'],
    ['server', 'remove'],
    ['token', 'delete'],
    ['member', 'delete'],
    ['context', 'ls'],
    ['image', 'ls'],
    ['user', 'rm'],
  ] as const) {
    const { status, stdout } = await help(noun, verb);
    assert.equal(status, 0, `${noun} ${verb}`);
    assert.match(stdout, new RegExp(`^Usage: berth ${noun} \\w+\\|`), `${noun} ${verb}`);
  }
});
