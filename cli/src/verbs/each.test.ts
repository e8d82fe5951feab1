import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { enterServer } from '../../../service/src/testing/servers.ts';
import { startInstallation } from '../../testing/installation.ts';
import { createHome } from '../../testing/terminal.ts';

// The limit that an installation has unless it is configured.
const { url, token, database, close } = await startInstallation({ BERTH_LIMIT_ACTIONS: '5/20' });
after(close);
const { berth } = createHome({ BERTH_URL: url, BERTH_TOKEN: token });

test('of several servers, an error names the one that it is about', async () => {
  const created = await berth([
    ...[
      'server',
      'create',
      'runs',
      '--os',
      'debian-12',
      '--cpu',
      '1',
      '--ram',
      '512M',
      '--disk',
      '5G',
    ],
    '--generate-password',
  ]);
  assert.equal(created.status, 0, created.stderr);
  const { status, stderr } = await berth(['server', 'start', 'runs', 'nobody']);
  assert.equal(status, 6);
  assert.match(stderr, /^Error: runs: The server is running already\.$/m);
  assert.match(stderr, /^Error: No server is called nobody\.$/m);
});

test('more names than the limit of requests allows at once are all done', async () => {
  const { db } = database;
  const idOf = async (table: 'projects' | 'locations' | 'nodes' | 'operating_systems') =>
    (await db.selectFrom(table).select('id').orderBy('id').executeTakeFirstOrThrow()).id;
  const place = {
    ...{ projectId: await idOf('projects'), locationId: await idOf('locations') },
    ...{ nodeId: await idOf('nodes'), osId: await idOf('operating_systems') },
  };
  const names = Array.from({ length: 32 }, (_, index) => `web-${index}`);
  for (const hostname of names) await enterServer(db, place, { hostname, status: 'stopped' });
  const deleted = await berth(['server', 'delete', ...names, '--yes', '--no-wait']);
  assert.equal(deleted.status, 0, deleted.stderr);
  assert.equal(deleted.stdout.trim().split('\n').length, names.length);
});
