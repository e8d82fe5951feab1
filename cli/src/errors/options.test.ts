import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from '@commander-js/extra-typings';
import { signedIn } from '../../testing/signed-in.ts';
import { withOptions } from './options.ts';

const { berth } = await signedIn();

const create = [
  'server',
  'create',
  'web-1',
  '--dry-run',
  '--os',
  'debian-12',
  '--location',
  'local',
];
const size = ['--cpu', '1', '--ram', '512M', '--disk', '5G'];

/** What is wrong with a command, without what is suggested. */
async function refusal(...args: string[]): Promise<string> {
  const { status, stderr } = await berth(args);
  assert.notEqual(status, 0, args.join(' '));
  return stderr.split('\n')[0] ?? '';
}

test('a value that the service refuses is named by its option', async () => {
  const cases: [string[], RegExp][] = [
    [[...create, ...size, '--os', 'debian-99'], /^Error: --os: No .*debian-99/],
    [[...create, ...size, '--label', 'a b=c'], /^Error: --label a b: /],
    [[...create, ...size, '--ssh-key', 'none'], /^Error: --ssh-key: No .*none/],
    [['server', 'list', '--label', '='], /^Error: --label: /],
    [['server', 'list', '--location', 'nowhere'], /^Error: --location: No .*nowhere/],
    [['location', 'update', 'local', '--max-cpu', '0'], /^Error: --max-cpu: /],
    [['os', 'update', 'debian-12', '--min-disk', '0'], /^Error: --min-disk: /],
    [['token', 'create', 't', '--scope', 'admin', '--network', 'x'], /^Error: --network: /],
  ];
  for (const [args, expected] of cases) assert.match(await refusal(...args), expected);
});

test('of several values of an option, the wrong one is told by its place', async () => {
  const given = ['--network', '10.0.0.0/8', '--network', 'x'];
  assert.match(
    await refusal('token', 'create', 't', '--scope', 'admin', ...given),
    /^Error: --network \(number 2\): /,
  );
});

test('a parameter that the service tells to add is an option', () => {
  const command = new Command('cordon').option('--location <location>');
  assert.equal(
    withOptions(command, 'Several locations have it. Add the parameter location_id.'),
    'Several locations have it. Add --location.',
  );
  assert.equal(withOptions(command, 'Add the parameter other.'), 'Add the parameter other.');
});

test('a field without an option keeps its name', async () => {
  assert.match(await refusal(...create.with(2, 'a_b'), ...size), /^Error: name: /);
});
