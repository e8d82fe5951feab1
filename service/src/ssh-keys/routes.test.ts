import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createTestToken } from '../testing/app.ts';
import { allRows, keptLog } from '../testing/canaries.ts';
import { auditOf, createTestProject } from '../testing/people.ts';
import { newPublicKey } from '../testing/ssh-keys.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const { log, lines } = keptLog();
const whole = await createWholeApp({ log });
const { db, ask } = whole;
after(whole.close);

const make = (body: object, more: object = {}) =>
  ask('POST', '/ssh-keys', {
    body: { name: 'made', public_key: newPublicKey(), ...body },
    ...more,
  });
const outcome = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
];

/** The headers of a token of a new project. */
async function inProject(project: string) {
  await createTestProject(db, project);
  return (await createTestToken(db, { project, scopes: ['servers:write'] })).headers;
}

describe('an SSH key', () => {
  it('is created, shown by id or name, renamed and deleted, with audit entries', async () => {
    const [type, base64] = newPublicKey().split(' ');
    const made = await make({ name: 'Laptop', public_key: `  ${type} ${base64}\tada@laptop\r\n` });
    assert.equal(made.statusCode, 201, made.body);
    const { created_at, fingerprint, ...shown } = made.json();
    const { id } = shown;
    assert.equal(made.headers.location, `/v1/ssh-keys/${id}`);
    assert.deepEqual(shown, {
      ...{ id, name: 'Laptop', project_id: whole.place.projectId },
      public_key: `${type} ${base64} ada@laptop`,
    });
    assert.match(fingerprint, /^SHA256:[A-Za-z0-9+/]{43}$/);
    assert.deepEqual((await ask('GET', `/ssh-keys/${id}`)).json(), made.json());
    assert.deepEqual((await ask('GET', '/ssh-keys/LAPTOP')).json(), made.json());

    const renamed = await ask('PATCH', '/ssh-keys/laptop', { body: { name: 'desk' } });
    assert.deepEqual([renamed.statusCode, renamed.json().name], [200, 'desk'], renamed.body);
    const again = await ask('PATCH', '/ssh-keys/desk', { body: { name: 'DESK' } });
    assert.equal(again.json().name, 'DESK', 'its own name is free');
    assert.deepEqual((await ask('PATCH', '/ssh-keys/desk', { body: {} })).json(), again.json());
    const removed = await ask('DELETE', '/ssh-keys/desk');
    assert.deepEqual([removed.statusCode, removed.json()], [200, again.json()]);
    assert.deepEqual(outcome(await ask('GET', `/ssh-keys/${id}`)), [404, 'ssh_key_not_found']);
    assert.deepEqual(outcome(await ask('DELETE', '/ssh-keys/desk')), [404, 'ssh_key_not_found']);

    const details = async (action: 'ssh_key_create' | 'ssh_key_update' | 'ssh_key_delete') =>
      (await auditOf(db, action)).filter(({ target_id: of }) => of === id).map((e) => e.details);
    assert.deepEqual(await details('ssh_key_create'), [{ name: 'Laptop', fingerprint }]);
    assert.deepEqual(await details('ssh_key_update'), [
      { name: { before: 'Laptop', after: 'desk' } },
      { name: { before: 'desk', after: 'DESK' } },
      null,
    ]);
    assert.deepEqual(await details('ssh_key_delete'), [{ name: 'DESK', fingerprint }]);
  });

  it('is in the project once, whatever its comment is, until it is deleted', async () => {
    const [type, base64] = newPublicKey().split(' ');
    const public_key = `${type} ${base64} one`;
    const { id } = (await make({ name: 'first', public_key })).json();
    const second = await make({ name: 'second', public_key: `${type} ${base64} two` });
    assert.deepEqual(outcome(second), [409, 'ssh_key_exists']);
    assert.ok(second.json().detail.includes(`the SSH key first with the id ${id}`), second.body);
    const elsewhere = await make({ public_key }, await inProject('with the same key'));
    assert.equal(elsewhere.statusCode, 201, 'another project does not matter');
    await ask('DELETE', `/ssh-keys/${id}`);
    assert.equal((await make({ name: 'second', public_key })).statusCode, 201);
  });

  it('has a name of its own in the project, which is no id', async () => {
    await make({ name: 'taken' });
    assert.deepEqual(outcome(await make({ name: 'TAKEN' })), [409, 'name_taken']);
    const { id } = (await make({ name: 'other' })).json();
    const renamed = await ask('PATCH', `/ssh-keys/${id}`, { body: { name: 'Taken' } });
    assert.deepEqual(outcome(renamed), [409, 'name_taken']);
    for (const name of ['7', '', ' ', 'a\nb', 'x'.repeat(101), 7, null]) {
      for (const answer of [
        await make({ name }),
        await ask('PATCH', `/ssh-keys/${id}`, { body: { name } }),
      ]) {
        assert.deepEqual(outcome(answer), [422, 'validation_failed'], String(name));
        assert.equal(answer.json().errors[0].pointer, '/name');
      }
    }
  });

  it('is one of two concurrent requests for the same key or name', async () => {
    const public_key = newPublicKey();
    const bodies = [1, 2, 3, 4].map((nth) => ({ name: `same ${nth}`, public_key }));
    const codes = (await Promise.all(bodies.map((body) => make(body)))).map(outcome);
    assert.deepEqual(codes.filter(([status]) => status === 201).length, 1);
    assert.equal(codes.filter(([, code]) => code === 'ssh_key_exists').length, 3);
    const named = await Promise.all(bodies.map(() => make({ name: 'at once' })));
    assert.equal(named.map(outcome).filter(([, code]) => code === 'name_taken').length, 3);
  });

  it('is replayed for the same Idempotency-Key', async () => {
    const body = { name: 'once', public_key: newPublicKey() };
    const headers = { 'idempotency-key': 'an-ssh-key' };
    const first = await make(body, headers);
    const second = await make(body, headers);
    assert.equal(second.headers['idempotency-replayed'], 'true');
    assert.deepEqual(second.json(), first.json());
  });
});

it('the list has the SSH keys of the project by id, filtered by prefix', async () => {
  const headers = await inProject('of a list');
  const enter = async (name: string): Promise<number> => (await make({ name }, headers)).json().id;
  const ids = [await enter('list-b'), await enter('LIST-a'), await enter('other')];
  await ask('DELETE', `/ssh-keys/${await enter('list-gone')}`, headers);
  const listed = async (query: string) =>
    (await ask('GET', `/ssh-keys${query}`, headers)).json().map((key: { id: number }) => key.id);
  assert.deepEqual(await listed(''), ids);
  assert.deepEqual(await listed('?q=List-'), ids.slice(0, 2));
  assert.deepEqual(await listed('?limit=1'), ids.slice(0, 1));
});

it('a project has 100 SSH keys at most', async () => {
  const headers = await inProject('with many');
  const answers = [];
  for (let nth = 0; nth < 100; nth += 1) answers.push(await make({ name: `key ${nth}` }, headers));
  assert.ok(answers.every(({ statusCode }) => statusCode === 201));
  const beyond = await make({ name: 'one more' }, headers);
  assert.deepEqual(outcome(beyond), [403, 'quota_exceeded']);
  assert.match(beyond.json().detail, /maximum of 100 SSH keys/);
  await ask('DELETE', '/ssh-keys/key%201', headers);
  assert.equal((await make({ name: 'one more' }, headers)).statusCode, 201);
});

it('deleted SSH keys are removed, also with their project', async () => {
  const headers = await inProject('that goes');
  const keys = [];
  for (const name of ['one', 'two', 'three']) keys.push((await make({ name }, headers)).json());
  await ask('DELETE', '/ssh-keys/one', headers);
  const prints = keys.map(({ fingerprint }) => fingerprint);
  const rows = db.selectFrom('ssh_keys').select('name').where('fingerprint', 'in', prints);
  const names = async () => (await rows.orderBy('id').execute()).map(({ name }) => name);
  assert.deepEqual(await names(), ['two', 'three']);
  const { headers: ofAdmin } = await createTestToken(db);
  assert.equal((await ask('DELETE', '/projects/that%20goes', ofAdmin)).statusCode, 200);
  assert.deepEqual(await names(), []);
});

it('a public key that cannot be used is refused with the field', async () => {
  const key = newPublicKey();
  for (const [public_key, says] of [
    ['', /at most 8192 characters/],
    ['x'.repeat(8193), /at most 8192 characters/],
    [`${key} ${'x'.repeat(8192)}`, /at most 8192 characters/],
    [5, /Must be a string/],
    [null, /Must be a string/],
    [[key], /Must be a string/],
    [`no-pty ${key}`, /without options/],
    [`${key}\n${newPublicKey()}`, /single key/],
    [key.slice(0, -20), /incomplete or damaged/],
  ] as const) {
    const answer = await make({ name: 'bad', public_key });
    assert.deepEqual(outcome(answer), [422, 'validation_failed']);
    const [error, ...others] = answer.json().errors;
    assert.equal(others.length, 0);
    assert.equal(error.pointer, '/public_key');
    assert.match(error.detail, says);
  }
  const longest = `${key} ${'x'.repeat(8192 - key.length - 1)}`;
  assert.equal((await make({ name: 'long', public_key: longest })).statusCode, 201);
});

/** Sends a body as it is. */
const send = (type: string, payload: string) =>
  whole.app.inject({
    ...{ method: 'POST', url: '/v1/ssh-keys', payload },
    headers: { ...whole.headers, 'content-type': type },
  });

it('a private key is refused as such, and left nowhere', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-private-key-'));
  const path = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
  const secret = readFileSync(path, 'utf8');
  rmSync(folder, { recursive: true });
  const canaries = secret.split('\n').filter((line) => line.length > 20 && !line.startsWith('--'));
  assert.ok(canaries.length > 3);

  const { id } = (await make({ name: 'renamed' })).json();
  const answers = [
    await make({ name: 'oops', public_key: secret }, { 'idempotency-key': 'a-private-key' }),
    await make({ name: 'oops', public_key: secret }, { 'idempotency-key': 'a-private-key' }),
    await make({ name: secret }),
    await make({ name: canaries[0], public_key: canaries.join('\n') }),
    await ask('PATCH', `/ssh-keys/${id}`, { body: { name: secret } }),
    await whole.create({ ssh_keys: [secret] }),
    await ask('GET', `/ssh-keys?q=${encodeURIComponent(secret)}`),
    await make({ [secret]: 'a field' }),
    await send('application/x-www-form-urlencoded', secret),
    await send('application/x-www-form-urlencoded', `name=oops&public_key=${secret}`),
  ];
  const others = [
    await send('application/json', secret),
    await send('application/x-www-form-urlencoded', `${secret}&${secret}`),
    await send('application/json', `{"name": "oops", "public_key": "${secret}"}`),
    await send('text/plain', secret),
  ];
  for (const answer of answers) assert.equal(answer.statusCode, 422, answer.body);
  assert.match(answers[0]?.json().errors[0].detail, /^Is a private key.* \.pub\.$/);

  // The refusals are in the audit log once the service has entered them.
  await whole.app.close();
  const dump = await allRows(db);
  assert.match(dump, /ssh_key_create/);
  assert.match(dump, /validation_failed/);
  for (const answer of others) assert.ok(answer.statusCode >= 400, answer.body);
  const texts = [dump, lines.join(''), ...[...answers, ...others].map(({ body }) => body)];
  for (const [index, text] of texts.entries()) {
    for (const canary of canaries) assert.ok(!text.includes(canary), `in text ${index}`);
  }
});
