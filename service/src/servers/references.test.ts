import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestProject } from '../testing/people.ts';
import { enterServer } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';
import { markServerDeleted } from './worker-queries.ts';

const { db, place, ask, close } = await createWholeApp();
after(close);
const unknownUuid = '6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10';

let web: number;
let uuid: string;
let foreign: { id: number; uuid: string };

const uuidOf = async (id: number) =>
  (await db.selectFrom('servers').select('uuid').where('id', '=', id).executeTakeFirstOrThrow())
    .uuid;

before(async () => {
  const theirs = await createTestProject(db, 'Theirs');
  web = await enterServer(db, place, { hostname: 'Web-1.example.com' });
  uuid = await uuidOf(web);
  const id = await enterServer(db, { ...place, projectId: theirs }, { hostname: 'foreign' });
  foreign = { id, uuid: await uuidOf(id) };
});

const remove = (id: number) => db.transaction().execute((trx) => markServerDeleted(trx, id));
const outcome = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
];
const shownId = async (reference: string, headers = {}) =>
  (await ask('GET', `/servers/${reference}`, headers)).json().id;

describe('a server in a path', () => {
  it('can be referred to by its id, its UUID or its name, in any case', async () => {
    for (const reference of [
      web,
      uuid,
      uuid.toUpperCase(),
      'web-1.example.com',
      'WEB-1.EXAMPLE.COM',
    ]) {
      assert.equal(await shownId(String(reference)), web, String(reference));
    }
    for (const path of ['/status', '/usage', '/traffic']) {
      const answer = await ask('GET', `/servers/web-1.example.com${path}`);
      assert.equal(answer.statusCode, 200, answer.body);
    }
  });

  it('that does not exist is an error that repeats the reference', async () => {
    const words: [reference: string, detail: string][] = [
      ['999999', 'No server has the id 999999.'],
      ['0', 'No server has the id 0.'],
      ['007', 'No server has the id 007.'],
      ['web-9', 'No server is called web-9.'],
      [unknownUuid, `No server has the UUID ${unknownUuid}.`],
      ['%00', 'No server is called \\u{0}.'],
      ['w%F0%9F%98%80', 'No server is called w😀.'],
      ['K', 'No server is called K.'],
    ];
    for (const [reference, detail] of words) {
      const answer = await ask('GET', `/servers/${reference}`);
      assert.deepEqual(outcome(answer), [404, 'server_not_found'], reference);
      assert.equal(answer.json().detail, detail);
    }
  });

  it('of another project is not found, by any reference', async () => {
    for (const reference of [foreign.id, foreign.uuid, 'foreign']) {
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/stop'],
        ['DELETE', ''],
      ] as const) {
        const answer = await ask(method, `/servers/${reference}${path}`);
        assert.deepEqual(outcome(answer), [404, 'server_not_found'], `${method} ${reference}`);
      }
    }
  });

  it('can be acted on by its name; the audit log has its id', async () => {
    const id = await enterServer(db, place, { hostname: 'acted-on' });
    const answer = await ask('POST', '/servers/acted-on/stop');
    assert.equal(answer.statusCode, 202, answer.body);
    const entry = await db
      .selectFrom('audit_log')
      .select(['target_kind', 'target_id'])
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    assert.deepEqual(entry, { target_kind: 'server', target_id: id });
  });

  it('whose name is ambiguous is refused with the candidates', async () => {
    const ids = [
      await enterServer(db, place, { hostname: 'twin' }),
      await enterServer(db, place, { hostname: 'twin' }),
    ];
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/stop'],
      ['DELETE', ''],
    ] as const) {
      const answer = await ask(method, `/servers/twin${path}`);
      assert.deepEqual(outcome(answer), [409, 'ambiguous_name']);
      const uuids = await Promise.all(ids.map(uuidOf));
      assert.deepEqual(
        answer.json().candidates,
        ids.map((id, at) => ({ id, name: 'twin', uuid: uuids[at] })),
      );
    }
    const listed = await ask('GET', '/operations?server_id=twin');
    assert.deepEqual(outcome(listed), [409, 'ambiguous_name']);
    await remove(ids[0] ?? 0);
    assert.equal(await shownId('twin'), ids[1]);
  });

  it('whose name differs from another only in case is found by the exact name', async () => {
    const upper = await enterServer(db, place, { hostname: 'CASE' });
    const lower = await enterServer(db, place, { hostname: 'case' });
    assert.equal(await shownId('CASE'), upper);
    assert.equal(await shownId('case'), lower);
    assert.deepEqual(outcome(await ask('GET', '/servers/Case')), [409, 'ambiguous_name']);
  });

  it('with an exact name is found among many that differ in case', async () => {
    const others = [];
    for (let at = 0; at < 12; at += 1) {
      others.push(await enterServer(db, place, { hostname: 'CROWD' }));
    }
    const exact = await enterServer(db, place, { hostname: 'crowd' });
    assert.equal(await shownId('crowd'), exact);
    const several = await ask('GET', '/servers/CROWD');
    assert.equal(several.json().candidates.length, 10);
    assert.deepEqual(several.json().candidates[0].id, others[0]);
  });

  it('whose name looks like an id or a UUID can be referred to by its id alone', async () => {
    const digits = await enterServer(db, place, { hostname: String(web) });
    assert.equal(await shownId(String(web)), web);
    assert.equal(await shownId(String(digits)), digits);
    const disguised = await enterServer(db, place, { hostname: unknownUuid });
    assert.deepEqual(outcome(await ask('GET', `/servers/${unknownUuid}`)), [
      404,
      'server_not_found',
    ]);
    const posing = await enterServer(db, place, { hostname: uuid });
    assert.equal(await shownId(uuid), web);
    for (const id of [digits, disguised, posing]) await remove(id);
  });

  it('that is deleted frees its name for the next one', async () => {
    const first = await enterServer(db, place, { hostname: 'again' });
    await remove(first);
    assert.deepEqual(outcome(await ask('GET', '/servers/again')), [404, 'server_not_found']);
    const second = await enterServer(db, place, { hostname: 'again' });
    assert.equal(await shownId('again'), second);
    assert.deepEqual(outcome(await ask('GET', `/servers/${await uuidOf(first)}`)), [
      404,
      'server_not_found',
    ]);
  });
});
