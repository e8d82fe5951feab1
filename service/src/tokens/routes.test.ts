import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { createTestToken } from '../testing/app.ts';
import { auditOf, createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const whole = await createWholeApp();
const { db } = whole;
after(whole.close);
const { headers: admin } = await createTestToken(db, { scopes: ['admin'] });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const make = (body: object, headers: object = admin) =>
  whole.ask('POST', '/tokens', { body: { name: 'made', ...body }, ...headers });
const whoami = async (headers: object) => await whole.ask('GET', '/whoami', { ...headers });

describe('a token', () => {
  it('has a secret that is shown only when it is created', async () => {
    const made = await make({ scopes: ['servers:read'] });
    assert.equal(made.statusCode, 201);
    const { token, ...shown } = made.json();
    const { id } = shown;
    assert.equal(made.headers.location, `/v1/tokens/${id}`);
    const { project, ...me } = (await whoami(bearer(token))).json();
    assert.equal(project.name, 'default');
    assert.deepEqual([me.token_id, me.scopes], [id, ['servers:read']]);
    const again = await whole.ask('GET', `/tokens/${id}`, admin);
    assert.deepEqual({ ...Object(again.json()), last_used_at: null }, shown);
    const listed = await whole.ask('GET', '/tokens', admin);
    assert.ok(!listed.body.includes(token.slice(6, 36)));
  });

  it('is in the audit log with its scopes, expiry and networks', async () => {
    const scopes = ['servers:read'];
    const expires_at = '2999-01-01T00:00:00.000000Z';
    const allowed_networks = ['10.0.0.0/8'];
    const { id } = (await make({ scopes, expires_at, allowed_networks })).json();
    const entries = await auditOf(db, 'token_create');
    const details = entries.filter(({ target_id }) => target_id === id).map((one) => one.details);
    assert.deepEqual(details, [{ scopes, expires_at, allowed_networks }]);
  });

  it('is invalid once it is revoked', async () => {
    const { token, id } = (await make({ scopes: ['servers:read'] })).json();
    assert.equal((await whoami(bearer(token))).statusCode, 200);
    assert.equal((await whole.ask('DELETE', `/tokens/${id}`, admin)).statusCode, 200);
    assert.equal((await whoami(bearer(token))).json().code, 'token_invalid');
    assert.equal(
      (await whole.ask('DELETE', `/tokens/${id}`, admin)).json().code,
      'token_not_found',
    );
  });

  it('is replayed for the same Idempotency-Key, and stored encrypted', async () => {
    const headers = { ...admin, 'idempotency-key': 'a-token' };
    const first = await make({ scopes: ['servers:read'] }, headers);
    const second = await make({ scopes: ['servers:read'] }, headers);
    assert.equal(second.headers['idempotency-replayed'], 'true');
    assert.deepEqual(second.json(), first.json());
    const { rows } = await sql<{ row: string }>`
      select t::text as row from idempotency_keys t`.execute(db);
    assert.ok(rows.length > 0);
    const secret = first.json().token.slice(6, 36);
    for (const { row } of rows) assert.ok(!row.includes(secret));
    for (const { row } of rows) assert.ok(!row.includes(Buffer.from(secret).toString('hex')));
  });
});

it('a revoked token is not replayed for its Idempotency-Key', async () => {
  for (const revoke of [
    (id: number) => whole.ask('DELETE', `/tokens/${id}`, admin),
    (id: number) =>
      db.updateTable('tokens').set({ revoked_at: new Date() }).where('id', '=', id).execute(),
  ]) {
    const parent = (await make({ scopes: ['admin'] })).json();
    const headers = { ...admin, 'idempotency-key': `of ${parent.id}`.replace(' ', '-') };
    const first = (await make({ scopes: ['servers:read'] }, headers)).json();
    const other = { ...admin, 'idempotency-key': `kept-${parent.id}` };
    const kept = (await make({ scopes: ['servers:read'] }, other)).json();
    await revoke(first.id);
    const again = await make({ scopes: ['servers:read'] }, headers);
    assert.deepEqual([again.statusCode, again.headers['idempotency-replayed']], [201, undefined]);
    assert.notEqual(again.json().token, first.token);
    assert.equal((await whoami(bearer(again.json().token))).statusCode, 200);
    assert.equal((await make({ scopes: ['servers:read'] }, other)).json().token, kept.token);
  }
});

it('a token with more scopes cannot be revoked', async () => {
  const { token } = (await make({ scopes: ['servers:write'] })).json();
  const { id } = (await make({ scopes: ['admin'] })).json();
  const refused = await whole.ask('DELETE', `/tokens/${id}`, bearer(token));
  assert.deepEqual([refused.statusCode, refused.json().code], [403, 'owner_required']);
  const owner = await createTestUser(db, { roles: { [whole.place.projectId]: 'owner' } });
  const { ask } = await signInAs(whole.app, owner.credentials);
  assert.equal((await ask('DELETE', `/tokens/${id}`)).json().code, 'scope_missing');
});

it('the list has the unrevoked tokens of the project by id, filtered by prefix', async () => {
  const project = 'of a list';
  const id = await createTestProject(db, project);
  const { headers, id: own } = await createTestToken(db, { project });
  const enter = async (name: string, headersOf: object = headers): Promise<number> =>
    (await make({ name, scopes: ['servers:read'] }, headersOf)).json().id;
  const ids = [await enter('list-b'), await enter('LIST-a'), await enter('other')];
  await whole.ask('DELETE', `/tokens/${await enter('list-gone')}`, headers);
  const foreign = await enter('list-foreign', admin);
  // Without an order, updated rows are returned last.
  await db.updateTable('tokens').set({ last_used_at: null }).where('id', '=', own).execute();
  const listed = async (query: string) => {
    const answer = await whole.ask('GET', `/tokens${query}`, headers);
    return answer.json().map((token: { id: number; project_id: number }) => {
      assert.equal(token.project_id, id);
      return token.id;
    });
  };
  assert.deepEqual(await listed(''), [own, ...ids]);
  assert.deepEqual(await listed('?q=List-'), ids.slice(0, 2));
  const missing = await whole.ask('GET', `/tokens/${foreign}`, headers);
  const { code, detail } = missing.json();
  assert.deepEqual(
    [code, detail.replace(/\d+/, 'N')],
    ['token_not_found', 'No active token has the id N.'],
  );
});

describe('the tokens that can be revoked', () => {
  const revoke = (id: number, headers: object) =>
    whole.ask('DELETE', `/tokens/${id}`, { ...headers });
  const refusal = async (answer: ReturnType<typeof revoke>) => {
    const { statusCode, body } = await answer;
    const { code, detail } = JSON.parse(body);
    assert.deepEqual([statusCode, code], [403, 'owner_required']);
    return detail as string;
  };

  for (const scope of ['servers:write', 'admin']) {
    it(`a token with ${scope} can revoke itself and its descendants, and not its ancestors`, async () => {
      const scopes = [scope];
      const parent = (await make({ scopes })).json();
      const narrow = { scopes, allowed_networks: ['127.0.0.0/8'] };
      const child = (await make(narrow, bearer(parent.token))).json();
      const grandchild = (await make({ scopes }, bearer(child.token))).json();
      const own = bearer(grandchild.token);
      assert.match(await refusal(revoke(child.id, own)), /was created with that token/);
      assert.match(await refusal(revoke(parent.id, own)), /was created with that token/);
      assert.equal((await revoke(grandchild.id, bearer(parent.token))).statusCode, 200);
      assert.equal((await revoke(child.id, bearer(child.token))).statusCode, 200);
      assert.equal((await whoami(bearer(parent.token))).statusCode, 200);
    });
  }

  it('a token cannot revoke other tokens, even of the same user', async () => {
    const scopes = ['servers:write'];
    const { id } = (await make({ scopes })).json();
    const { token } = (await make({ scopes })).json();
    assert.match(await refusal(revoke(id, bearer(token))), /A token revokes itself/);
    const { ask } = await member('member');
    const [one, other] = await Promise.all([personal(ask), personal(ask)]);
    assert.match(await refusal(revoke(one.id, bearer(other.token))), /A token revokes itself/);
  });

  async function member(role: 'owner' | 'member') {
    const user = await createTestUser(db, { roles: { [whole.place.projectId]: role } });
    return await signInAs(whole.app, user.credentials);
  }

  const personal = async (ask: Awaited<ReturnType<typeof member>>['ask']) =>
    (await ask('POST', '/tokens', { body: { name: 'x', scopes: ['servers:write'] } })).json();

  it('a member can revoke their own tokens with their descendants, and an owner all tokens', async () => {
    const [alice, bob] = [await member('owner'), await member('member')];
    const [hers, his] = [await personal(alice.ask), await personal(bob.ask)];
    const child = (await make({ scopes: ['servers:read'] }, bearer(his.token))).json();
    assert.match(await refusal(bob.ask('DELETE', `/tokens/${hers.id}`)), /Have an owner/);
    for (const { id } of [child, his]) {
      assert.equal((await bob.ask('DELETE', `/tokens/${id}`)).statusCode, 200);
    }
    const another = await personal(bob.ask);
    assert.equal((await alice.ask('DELETE', `/tokens/${another.id}`)).statusCode, 200);
  });

  it('the token of an owner cannot revoke those of others, as the owner can', async () => {
    const [alice, bob] = [await member('owner'), await member('member')];
    const [hers, his] = [await personal(alice.ask), await personal(bob.ask)];
    assert.match(await refusal(revoke(his.id, bearer(hers.token))), /A token revokes itself/);
    assert.equal((await whoami(bearer(his.token))).statusCode, 200);
  });
});

describe('a token cannot exceed its parent', () => {
  it('in its scopes', async () => {
    const { token } = (await make({ scopes: ['servers:write'] })).json();
    const refused = await make({ scopes: ['servers:read', 'admin'] }, bearer(token));
    assert.equal(refused.statusCode, 422);
    assert.deepEqual(refused.json().errors[0].pointer, '/scopes/1');
    assert.equal((await make({ scopes: ['servers:read'] }, bearer(token))).statusCode, 201);
  });

  it('in its expiry', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const later = new Date(Date.now() + 7_200_000).toISOString();
    const { token, expires_at } = (await make({ scopes: ['admin'], expires_at: soon })).json();
    const refused = await make({ scopes: ['admin'], expires_at: later }, bearer(token));
    assert.deepEqual(refused.json().errors[0].pointer, '/expires_at');
    const inherited = await make({ scopes: ['admin'] }, bearer(token));
    assert.equal(inherited.json().expires_at, expires_at);
    const byAMicrosecond = expires_at.replace(/0Z$/, '1Z');
    const longer = await make({ scopes: ['admin'], expires_at: byAMicrosecond }, bearer(token));
    assert.deepEqual(longer.json().errors?.[0].pointer, '/expires_at');
    const same = await make({ scopes: ['admin'], expires_at }, bearer(token));
    assert.equal(same.json().expires_at, expires_at);
  });

  it('in its allowed networks', async () => {
    const networks = ['127.0.0.0/8', '10.0.0.0/8'];
    const { token } = (await make({ scopes: ['admin'], allowed_networks: networks })).json();
    const from = (wanted: string[]) =>
      make({ scopes: ['admin'], allowed_networks: wanted }, bearer(token));
    for (const wanted of [[], ['0.0.0.0/0'], ['11.0.0.0/8'], ['10.0.0.0/7'], ['::/0']]) {
      const refused = await from(wanted);
      assert.equal(refused.statusCode, 422, wanted.join());
      assert.match(refused.json().errors[0].pointer, /^\/allowed_networks/);
    }
    assert.deepEqual((await from(['10.1.0.0/16'])).json().allowed_networks, ['10.1.0.0/16']);
    const inherited = await make({ scopes: ['admin'] }, bearer(token));
    assert.deepEqual(inherited.json().allowed_networks, networks);
  });
});

it('a token is refused outside its networks', async () => {
  const elsewhere = { scopes: ['servers:read'], allowed_networks: ['192.0.2.0/24'] };
  const { token } = (await make(elsewhere)).json();
  const refused = await whoami(bearer(token));
  assert.deepEqual([refused.statusCode, refused.json().code], [403, 'network_not_allowed']);
  const networks = ['127.0.0.1', '10.1.2.3/8', '2001:db8::1/032'];
  const here = { scopes: ['servers:read'], allowed_networks: networks };
  const made = (await make(here)).json();
  assert.deepEqual(made.allowed_networks, ['127.0.0.1/32', '10.0.0.0/8', '2001:db8::/32']);
  assert.equal((await whoami(bearer(made.token))).statusCode, 200);
});

it('an expiry with an offset is converted to UTC, to the microsecond', async () => {
  const tomorrow = new Date(Date.now() + 26 * 3_600_000).toISOString().slice(0, 19);
  const inTwoHours = new Date(Date.parse(`${tomorrow}Z`) - 2 * 3_600_000).toISOString();
  const made = await make({ scopes: ['admin'], expires_at: `${tomorrow}.000001+02:00` });
  assert.equal(made.json().expires_at, `${inTwoHours.slice(0, 19)}.000001Z`);
  const token = made.json().token;
  const later = { scopes: ['admin'], expires_at: `${tomorrow}.000002+02:00` };
  const refused = await make(later, bearer(token));
  assert.equal(refused.json().errors?.[0].pointer, '/expires_at');
  const same = { scopes: ['admin'], expires_at: `${tomorrow}.000001+02:00` };
  assert.equal((await make(same, bearer(token))).statusCode, 201);
});

it('invalid expiries, networks, scopes and names are refused', async () => {
  for (const [body, pointer] of [
    [{ expires_at: '2030-02-31T00:00:00Z' }, '/expires_at'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
    [{ expires_at: 'tomorrow' }, '/expires_at'],
    [{ allowed_networks: ['10.0.0.0/33'] }, '/allowed_networks/0'],
    [{ allowed_networks: ['10.0.0'] }, '/allowed_networks/0'],
    [{ scopes: [] }, '/scopes'],
    [{ scopes: ['root'] }, '/scopes/0'],
    [{ name: ' ' }, '/name'],
    [{ name: '7' }, '/name'],
  ] as const) {
    const refused = await make({ scopes: ['servers:read'], ...body });
    assert.equal(refused.statusCode, 422, JSON.stringify(body));
    assert.equal(refused.json().errors[0].pointer, pointer);
  }
});

it('the errors of the schema and the rules are returned together, each field once', async () => {
  const { token } = (await make({ scopes: ['servers:read', 'servers:write'] })).json();
  const body = {
    name: ' ',
    scopes: ['admin'],
    expires_at: '2020-01-01T00:00:00Z',
    allowed_networks: ['nonsense', '10.0.0.0/33'],
    colour: 'red',
  };
  const refused = await make(body, bearer(token));
  assert.equal(refused.statusCode, 422);
  const pointers = refused.json().errors.map(({ pointer }: { pointer: string }) => pointer);
  assert.deepEqual(pointers.sort(), [
    '/allowed_networks/0',
    '/colour',
    '/expires_at',
    '/name',
    '/scopes/0',
  ]);
  const none = await whole.ask('POST', '/tokens', { body: [], ...admin });
  assert.equal(none.statusCode, 422, none.body);
});
