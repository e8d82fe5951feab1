import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { loadConfig } from './config/config.ts';
import { suggestFirstServer } from './first-server-queries.ts';
import type { RunningService } from './parts.ts';
import { startService } from './start.ts';
import { createWholeApp } from './testing/whole-app.ts';
import { welcome } from './welcome.ts';

const whole = await createWholeApp();
after(whole.close);
const { db, place } = whole;

const running: RunningService = {
  url: 'http://127.0.0.1:8080',
  panelUrl: 'https://berth.example',
  hasHelp: true,
  dataDir: '/srv/berth',
  isEmbedded: true,
  admin: { token: 'canary', created: true, path: "/it's/admin-token" },
  setup: 'over',
  hasLocation: true,
  firstServer: { location: 'berlin', os: 'debian-12' },
  stop: async () => undefined,
};
const real = { isSimulated: false, isTerminal: false };

test('the first start shows how to create a first server, in an existing location', () => {
  const said = welcome(running, real);
  assert.match(
    said,
    /berth login http:\/\/127\.0\.0\.1:8080 --token-stdin < '\/it'\\''s\/admin-token'\n/,
  );
  assert.match(said, /server create web-1 --location berlin --os debian-12 /);
  assert.match(said, /berth server ssh web-1\n/);
  assert.ok(!said.includes('canary'));
});

test('the help is named where it is built, and otherwise how to build it', () => {
  assert.match(welcome(running, real), /\(help: http:\/\/127\.0\.0\.1:8080\/help, reference/);
  assert.doesNotMatch(welcome(running, real), /npm run docs/);
  const without = welcome({ ...running, hasHelp: false }, real);
  assert.match(without, /\(reference of the API: http:\/\/127\.0\.0\.1:8080\/docs\)\n/);
  assert.match(without, /\/help is not built\. To build it: npm run docs\n/);
});

test('only a terminal is told of Ctrl-C', () => {
  assert.doesNotMatch(welcome(running, real), /Ctrl-C/);
  const shown = welcome(running, { ...real, isTerminal: true });
  assert.match(shown, /Ctrl-C stops Berth; the servers run on\.\n$/);
});

test('a simulated start does not suggest a login, or that servers continue to run', () => {
  const said = welcome(running, { ...real, isSimulated: true });
  assert.match(said, /Your first server/);
  assert.doesNotMatch(said, /ssh|run on/);
});

test('a later start, one without a location, and one with other services do not', () => {
  const { admin } = running;
  assert.ok(typeof admin === 'object');
  const later = welcome({ ...running, admin: { ...admin, created: false } }, real);
  assert.match(later, /The admin token is in \/it's\/admin-token/);
  const without = welcome({ ...running, hasLocation: false, firstServer: undefined }, real);
  assert.match(without, /no location yet.*npm run location/);
  const beside = welcome({ ...running, admin: 'elsewhere' }, real);
  assert.match(
    beside,
    /admin token is in the data directory of the service.*npm run token -- create --name NAME --scopes admin/,
  );
  const revoked = welcome({ ...running, admin: 'revoked' }, real);
  assert.match(
    revoked,
    /was revoked\. .*Create another one: BERTH_DATA_DIR=\/srv\/berth npm run token -- create --name NAME --scopes admin --out FILE\n/,
  );
  for (const said of [later, without, beside, revoked])
    assert.doesNotMatch(said, /first server|npx/);
});

test('as long as there is no user, a start says where to make one, and shows the code only on a terminal', () => {
  assert.doesNotMatch(welcome(running, real), /setup/);
  const open = { ...running, setup: { code: '7Q2M-K4ZD', path: '/srv/berth/setup-code' } };
  const stored = welcome(open, real);
  assert.match(stored, /Open https:\/\/berth\.example\/setup to make the first administrator\./);
  assert.match(stored, /The code is in \/srv\/berth\/setup-code, which only its owner can read/);
  assert.ok(!stored.includes('7Q2M'));
  const shown = welcome(open, { ...real, isTerminal: true });
  assert.match(shown, /Open https:\/\/berth\.example\/setup and enter the code 7Q2M-K4ZD/);
  const beside = welcome({ ...running, setup: 'elsewhere' }, { ...real, isTerminal: true });
  assert.match(
    beside,
    /data directory of another service.*BERTH_DATA_DIR=\/srv\/berth npm run user -- create --email EMAIL --admin\n/,
  );
});

test('a suggested command for an external database has its variable, and not its password', () => {
  const beside = { ...running, isEmbedded: false, admin: 'elsewhere', setup: 'elsewhere' } as const;
  const said = welcome(beside, real);
  const variables = 'DATABASE_URL=… BERTH_DATA_DIR=/srv/berth';
  const token = 'npm run token -- create --name NAME --scopes admin --out FILE';
  assert.ok(said.includes(`Create another one: ${variables} ${token}\n`), said);
  const user = 'npm run user -- create --email EMAIL --admin';
  assert.ok(said.includes(`Without it: ${variables} ${user}\n`), said);
});

test('the suggested location and operating system are valid for a create, and are shown until there was a server', async () => {
  const { locationId, osId } = place;
  const named = await db
    .selectFrom('locations')
    .innerJoin('operating_systems', (join) => join.onTrue())
    .select(['locations.name as location', 'slug as os'])
    .where('locations.id', '=', locationId)
    .where('operating_systems.id', '=', osId)
    .executeTakeFirstOrThrow();
  const change = (values: { enabled?: boolean; os_ids?: number[] | null }) =>
    db.updateTable('locations').set(values).where('id', '=', locationId).execute();
  assert.deepEqual(await suggestFirstServer(db), named);
  await change({ os_ids: [osId + 1] });
  const other = await suggestFirstServer(db);
  assert.ok(other);
  assert.notEqual(other.os, named.os);
  await change({ os_ids: null, enabled: false });
  assert.equal(await suggestFirstServer(db), undefined);
  await change({ enabled: true });
  assert.equal((await whole.create()).statusCode, 201);
  assert.equal(await suggestFirstServer(db), undefined);
});

test('a port in use is reported before anything else is done', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const config = loadConfig({ BERTH_PORT: String(port), BERTH_DATA_DIR: '/nowhere/that/is' });
  const say = () => assert.fail('it began');
  const { signal } = new AbortController();
  const start = startService(config, say, { signal, always: () => undefined });
  await assert.rejects(start, new RegExp(`The port ${port} of 127.0.0.1 is in use`));
});
