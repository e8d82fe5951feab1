import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { UserDataReport } from '../../db/schema/schema.ts';
import { operationSecrets } from '../../keys/places.ts';
import { testSecretKey } from '../../testing/app.ts';
import { operationUnderWay, serverBody } from '../../testing/servers.ts';
import { createWholeApp } from '../../testing/whole-app.ts';
import { createOperation } from '../operations/create.ts';
import type { CreateSecrets } from '../operations/create-secrets.ts';

const whole = await createWholeApp();
const { app, db, place, ask, create } = whole;
after(whole.close);

const config = '#cloud-config\npackages: [nginx]\n';
const packed = gzipSync(config).toString('base64');

/** What its worker will hand over. */
async function secretsOf(serverId: number): Promise<CreateSecrets | undefined> {
  const { id, secrets } = await operationUnderWay(db, serverId);
  return secrets ? testSecretKey.open(operationSecrets(serverId, id), secrets) : undefined;
}

const dryRun = (more: Record<string, unknown>) =>
  ask('POST', '/servers/dry-run', { body: serverBody(place, more) });

describe('a create with user data', () => {
  it('keeps it for its worker, in a form that the previous release does not hand over', async () => {
    for (const user_data of [config, packed]) {
      const made = await create({ user_data });
      assert.equal(made.statusCode, 201, made.body);
      const secrets = await secretsOf(made.json().id);
      assert.deepEqual(Object.keys(secrets ?? {}), ['withUserData']);
      const { userData, commands, login } = secrets?.withUserData ?? {};
      assert.equal(userData, user_data);
      assert.equal(commands?.length, 2);
      assert.match(login?.passwordHash ?? '', /^\$6\$/);
    }
  });

  it('can be as long as 64 KiB', async () => {
    const most = config.padEnd(64 * 1024, '#');
    assert.equal((await create({ user_data: most })).statusCode, 201);
    assert.equal((await dryRun({ user_data: most })).statusCode, 200);
    const longer = await create({ user_data: `${most}#` });
    assert.deepEqual(longer.json().errors, [
      {
        pointer: '/user_data',
        detail:
          'Must be user data for cloud-init, of at most 64 KiB, without control characters except tabs and line breaks. ' +
          'Send longer text and other characters as gzip in base64.',
      },
    ]);
  });

  it('is refused with the field and the way out, also in a dry run and beside other errors', async () => {
    const user_data = 'packages: [nginx]';
    for (const answer of [await create({ user_data }), await dryRun({ user_data })]) {
      assert.equal(answer.statusCode, 422);
      const [error, ...others] = answer.json().errors;
      assert.deepEqual([error.pointer, others], ['/user_data', []]);
      assert.match(error.detail, /^Must begin with #cloud-config, /);
    }
    const both = await create({ user_data, ssh_keys: [4711] });
    const pointers = both.json().errors.map(({ pointer }: { pointer: string }) => pointer);
    assert.deepEqual(pointers, ['/ssh_keys/0', '/user_data']);
  });

  it('can be sent as a form', async () => {
    const { initialCommands: _, ...fields } = serverBody(place, { user_data: config });
    const form = new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
    );
    form.append('initialCommands[]', 'true');
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const made = await app.inject({
      ...{ method: 'POST', url: '/v1/servers', payload: form.toString() },
      headers: { ...whole.headers, ...type },
    });
    assert.equal(made.statusCode, 201, made.body);
    assert.equal((await secretsOf(made.json().id))?.withUserData?.userData, config);
  });

  it('is retried with the same', async () => {
    const { id } = (await create({ user_data: config })).json();
    const before = await secretsOf(id);
    await whole.fail(id, 'image_server_unreachable', 'It could not be reached.');
    assert.equal((await ask('POST', `/servers/${id}/retry`)).statusCode, 202);
    assert.deepEqual(await secretsOf(id), before);
  });
});

describe('what cloud-init says of user data', () => {
  const errors = ["runcmd: '…' is not of type 'array'"];

  async function ended(user_data: UserDataReport | undefined) {
    const { id } = (await create({ user_data: config })).json();
    const operation = await operationUnderWay(db, id);
    const state = JSON.stringify({ ...operation.state, ...(user_data && { user_data }) });
    await db.updateTable('operations').set({ state }).where('id', '=', operation.id).execute();
    await whole.finish(id, 'started');
    return { id, operation: operation.id };
  }

  it('is on the operation, and in lists of operations', async () => {
    const report = { status: 'degraded', errors } as const;
    const { id, operation } = await ended(report);
    const one = (await ask('GET', `/operations/${operation}`)).json();
    assert.deepEqual(one.user_data, report);
    const [listed] = (await ask('GET', `/operations?server_id=${id}`)).json();
    assert.deepEqual(listed.user_data, report);
  });

  it('is null until it is known', async () => {
    const { operation } = await ended(undefined);
    assert.equal((await ask('GET', `/operations/${operation}`)).json().user_data, null);
  });

  for (const [step, report] of [
    ['boot', { status: 'running', errors: [] }],
    ['initialise', { status: 'unknown', errors: [] }],
    ['handover', null],
  ] as const) {
    it(`is ${report?.status ?? 'nothing'} if the create failed at the step ${step}`, async () => {
      const { id } = (await create({ user_data: config })).json();
      const operation = await operationUnderWay(db, id);
      const handedOver = step !== 'handover' && { has_user_data: true, user_data: null };
      const state = { ...operation.state, ...handedOver };
      assert.ok(createOperation.isOf(operation));
      const row = { ...operation, step, state };
      await db.transaction().execute((trx) => createOperation.failed(trx, row, 'It failed.'));
      const shown = (await ask('GET', `/operations/${operation.id}`)).json();
      assert.deepEqual(shown.user_data, report);
    });
  }

  for (const [status, words] of [
    ['error', 'cloud-init reports errors in its user data.'],
    ['degraded', 'cloud-init reports warnings.'],
    ['unknown', 'It is unknown whether cloud-init carried out its user data.'],
  ] as const) {
    it(`is in the status of the server if it is ${status}`, async () => {
      const { id, operation } = await ended({ status, errors });
      const told = (await ask('GET', `/servers/${id}/status`)).json().status;
      const hint = `GET /v1/operations/${operation} shows what it said.`;
      assert.equal(told, `The server is running. ${words} ${hint}`);
    });
  }

  it('is not in the status of the server if there are no errors', async () => {
    const { id } = await ended({ status: 'done', errors: [] });
    const told = (await ask('GET', `/servers/${id}/status`)).json().status;
    assert.equal(told, 'The server is running.');
  });
});
