import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { createTestToken } from '../testing/app.ts';
import { createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { enterServer } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const { app, db, place, ask, create, close } = await createWholeApp();
after(close);

interface Shown {
  id: number;
  hostname: string;
  created_at: string;
}

/** Inserts many servers: each host name has ten, and each time has ten others. */
async function enterMany(count: number): Promise<void> {
  await sql`
    insert into servers (project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb, disk_gb,
                         status, real_status, created_at)
    select ${place.projectId}, ${place.locationId}, ${place.osId}, ${place.nodeId},
           'host-' || n % (${count} / 10), 'mac ' || gen_random_uuid(), 1, 256, 2,
           'started', 'started', timestamptz '2026-01-01' + make_interval(secs => n / 10 * 0.1)
    from generate_series(1, ${count}) n order by random()`.execute(db);
}

before(async () => {
  await enterMany(1200);
});

const list = async (query = ''): Promise<Shown[]> => (await ask('GET', `/servers${query}`)).json();
const idsOf = (servers: Shown[]) => servers.map(({ id }) => id);

/** Follows the links from page to page, and calls `between` after each. */
async function walk(query: string, between: (page: Shown[]) => Promise<void> = async () => {}) {
  const all: Shown[] = [];
  for (let path: string | undefined = `/servers?${query}`; path; ) {
    const answer = await ask('GET', path);
    assert.equal(answer.statusCode, 200, answer.body);
    all.push(...answer.json());
    const link = String(answer.headers.link ?? '');
    path = /^<\/v1(\/servers\?[^>]*)>; rel="next"$/.exec(link)?.[1];
    assert.ok(path || !link, link);
    await between(answer.json());
  }
  return all;
}

const sorts = ['id', '-id', 'hostname', '-hostname', 'created_at', '-created_at'];

test('without a limit, all servers come at once, in the order of their ids', async () => {
  const answer = await ask('GET', '/servers');
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.headers.link, undefined);
  const ids = idsOf(answer.json());
  assert.equal(ids.length, 1200);
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
});

test('an empty list is an array', async () => {
  assert.deepEqual(await list('?status=error'), []);
  assert.deepEqual(await list('?hostname=nobody&limit=5'), []);
});

test('the pages of any order have all servers, without gaps or repetitions', async () => {
  const everyone = await list();
  for (const sort of sorts) {
    const whole = await list(`?sort=${sort}`);
    const paged = await walk(`sort=${sort}&limit=190`);
    assert.deepEqual(idsOf(paged), idsOf(whole), sort);
    assert.equal(new Set(idsOf(paged)).size, everyone.length);
    const column = sort.replace('-', '') as keyof Shown;
    const direction = sort.startsWith('-') ? -1 : 1;
    const inOrder = paged.every((server, at) => {
      const previous = paged[at - 1];
      if (!previous || column === 'hostname') return true;
      const before = direction * (previous[column] < server[column] ? -1 : 1);
      return before < 0 || (previous[column] === server[column] && before !== 0);
    });
    assert.ok(inOrder, sort);
  }
});

test('the descending order is the reverse of the ascending one', async () => {
  for (const sort of ['id', 'hostname', 'created_at']) {
    const up = idsOf(await list(`?sort=${sort}`));
    assert.deepEqual(idsOf(await list(`?sort=-${sort}`)), up.toReversed());
  }
});

test('a server that stays is listed once, while others come and go between the pages', async () => {
  for (const sort of sorts) {
    const gone = new Set<number>();
    const came = new Set<number>();
    const stay = new Set(idsOf(await list()));
    const seen = await walk(`sort=${sort}&limit=250`, async (page) => {
      // The last one of the page, to which the cursor refers, and the first one.
      for (const server of [page.at(-1), page[0]]) {
        if (server) gone.add(server.id);
      }
      await db
        .updateTable('servers')
        .set({ deleted_at: new Date() })
        .where('id', 'in', [...gone])
        .execute();
      came.add(await enterServer(db, place, { hostname: `host-${page.length}` }));
    });
    const ids = idsOf(seen);
    assert.equal(new Set(ids).size, ids.length, `${sort}: no server is listed twice`);
    const missed = [...stay].filter((id) => !ids.includes(id));
    assert.deepEqual(missed, [], `${sort}: no server is missing`);
  }
});

test('the list is complete while servers come and go', async () => {
  const stay = new Set(idsOf(await list()));
  const coming = Array.from({ length: 20 }, (_, at) =>
    enterServer(db, place, { hostname: `late-${at}` }),
  );
  const lists = await Promise.all([list(), list(), list('?sort=-hostname')]);
  await Promise.all(coming);
  for (const servers of lists) {
    const ids = new Set(idsOf(servers));
    assert.equal(ids.size, servers.length);
    assert.ok([...stay].every((id) => ids.has(id)));
  }
});

test('a page without a limit continues from its cursor to the end', async () => {
  const answer = await ask('GET', '/servers?limit=100');
  const cursor = /cursor=([^&>]*)/.exec(String(answer.headers.link))?.[1];
  const rest = await list(`?cursor=${cursor}`);
  assert.deepEqual([...idsOf(answer.json()), ...idsOf(rest)], idsOf(await list()));
});

test('the next page keeps the prefix, the filters and the order', async () => {
  const query = '/servers?hostname=host-7&sort=-created_at&limit=3&location_id=1';
  const link = String((await ask('GET', query, { prefix: '/api/v1' })).headers.link);
  const url = new URL(/^<(.*)>; rel="next"$/.exec(link)?.[1] ?? '', 'http://x');
  assert.equal(url.pathname, '/api/v1/servers');
  const { cursor, ...kept } = Object.fromEntries(url.searchParams);
  assert.ok(cursor);
  assert.deepEqual(kept, {
    hostname: 'host-7',
    sort: '-created_at',
    limit: '3',
    location_id: '1',
  });
  const paged = await walk('hostname=host-7&limit=3');
  assert.deepEqual(idsOf(paged), idsOf(await list('?hostname=host-7')));
});

test('each filter selects the servers that match', async () => {
  const { rows } = await sql<{ locationId: number; nodeId: number }>`
    with location as (
      insert into locations (name, description, engine, incus_project, storage_pool, network,
                             max_cpu, max_ram_mb, max_disk_gb)
      values ('second', '', '{}', '', '', '', 1, 1, 1) returning id
    )
    insert into nodes (location_id, name, status, cpu, ram_mb)
    select id, 'node-2', 'online', 1, 1 from location
    returning location_id as "locationId", id as "nodeId"`.execute(db);
  const alpine = await db
    .selectFrom('operating_systems')
    .select('id')
    .where('slug', '=', 'alpine-3.22')
    .executeTakeFirstOrThrow();
  const elsewhere = { ...place, ...rows[0], osId: alpine.id };
  const id = await enterServer(db, elsewhere, { status: 'paused', hostname: 'Odd.example' });
  for (const query of [
    'status=paused',
    `location_id=${elsewhere.locationId}`,
    `os_id=${alpine.id}`,
    'node=node-2',
    'hostname=Odd.example',
    `status=paused&node=node-2&os_id=${alpine.id}&limit=5&sort=-hostname`,
  ]) {
    assert.deepEqual(idsOf(await list(`?${query}`)), [id], query);
  }
  for (const query of ['status=paused&node=node-1', `os_id=${alpine.id}&hostname=host-1`]) {
    assert.deepEqual(await list(`?${query}`), [], query);
  }
  assert.ok(!idsOf(await list('?status=started')).includes(id));
});

test('a server is found by each of its addresses, in any notation', async () => {
  const { id, ip_addresses } = (await create()).json();
  assert.equal(ip_addresses.length, 2);
  const [v4, v6] = ip_addresses.map(({ ip }: { ip: string }) => ip);
  const long = v6.replace('::', ':0000:0:0:0:0:').toUpperCase();
  for (const ip of [v4, v6, long]) assert.deepEqual(idsOf(await list(`?ip=${ip}`)), [id], ip);
  assert.deepEqual(await list('?ip=10.9.0.250'), []);
});

test('times have six fractional digits, whatever was stored', async () => {
  for (const [stored, shown] of [
    ['2026-03-04 05:06:07+00', '2026-03-04T05:06:07.000000Z'],
    ['2026-03-04 05:06:07.1+00', '2026-03-04T05:06:07.100000Z'],
    ['2026-03-04 05:06:07.123456+00', '2026-03-04T05:06:07.123456Z'],
    ['2026-03-04 05:06:07.000001+02', '2026-03-04T03:06:07.000001Z'],
    ['2026-12-31 23:59:59.999999-01:30', '2027-01-01T01:29:59.999999Z'],
  ] as const) {
    const id = await enterServer(db, place);
    await sql`update servers set created_at = ${stored} where id = ${id}`.execute(db);
    assert.equal((await ask('GET', `/servers/${id}`)).json().created_at, shown);
  }
});

test('administrators, and nobody else, can list the servers of all projects', async () => {
  const projectId = await createTestProject(db, 'another');
  const theirs = await enterServer(db, { ...place, projectId });
  const admin = await createTestToken(db);
  const all = await ask('GET', '/servers?all_projects=true', { ...admin.headers });
  assert.deepEqual(all.json().find(({ id }: Shown) => id === theirs)?.project_id, projectId);
  assert.equal(all.json().length, (await list()).length + 1);
  const path = '/servers?all_projects=true&limit=1&sort=-id';
  const page = await ask('GET', path, { ...admin.headers });
  assert.deepEqual(idsOf(page.json()), [theirs]);
  assert.match(String(page.headers.link), /all_projects=true/);
  for (const query of ['', '?all_projects=false']) {
    const own = await ask('GET', `/servers${query}`, { ...admin.headers });
    assert.ok(!idsOf(own.json()).includes(theirs));
  }

  const owner = await createTestUser(db, {
    roles: { [projectId]: 'owner', [place.projectId]: 'owner' },
  });
  const refused = [
    await ask('GET', path),
    await (await signInAs(app, owner.credentials)).ask('GET', path),
  ];
  for (const answer of refused) {
    assert.deepEqual([answer.statusCode, answer.json().code], [403, 'scope_missing']);
  }
});
