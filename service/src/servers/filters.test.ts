import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Project } from '../db/project.ts';
import { createTestToken } from '../testing/app.ts';
import { createTestProject } from '../testing/people.ts';
import { rowsRead } from '../testing/rows-read.ts';
import { enterServer } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';
import {
  findServersNamed,
  findServersWithUuid,
  listServers,
  type ServerFilters,
  type ServerOrder,
} from './queries.ts';

const { db, place, ask, close } = await createWholeApp();
after(close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

const ids: Record<string, number> = {};
let theirs: number;

before(async () => {
  theirs = await createTestProject(db, 'theirs');
  const rows: [hostname: string, status: 'started' | 'stopped' | 'paused', day: string][] = [
    ['web-1', 'started', '2026-01-01 12:00:00+00'],
    ['web-2', 'stopped', '2026-01-02 12:00:00+00'],
    ['Web-3', 'paused', '2026-01-03 12:00:00+00'],
    ['db_1', 'started', '2026-01-04 12:00:00+00'],
  ];
  for (const [hostname, status, day] of rows) {
    const id = await enterServer(db, place, { hostname, status });
    await sql`update servers set created_at = ${day}::timestamptz where id = ${id}`.execute(db);
    ids[hostname] = id;
  }
  ids.foreign = await enterServer(db, { ...place, projectId: theirs }, { hostname: 'foreign' });
});

async function named(query: string, headers = {}, path = '/servers'): Promise<string[]> {
  const answer = await ask('GET', `${path}?${query}`, headers);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json().map(({ hostname }: { hostname: string }) => hostname);
}

describe('filters of servers', () => {
  it('accept several values, separated by commas or repeated', async () => {
    assert.deepEqual(await named('status=started,paused'), ['web-1', 'Web-3', 'db_1']);
    assert.deepEqual(await named('status=started&status=paused'), ['web-1', 'Web-3', 'db_1']);
    assert.deepEqual(await named('hostname=WEB-1,web-3'), ['web-1', 'Web-3']);
    assert.deepEqual(await named('hostname=web-1,nobody'), ['web-1']);
    assert.deepEqual(await named(`location_id=test,${place.locationId}&limit=1`), ['web-1']);
    assert.deepEqual(await named('os_id=debian-12,debian-13&status=stopped'), ['web-2']);
    assert.deepEqual(await named('os_id=debian-13'), []);
    assert.deepEqual(await named(`node=node-1,${place.nodeId}&status=stopped`), ['web-2']);
  });

  it('search by the beginning of a name, and take every character literally', async () => {
    assert.deepEqual(await named('q=WEB'), ['web-1', 'web-2', 'Web-3']);
    assert.deepEqual(await named('q=web-2'), ['web-2']);
    assert.deepEqual(await named('q=eb-1'), []);
    assert.deepEqual(await named('q=db_'), ['db_1']);
    for (const text of ['%25', 'web_1', '_', '%5C', "'"]) {
      assert.deepEqual(await named(`q=${text}`), [], text);
    }
    assert.deepEqual(await named('q=web&sort=-hostname&limit=2'), ['web-2', 'web-1']);
  });

  it('accept a period, including its beginning and excluding its end, in any zone', async () => {
    assert.deepEqual(await named('from=2026-01-02T12:00:00Z&to=2026-01-04T12:00:00Z'), [
      'web-2',
      'Web-3',
    ]);
    // The plus of an offset may be sent unescaped, which is a space in a query.
    for (const offset of ['2026-01-03T13:00:00%2B01:00', '2026-01-03T13:00:00+01:00']) {
      assert.deepEqual(await named(`from=${offset}&to=2026-01-04T00:00:00-11:00`), ['Web-3']);
    }
    assert.deepEqual(await named('to=2026-01-01T11:30:00.000001-00:30'), ['web-1']);
  });

  it('return the total number over all pages', async () => {
    const answer = await ask('GET', '/servers?q=web&limit=1', { prefer: 'count=exact' });
    assert.deepEqual([answer.json().length, answer.headers['total-count']], [1, '3']);
    const next = /<\/v1([^>]*)>/.exec(String(answer.headers.link))?.[1] ?? '';
    const second = await ask('GET', next, { prefer: 'count' });
    assert.deepEqual([second.json()[0].hostname, second.headers['total-count']], ['web-2', '3']);
    const none = await ask('GET', '/servers?q=nobody', { prefer: 'count' });
    assert.deepEqual([none.json(), none.headers['total-count']], [[], '0']);
  });
});

it('a filter with an unknown value says which one it is, and what is allowed', async () => {
  const states = 'Must be one of: creating, started, stopped, paused, deleting, error.';
  const details = {
    'status=started,foo': `${states} The value foo is not.`,
    'status=foo,started,%1b,': `${states} The values foo, \\u{1b} and "" are not.`,
    'status=a,b,c,d,e': `${states} The values a, b, c, d and e are not.`,
    'status=a,b,c,d,e,f,g,a': `${states} The values a, b, c, d, e and 2 others are not.`,
    [`status=${'started,'.repeat(100)}started`]: 'Must be at most 100 values, separated by commas.',
    'ip=10.0.0.1,10.0.0': 'Must be an IPv4 or IPv6 address. The value 10.0.0 is not.',
    'location_id=0': 'Must be the ID or name of a location. The value 0 is not.',
    'location_id=test,nowhere':
      'No location is called nowhere. List the locations with GET /v1/locations.',
    'sort=name': 'Must be one of: id, -id, hostname, -hostname, created_at, -created_at.',
  };
  for (const [query, detail] of Object.entries(details)) {
    const refused = await ask('GET', `/servers?${query}`);
    assert.deepEqual([refused.statusCode, refused.json().errors[0].detail], [422, detail], query);
  }
});

describe('project_id', () => {
  it('selects any projects for administrators, by id or name', async () => {
    assert.deepEqual(await named('project_id=theirs', admin), ['foreign']);
    assert.deepEqual(await named(`project_id=${theirs}`, admin), ['foreign']);
    assert.deepEqual(await named(`project_id=${theirs},default&q=f`, admin), ['foreign']);
    const both = await named(`project_id=theirs,${place.projectId}`, admin);
    assert.deepEqual(both, ['web-1', 'web-2', 'Web-3', 'db_1', 'foreign']);
    const counted = await ask('GET', '/servers?project_id=theirs,default&limit=1', {
      ...admin,
      prefer: 'count',
    });
    assert.equal(counted.headers['total-count'], '5');
  });

  it('can only be the own project for other callers, and the one in the header for administrators', async () => {
    assert.equal((await named('project_id=default')).length, 4);
    for (const project of ['theirs', String(theirs), '999999']) {
      const refused = await ask('GET', `/servers?project_id=${project}`);
      assert.deepEqual(
        [refused.statusCode, refused.json().errors[0].parameter],
        [422, 'project_id'],
      );
    }
    const elsewhere = { ...admin, 'berth-project': 'theirs' };
    assert.deepEqual(await named('project_id=theirs', elsewhere), ['foreign']);
    const refused = await ask('GET', '/servers?project_id=default', elsewhere);
    assert.equal(refused.json().errors[0].parameter, 'project_id');
  });

  it('also works for the list of operations', async () => {
    await enterServer(db, { ...place, projectId: theirs }, { hostname: 'busy', operation: 'stop' });
    const list = async (query: string, headers = {}) =>
      (await ask('GET', `/operations?${query}`, headers)).json();
    const [operation, ...others] = await list('project_id=theirs', admin);
    assert.deepEqual([operation.kind, others], ['stop', []]);
    assert.equal((await list('all_projects=true&kind=stop,start', admin)).length, 1);
    assert.deepEqual(await list('server_id=web-1,web-2&status=pending,running'), []);
    assert.deepEqual(await list(`project_id=theirs&to=${operation.created_at}`, admin), []);
    assert.equal((await list(`project_id=theirs&from=${operation.created_at}`, admin)).length, 1);
    const refused = await ask('GET', '/operations?all_projects=true');
    assert.equal(refused.json().code, 'scope_missing');
  });
});

describe('of very many servers', () => {
  const many = 20_000;
  let project: number;

  before(async () => {
    project = await createTestProject(db, 'large');
    await db.transaction().execute(async (trx) => {
      // Without the triggers, which would count each server in one row.
      await sql`alter table servers disable trigger user`.execute(trx);
      await sql`
        insert into servers (project_id, location_id, os_id, node_id, hostname, mac, cpu, ram_mb,
                             disk_gb, status, real_status, created_at)
        select ${project}, ${place.locationId}, ${place.osId}, ${place.nodeId}, 'host-' || n,
               'mac ' || n, 1, 256, 2, 'started', 'started',
               timestamptz '2026-01-01' + make_interval(mins => n)
        from generate_series(1, ${many}::int) n order by md5(n::text)`.execute(trx);
      await sql`alter table servers enable trigger user`.execute(trx);
    });
    await sql`analyze servers`.execute(db);
  });

  /** Returns how many rows of `servers` a query reads. */
  async function readFor(work: (project: Project) => Promise<unknown>): Promise<number> {
    return await rowsRead(db, 'servers', (trx) => work(new Project(trx, project)));
  }

  const page = (filters: ServerFilters, order: Partial<ServerOrder> = {}, after?: string) =>
    [
      `${JSON.stringify(filters)} by ${order.sort ?? 'id'}`,
      (rows: Project) => {
        const wanted = { sort: 'id', descending: false, ...order } as const;
        const begin = after === undefined ? undefined : { value: after, id: 1 };
        return listServers(rows, filters, wanted).page(begin, 20);
      },
    ] as const;

  const cheap = [
    page({}),
    page({}, { descending: true }),
    page({}, { sort: 'hostname' }),
    page({}, { sort: 'hostname', descending: true }, 'host-5'),
    page({}, { sort: 'created_at' }),
    page({}, { sort: 'created_at', descending: true }, '2026-01-05T00:00:00Z'),
    page({ hostname: ['HOST-77', 'host-78'] }),
    page({ q: 'host-1234' }),
    page({ q: 'nobody' }),
    page({ from: '2026-01-05T00:00:00Z', to: '2026-01-05T00:30:00Z' }, { sort: 'created_at' }),
    page({ ip: ['10.9.0.7'] }),
    ['a name', (rows: Project) => findServersNamed(rows, 'Host-4711')],
    [
      'a UUID',
      (rows: Project) => findServersWithUuid(rows, '6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10'),
    ],
  ] as const;

  for (const [name, work] of cheap) {
    it(`reads no more rows than it returns: ${name}`, async () => {
      const read = await readFor(work);
      assert.ok(read <= 120, `${read} of ${many} were read`);
    });
  }
});
