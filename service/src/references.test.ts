import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { markServerDeleted } from './servers/worker-queries.ts';
import { createTestToken } from './testing/app.ts';
import { createTestProject, createTestUser, signInAs } from './testing/people.ts';
import { enterServer, operationUnderWay } from './testing/servers.ts';
import { until } from './testing/until.ts';
import { createWholeApp } from './testing/whole-app.ts';

const whole = await createWholeApp();
const { app, db, place, ask, create, finish } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

let theirs: number;
let foreign: { id: number; uuid: string };

const uuidOf = async (id: number) =>
  (await db.selectFrom('servers').select('uuid').where('id', '=', id).executeTakeFirstOrThrow())
    .uuid;

before(async () => {
  theirs = await createTestProject(db, 'Theirs');
  const id = await enterServer(db, { ...place, projectId: theirs }, { hostname: 'foreign' });
  foreign = { id, uuid: await uuidOf(id) };
});

const remove = (id: number) => db.transaction().execute((trx) => markServerDeleted(trx, id));
const outcome = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
];
describe('everything else with a name', () => {
  it('is found by its name in a path', async () => {
    const { email } = await createTestUser(db, { email: 'Ada@example.com' });
    assert.equal((await ask('GET', '/locations/TEST')).json().id, place.locationId);
    assert.equal((await ask('GET', '/operating-systems/debian-12')).json().id, place.osId);
    assert.equal((await ask('GET', '/projects/theirs', admin)).json().id, theirs);
    assert.equal((await ask('GET', '/projects/theirs/quota', admin)).statusCode, 200);
    assert.equal((await ask('GET', `/users/${email.toUpperCase()}`, admin)).statusCode, 200);
    assert.equal((await ask('GET', '/operating-systems/debian-12/images', admin)).statusCode, 200);
    const made = { name: 'deploy', scopes: ['servers:read'] };
    const { id } = (await ask('POST', '/tokens', { body: made })).json();
    assert.equal((await ask('GET', '/tokens/deploy')).json().id, id);
    await ask('POST', '/tokens', { body: made });
    assert.deepEqual(outcome(await ask('DELETE', '/tokens/deploy')), [409, 'ambiguous_name']);
  });

  it('is not found if it belongs to others, or does not exist', async () => {
    const cases: [path: string, code: string][] = [
      ['/projects/theirs', 'project_not_found'],
      ['/locations/nowhere', 'location_not_found'],
      ['/operating-systems/debian', 'operating_system_not_found'],
      ['/tokens/nobody', 'token_not_found'],
      ['/operations/web-1.example.com', 'operation_not_found'],
    ];
    for (const [path, code] of cases) {
      assert.deepEqual(outcome(await ask('GET', path)), [404, code], path);
    }
  });

  it('is accepted in bodies, JSON and forms, where text with digits only is an id', async () => {
    const byName = await create({ name: 'by-name', location_id: 'test', os_id: 'Debian-12' });
    assert.equal(byName.statusCode, 201, byName.body);
    assert.deepEqual(
      [byName.json().location_id, byName.json().os_id],
      [place.locationId, place.osId],
    );
    const byText = await create({ name: 'by-text', location_id: String(place.locationId) });
    assert.equal(byText.statusCode, 201, byText.body);
    const payload =
      'name=by-form&location_id=test&os_id=debian-12&password=longenough&initialCommands[]=&cpu=1&ram=256&disk=2';
    const form = await app.inject({
      method: 'POST',
      url: '/v1/servers',
      headers: { ...whole.headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    });
    assert.equal(form.statusCode, 201, form.body);
    const wanted = { os_ids: ['debian-12', 'DEBIAN-13', place.osId] };
    const location = (await ask('PATCH', '/locations/test', { body: wanted, ...admin })).json();
    assert.deepEqual([location.os_ids.length, location.os_ids[0]], [2, place.osId]);
    await ask('PATCH', '/locations/test', { body: { os_ids: null }, ...admin });
  });

  it('that is unknown makes each field in a body invalid', async () => {
    const refused = await create({ location_id: 'nowhere', os_id: 'plan-9' });
    assert.equal(refused.statusCode, 422);
    assert.deepEqual(refused.json().errors, [
      {
        pointer: '/location_id',
        detail: 'No location is called nowhere. List the locations with GET /v1/locations.',
      },
      {
        pointer: '/os_id',
        detail:
          'No operating system is called plan-9. List the operating systems with GET /v1/operating-systems.',
      },
    ]);
    const wanted = { os_ids: ['debian-12', 'plan-9'] };
    const location = await ask('PATCH', '/locations/test', { body: wanted, ...admin });
    assert.equal(location.json().errors[0].pointer, '/os_ids/1');
  });
});

describe('a member of a project', () => {
  it('is found by the email address, in the project of the path', async () => {
    const owner = await createTestUser(db, { roles: { [theirs]: 'owner' } });
    const { email, id } = await createTestUser(db, { roles: { [theirs]: 'member' } });
    const { ask: asOwner } = await signInAs(app, owner.credentials);
    const url = `/projects/theirs/members/${email.toUpperCase()}`;
    assert.equal((await ask('GET', url, admin)).json().user_id, id);
    assert.equal((await asOwner('GET', url)).json().user_id, id);
    const set = await asOwner('PUT', url, { body: { role: 'viewer' } });
    assert.deepEqual([set.statusCode, set.json().role], [200, 'viewer'], set.body);
    const elsewhere = `/projects/${place.projectId}/members/${email}`;
    assert.deepEqual(outcome(await ask('GET', elsewhere, admin)), [404, 'member_not_found']);
    assert.equal((await asOwner('DELETE', url)).json().user_id, id);
    const gone = await asOwner('GET', url);
    assert.deepEqual(outcome(gone), [404, 'member_not_found']);
    assert.match(gone.json().detail, /^No member of the project has the email address /);
  });

  it('can leave with the own address, and learns nothing about others', async () => {
    const owner = await createTestUser(db, { roles: { [theirs]: 'owner' } });
    const viewer = await createTestUser(db, { roles: { [theirs]: 'viewer' } });
    const { ask: asViewer } = await signInAs(app, viewer.credentials);
    const members = `/projects/${theirs}/members`;
    for (const email of [owner.email, 'nobody@example.com']) {
      const answer = await asViewer('DELETE', `${members}/${email}`);
      assert.deepEqual(outcome(answer), [403, 'owner_required'], email);
    }
    const stranger = await createTestUser(db, { roles: { [place.projectId]: 'owner' } });
    const { ask: asStranger } = await signInAs(app, stranger.credentials);
    for (const email of [owner.email, 'nobody@example.com']) {
      const answer = await asStranger('GET', `${members}/${email}`);
      assert.deepEqual(outcome(answer), [404, 'project_not_found'], email);
    }
    assert.equal((await asViewer('DELETE', `${members}/${viewer.email}`)).statusCode, 200);
  });
});

describe('the header Berth-Project', () => {
  it('selects a project by its id or name', async () => {
    for (const name of ['Theirs', 'THEIRS', String(theirs)]) {
      const answer = await ask('GET', '/whoami', { ...admin, 'berth-project': name });
      assert.equal(answer.json().project.id, theirs, name);
    }
    const own = await ask('GET', '/whoami', { 'berth-project': 'Default' });
    assert.equal(own.json().project.id, place.projectId);
    for (const name of ['Theirs', 'nobodys', ' ', '007', 'ä', "'; drop table projects --"]) {
      const answer = await ask('GET', '/whoami', { 'berth-project': name });
      assert.deepEqual(outcome(answer), [404, 'project_not_found'], name);
    }
  });

  it('also works for people', async () => {
    const { credentials } = await createTestUser(db, { roles: { [theirs]: 'viewer' } });
    const person = await signInAs(app, credentials);
    const named = await person.ask('GET', '/servers', { 'berth-project': 'theirs' });
    assert.deepEqual(
      named.json().map(({ id }: { id: number }) => id),
      [foreign.id],
    );
    const other = await person.ask('GET', '/servers', { 'berth-project': 'default' });
    assert.deepEqual(outcome(other), [404, 'project_not_found']);
  });

  it('follows a renamed project at once', async () => {
    const id = await createTestProject(db, 'before');
    const named = (name: string) => ask('GET', '/whoami', { ...admin, 'berth-project': name });
    assert.equal((await named('before')).json().project.id, id);
    await db.updateTable('projects').set({ name: 'after' }).where('id', '=', id).execute();
    const status = async () => (await named('before')).statusCode;
    await until('the name of before is unknown', status, (code) => code === 404);
    assert.equal((await named('after')).json().project.id, id);
  });
});

describe('an Idempotency-Key', () => {
  it('gets its stored answer, even if the name has another meaning by now', async () => {
    const first = await enterServer(db, place, { hostname: 'kept' });
    const request = { 'idempotency-key': 'kept-1' };
    const answer = await ask('POST', '/servers/kept/stop', request);
    assert.equal(answer.statusCode, 202, answer.body);
    await finish(first, 'stopped');
    await remove(first);
    const again = await ask('POST', '/servers/kept/stop', request);
    assert.deepEqual([again.statusCode, again.body], [202, answer.body]);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    await enterServer(db, place, { hostname: 'kept' });
    assert.equal((await ask('POST', '/servers/kept/stop', request)).body, answer.body);
    const other = await ask('POST', '/servers/gone/stop', request);
    assert.deepEqual(outcome(other), [422, 'idempotency_mismatch']);
  });
});

describe('an administrator', () => {
  it('can read servers and operations of any project by id, unless they named another', async () => {
    const elsewhere = { ...place, projectId: theirs };
    const busy = await enterServer(db, elsewhere, { hostname: 'busy', operation: 'stop' });
    const { id: operation } = await operationUnderWay(db, busy);
    const paths = [
      ...['', '/status', '/usage', '/traffic'].map((path) => `/servers/${foreign.id}${path}`),
      `/servers/${foreign.uuid}`,
      `/operations/${operation}`,
    ];
    const listed = await ask('GET', `/operations?server_id=${busy}`, admin);
    assert.deepEqual(
      listed.json().map(({ id }: { id: number }) => id),
      [operation],
    );
    for (const path of paths) {
      assert.equal((await ask('GET', path, admin)).statusCode, 200, path);
      assert.equal((await ask('GET', path)).statusCode, 404, path);
      const inDefault = { ...admin, 'berth-project': 'default' };
      assert.equal((await ask('GET', path, inDefault)).statusCode, 404, path);
    }
    const inDefault = { ...admin, 'berth-project': 'default' };
    const missing = await ask('GET', `/operations/${operation}`, inDefault);
    assert.match(missing.json().detail, /^The operation \d+ is in the project Theirs, .*: \d+$/);
    const unknown = await ask('GET', `/operations/${operation}`);
    assert.equal(unknown.json().detail, `No operation has the id ${operation}.`);
    const ofServer = `/operations?server_id=${busy}`;
    const ofAll = await ask('GET', `${ofServer}&all_projects=true`, inDefault);
    assert.deepEqual(
      ofAll.json().map(({ id }: { id: number }) => id),
      [operation],
    );
    assert.equal((await ask('GET', ofServer, inDefault)).statusCode, 422);
    assert.equal((await ask('GET', '/servers/foreign', admin)).statusCode, 404);
    assert.equal((await ask('POST', `/servers/${foreign.id}/stop`, admin)).statusCode, 404);
  });
});
