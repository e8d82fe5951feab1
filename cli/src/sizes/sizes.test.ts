import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedIn } from '../../testing/signed-in.ts';
import { enter } from '../../testing/terminal.ts';
import type { Schemas } from '../schemas.ts';

const { berth, inTerminal } = await signedIn();

async function done(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await berth(args);
  assert.equal(status, 0, `berth ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function json<T>(...args: string[]): Promise<T> {
  return JSON.parse(await done(...args, '-o', 'json')) as T;
}

const server = (name: string) => json<Schemas['Server']>('server', 'show', name);
const small = ['--cpu', '1', '--ram', '512M', '--disk', '5G'];
const price = ['--hourly', '0.0074', '--monthly', '4.59', '--currency', 'EUR'];
const access = ['--os', 'debian-12', '--generate-password'];

test('administrators make sizes, whose prices are listed as they were given', async () => {
  assert.equal(
    await done('size', 'create', 'small', ...small, ...price),
    'Size small (1) is created.\n',
  );
  const large = ['--cpu', '2', '--ram', '1G', '--disk', '10G', '--traffic', '2T'];
  await done('size', 'create', 'large', ...large, '--location', 'local', '--description', 'Fast.');
  const [head = '', one = '', other = ''] = (await done('size', 'list')).split('\n');
  assert.match(head, /^ID +NAME +CPU +RAM +DISK +TRAFFIC +HOURLY +MONTHLY +DEPRECATED$/);
  assert.match(one, /^1 +small +1 +512 MiB +5 GiB +- +0\.0074 EUR +4\.59 EUR +no$/);
  assert.match(other, /^2 +large +2 +1 GiB +10 GiB +2 TB +- +- +no$/);
  assert.match(await done('size', 'show', 'large'), /^LOCATIONS +local \(1\)$/m);
  const csv = ['-o', 'csv', '--columns', 'name,hourly,monthly,currency'];
  assert.equal(
    await done('size', 'list', '--search', 'sm', ...csv),
    'name,hourly,monthly,currency\nsmall,0.0074,4.59,EUR\n',
  );
  const halfPrice = await berth(['size', 'create', 'half', ...small, '--hourly', '1']);
  assert.deepEqual([halfPrice.status, halfPrice.stdout], [2, '']);
  assert.match(halfPrice.stderr, /A price needs --hourly and --currency\./);
});

test('a change of a size keeps what it does not name', async () => {
  assert.equal(
    await done('size', 'update', 'small', '--hourly', '0.008'),
    'Size small is changed.\n',
  );
  const now = await json<Schemas['Size']>('size', 'show', 'small');
  assert.deepEqual(now.price, { hourly: '0.008', monthly: '4.59', currency: 'EUR' });
  await done('size', 'update', 'large', '--all-locations', '--traffic', 'none', '--name', 'big');
  const { location_ids, traffic_allowance, description } = await json<Schemas['Size']>(
    ...['size', 'show', 'big'],
  );
  assert.deepEqual([location_ids, traffic_allowance, description], [null, null, 'Fast.']);
  await done('size', 'update', 'big', '--hourly', '1', '--currency', 'EUR', '--monthly', 'none');
  await done('size', 'update', 'big', '--no-price');
  assert.equal((await json<Schemas['Size']>('size', 'show', 'big')).price, null);
  const nothing = await berth(['size', 'update', 'big']);
  assert.equal(nothing.status, 2, nothing.stderr);
});

test('servers get sizes, and are listed by them', async () => {
  await done('server', 'create', 'web-1', '--size', 'small', ...access);
  assert.equal(await done('server', 'list', '--size', 'small', '-o', 'name'), 'web-1\n');
  assert.equal(await done('server', 'list', '--size', 'big', '-o', 'name'), '');
  assert.equal(
    await done('server', 'list', '--columns', 'name,size', '--no-header'),
    'web-1  small\n',
  );
  await done('server', 'resize', 'web-1', '--size', 'big', '--keep-disk');
  const { size, specifications } = await server('web-1');
  assert.deepEqual([size, specifications], ['big', { cpu: 2, ram: 1024, disk: 5 }]);
  const both = await berth(['server', 'create', 'x', '--size', 'small', '--cpu', '1', ...access]);
  assert.equal(both.status, 2);
  assert.match(both.stderr, /--size stands for --cpu, --ram and --disk/);
  const wrong = await berth(['server', 'create', 'x', '--size', 'smal', ...access]);
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /Did you mean small\?/);
});

test('a create asks for a size where there are some, with their prices', async () => {
  const chosen = inTerminal(['server', 'create', 'asked', ...access]);
  await chosen.sees('Size:');
  await chosen.answers('0.008 EUR an hour, at most 4.59 EUR a month', enter);
  assert.equal((await chosen.ended()).status, 0, chosen.shown());
  assert.match(chosen.shown(), /another: choose cores, memory and disk/);
  assert.equal((await server('asked')).size, 'small');
});

test('a project with sizes only refuses others, and is not asked for them', async () => {
  await done('project', 'update', 'default', '--sizes-only', 'yes');
  assert.match(await done('project', 'show', 'default'), /^SIZES ONLY +yes$/m);
  const refused = await berth(['server', 'create', 'x', ...small, ...access]);
  assert.notEqual(refused.status, 0, 'it has no size');
  const session = inTerminal(['server', 'create', 'third', ...access]);
  await session.answers('Size:', enter);
  assert.equal((await session.ended()).status, 0, session.shown());
  assert.doesNotMatch(session.shown(), /another: choose/);
  await done('project', 'update', 'default', '--sizes-only', 'no');
});

test('a statement has the size of each server, and the sum of what they cost', async () => {
  const { prices, servers } = await json<Schemas['Statement']>('statement', 'show');
  assert.deepEqual(
    servers.map(({ hostname, size }) => [hostname, size]),
    [
      ['web-1', 'big'],
      ['asked', 'small'],
      ['third', 'small'],
    ],
  );
  assert.deepEqual(
    prices.map(({ currency }) => currency),
    ['EUR'],
  );
  const shown = await done('statement', 'show', '--columns', 'hostname,size,price,charges');
  assert.match(shown, /^HOSTNAME +SIZE +PRICE +CHARGES$/m);
  assert.match(shown, /^asked +small +\d+(\.\d+)? EUR +small: \d\S* h at 0\.008 EUR: \d\S* EUR$/m);
  assert.match(shown, /^Sum: \d+(\.\d+)? EUR$/m);
});

test('sizes that servers have are not deleted, and are put out of use instead', async () => {
  const used = await berth(['size', 'delete', 'small', '--yes']);
  assert.equal(used.status, 6, used.stderr);
  await done('size', 'update', 'small', '--deprecated', 'yes');
  assert.equal(await done('size', 'list', '--deprecated', 'no', '-o', 'name'), 'big\n');
  await done('size', 'create', 'unused', ...small);
  assert.equal((await berth(['size', 'delete', 'unused'])).status, 9);
  assert.equal(await done('size', 'delete', 'unused', '--yes'), 'Size unused is deleted.\n');
});

test('the shell completes the names of sizes, and none where an amount is meant', async () => {
  const offered = async (...words: string[]) => await done('complete', '--', ...words);
  assert.equal(
    await offered('server', 'create', '--size', 's'),
    'small\t1 CPU, 512 MiB, 5 GiB, deprecated\n',
  );
  assert.match(await offered('size', 'show', 'b'), /^big\t/);
  assert.equal(await offered('server', 'create', '--ram', ''), '');
});
