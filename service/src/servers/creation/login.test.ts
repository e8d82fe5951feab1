import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { noPassword } from '../../guests/login.ts';
import { operationSecrets } from '../../keys/places.ts';
import { createTestToken, testSecretKey } from '../../testing/app.ts';
import { createTestProject } from '../../testing/people.ts';
import { operationUnderWay, serverBody } from '../../testing/servers.ts';
import { newPublicKey } from '../../testing/ssh-keys.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import type { CreateSecrets } from '../operations/create-secrets.ts';

const whole = await createWholeApp();
const { db, place, ask, create, app } = whole;
after(whole.close);

async function newKey(name: string, headers: object = {}) {
  const body = { name, public_key: newPublicKey(name) };
  const made = await ask('POST', '/ssh-keys', { body, ...headers });
  assert.equal(made.statusCode, 201, made.body);
  return made.json() as { id: number; name: string; fingerprint: string; public_key: string };
}

const laptop = await newKey('laptop');
const desk = await newKey('Desk');
const shown = (...keys: { name: string; fingerprint: string }[]) =>
  keys.map(({ name, fingerprint }) => ({ name, fingerprint }));

/** What its worker will hand over. */
async function secretsOf(serverId: number): Promise<CreateSecrets | undefined> {
  const { id, secrets } = await operationUnderWay(db, serverId);
  return secrets ? testSecretKey.open(operationSecrets(serverId, id), secrets) : undefined;
}

const dryRun = (more: object) =>
  ask('POST', '/servers/dry-run', { body: serverBody(place, { ...more }) });
const errorsOf = (answer: { statusCode: number; body: string; json(): { errors: object } }) => {
  assert.equal(answer.statusCode, 422, answer.body);
  return answer.json().errors;
};
const keysAlone = { password: undefined, password_login: false };

describe('a create', () => {
  it('with a password alone is as before, for the previous release, too', async () => {
    const server = (await create()).json();
    assert.deepEqual([server.ssh_keys, server.password_login], [[], true]);
    const secrets = await secretsOf(server.id);
    assert.deepEqual(Object.keys(secrets ?? {}).sort(), ['commands', 'passwordHash']);
    const same = (await create({ ssh_keys: [], password_login: true })).json();
    assert.deepEqual(Object.keys((await secretsOf(same.id)) ?? {}), Object.keys(secrets ?? {}));
  });

  it('takes SSH keys by name or id, in their order and each once', async () => {
    const made = await create({ ssh_keys: ['desk', laptop.id, 'DESK', String(laptop.id)] });
    assert.equal(made.statusCode, 201, made.body);
    const { id, ssh_keys, password_login } = made.json();
    assert.deepEqual([ssh_keys, password_login], [shown(desk, laptop), true]);
    const { login, passwordHash } = (await secretsOf(id)) ?? {};
    assert.match(login?.passwordHash ?? '', /^\$6\$/);
    assert.deepEqual(login?.authorizedKeys, [desk.public_key, laptop.public_key]);
    assert.equal(login?.passwordLogin, true);
    assert.equal(passwordHash, undefined, 'a process of the previous release must not use it');
    assert.deepEqual((await ask('GET', `/servers/${id}`)).json().ssh_keys, ssh_keys);
  });

  it('needs no password if it turns passwords off', async () => {
    const made = await create({ ...keysAlone, ssh_keys: ['laptop'] });
    assert.equal(made.statusCode, 201, made.body);
    assert.equal(made.json().password_login, false);
    const { login } = (await secretsOf(made.json().id)) ?? {};
    assert.deepEqual(login, {
      ...{ passwordHash: noPassword, passwordLogin: false },
      authorizedKeys: [laptop.public_key],
    });
    const both = await create({ password_login: false, ssh_keys: ['laptop'] });
    const withHash = (await secretsOf(both.json().id))?.login;
    assert.match(withHash?.passwordHash ?? '', /^\$6\$/, 'it is for the console');
    assert.equal(withHash?.passwordLogin, false);
  });

  it('gets its keys whatever becomes of them', async () => {
    const gone = await newKey('gone');
    const { id } = (await create({ ssh_keys: ['gone', 'laptop'] })).json();
    await ask('PATCH', '/ssh-keys/laptop', { body: { name: 'renamed' } });
    await ask('DELETE', '/ssh-keys/gone');
    const keys = (await secretsOf(id))?.login?.authorizedKeys;
    assert.deepEqual(keys, [gone.public_key, laptop.public_key]);
    const { ssh_keys } = (await ask('GET', `/servers/${id}`)).json();
    assert.deepEqual(ssh_keys, shown(gone, laptop));
    await ask('PATCH', '/ssh-keys/renamed', { body: { name: 'laptop' } });
    assert.deepEqual(errorsOf(await create({ ssh_keys: ['gone'] })), [
      {
        pointer: '/ssh_keys/0',
        detail: 'No SSH key is called gone. List the SSH keys with GET /v1/ssh-keys.',
      },
    ]);
    assert.deepEqual(errorsOf(await create({ ssh_keys: [gone.id] })), [
      {
        pointer: '/ssh_keys/0',
        detail: `No SSH key has the id ${gone.id}. List the SSH keys with GET /v1/ssh-keys.`,
      },
    ]);
  });

  it('is retried with the same', async () => {
    const { id } = (await create({ ...keysAlone, ssh_keys: ['laptop'] })).json();
    const before = await secretsOf(id);
    await whole.fail(id, 'image_server_unreachable', 'It could not be reached.');
    assert.equal((await ask('POST', `/servers/${id}/retry`)).statusCode, 202);
    assert.deepEqual(await secretsOf(id), before);
  });

  it('can be sent as a form', async () => {
    const { password: _, initialCommands: __, ...fields } = serverBody(place);
    const form = new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
    );
    form.append('ssh_keys[]', 'laptop');
    form.append('ssh_keys[]', String(desk.id));
    form.append('password_login', 'false');
    form.append('initialCommands[]', '');
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const made = await app.inject({
      ...{ method: 'POST', url: '/v1/servers', payload: form.toString() },
      headers: { ...whole.headers, ...type },
    });
    assert.equal(made.statusCode, 201, made.body);
    assert.deepEqual(made.json().ssh_keys, shown(laptop, desk));
  });
});

describe('a create and its dry run', () => {
  const requests = [create, dryRun];

  it('take the same', async () => {
    const answer = await dryRun({ ...keysAlone, ssh_keys: ['laptop', desk.id] });
    assert.equal(answer.statusCode, 200, answer.body);
  });

  it('refuse to turn passwords off without a key', async () => {
    const detail =
      'Can only be false if `ssh_keys` names at least one SSH key. Otherwise nobody could log in.';
    for (const request of requests) {
      for (const more of [{}, { ssh_keys: [] }, { password: undefined }]) {
        const errors = errorsOf(await request({ password_login: false, ...more }));
        assert.deepEqual(errors, [{ pointer: '/password_login', detail }]);
      }
    }
  });

  it('require the password in all other cases', async () => {
    for (const request of requests) {
      for (const more of [{}, { ssh_keys: ['laptop'] }, { password_login: true }]) {
        const errors = errorsOf(await request({ ...more, password: undefined }));
        assert.deepEqual(errors, [{ pointer: '/password', detail: 'Is required.' }]);
      }
    }
  });

  it('find no key of another project', async () => {
    await createTestProject(db, 'theirs');
    const { headers } = await createTestToken(db, { project: 'theirs', scopes: ['servers:write'] });
    const theirs = await newKey('theirs', headers);
    for (const request of requests) {
      const byId = errorsOf(await request({ ssh_keys: [laptop.id, theirs.id], os_id: 4711 }));
      assert.deepEqual((byId as { pointer: string }[]).map(({ pointer }) => pointer).sort(), [
        '/os_id',
        '/ssh_keys/1',
      ]);
      const byName = errorsOf(await request({ ssh_keys: ['laptop', 'theirs'] }));
      assert.deepEqual(byName, [
        {
          pointer: '/ssh_keys/1',
          detail: 'No SSH key is called theirs. List the SSH keys with GET /v1/ssh-keys.',
        },
      ]);
    }
  });
});

describe('a rebuild', () => {
  const online = { status: 'online', cpu: 4, ram_mb: 1024 * 1024, disk_gb: 1000 } as const;

  it('is refused for invalid fields first, whatever the server', async () => {
    const body = { initialCommands: [], password_login: false };
    for (const id of [4711, (await create()).json().id]) {
      const [error] = errorsOf(await ask('POST', `/servers/${id}/rebuild`, { body })) as {
        pointer: string;
      }[];
      assert.equal(error?.pointer, '/password_login');
    }
  });

  it('decides anew how root logs in', async () => {
    const { id } = (await create({ ...keysAlone, ssh_keys: ['laptop'] })).json();
    await whole.finish(id, 'error');
    const values = { ...online, location_id: place.locationId, name: 'node-2' };
    await db.insertInto('nodes').values(values).execute();
    const lost = { lost: true, status: 'offline' } as const;
    await db.updateTable('nodes').set(lost).where('name', '=', 'node-1').execute();
    const rebuild = (body: object) =>
      ask('POST', `/servers/${id}/rebuild`, { body: { initialCommands: [], ...body } });
    assert.deepEqual(errorsOf(await rebuild({})), [
      { pointer: '/password', detail: 'Is required.' },
    ]);
    for (const [body, pointer] of [
      [{ password_login: false }, '/password_login'],
      [{ password_login: false, ssh_keys: [4711] }, '/ssh_keys/0'],
    ] as const) {
      const [error] = errorsOf(await rebuild(body)) as { pointer: string }[];
      assert.equal(error?.pointer, pointer);
    }
    const accepted = await rebuild({ password_login: false, ssh_keys: ['desk'] });
    assert.equal(accepted.statusCode, 202, accepted.body);
    const { ssh_keys, password_login } = (await ask('GET', `/servers/${id}`)).json();
    assert.deepEqual([ssh_keys, password_login], [shown(desk), false]);
    assert.deepEqual((await secretsOf(id))?.login?.authorizedKeys, [desk.public_key]);
  });
});
