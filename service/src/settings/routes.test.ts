import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { auditRoutes } from '../audit/routes.ts';
import { createTestApp, createTestToken } from '../testing/app.ts';
import { inject } from '../testing/inject.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { settingsRoutes } from './routes.ts';

const { db, close } = await createTestDatabase();
after(close);
const app = await createTestApp(db, [settingsRoutes, auditRoutes]);
after(() => app.close());
const { headers } = await createTestToken(db);

const ask = (method: 'GET' | 'PATCH', url = '/v1/settings', payload?: object) =>
  inject(app, { method, url, headers, ...(payload && { payload }) });

const standard = { audit_months: 13, operations_months: 13, outputs_days: 30 };

test('records are kept for 13 months and outputs for 30 days, until the settings are changed', async () => {
  assert.deepEqual((await ask('GET')).json(), { retention: standard });
  const changed = await ask('PATCH', undefined, { retention: { outputs_days: 7 } });
  assert.deepEqual(changed.json(), { retention: { ...standard, outputs_days: 7 } });
  assert.deepEqual((await ask('GET')).json(), changed.json());
  const [entry] = (await ask('GET', '/v1/audit?action=settings_update')).json();
  assert.deepEqual(
    [entry.details, entry.target, entry.project_id],
    [{ outputs_days: { before: 30, after: 7 } }, null, null],
  );
  assert.deepEqual((await ask('PATCH', undefined, {})).json(), changed.json());
});

test('a form can have the member of an object, and is told how if it is written otherwise', async () => {
  const detail = 'Must be sent as field[member] in a form, or as JSON.';
  const sendForm = async (payload: string, type = 'application/x-www-form-urlencoded') => {
    const request = { method: 'PATCH', url: '/v1/settings', payload } as const;
    return await inject(app, { ...request, headers: { ...headers, 'content-type': type } });
  };
  const changed = await sendForm('retention[outputs_days]=7');
  assert.equal(changed.json().retention.outputs_days, 7, changed.body);
  for (const name of ['retention[]', 'retention[outputs_days][]']) {
    const refused = await sendForm(`${name}=7`);
    assert.deepEqual(refused.json().errors, [{ pointer: `/${name}`, detail }]);
  }
  const part = 'Content-Disposition: form-data; name="retention"\r\nContent-Type: application/json';
  for (const whole of [
    await sendForm('retention={"outputs_days":7}'),
    await sendForm(
      `--b\r\n${part}\r\n\r\n{"outputs_days":7}\r\n--b--\r\n`,
      'multipart/form-data; boundary=b',
    ),
  ]) {
    assert.deepEqual(whole.json().errors, [{ pointer: '/retention', detail }]);
  }
});

test('a value out of range is refused, with the name of the setting', async () => {
  const before = (await ask('GET')).json();
  for (const [name, value] of [
    ['audit_months', 0],
    ['audit_months', 121],
    ['operations_months', 1.5],
    ['operations_months', '13'],
    ['outputs_days', 3651],
    ['outputs_days', null],
    ['logs_days', 1],
  ]) {
    const answer = await ask('PATCH', undefined, { retention: { [String(name)]: value } });
    const { code, errors } = answer.json();
    assert.deepEqual(
      [answer.statusCode, code, errors[0].pointer],
      [422, 'validation_failed', `/retention/${name}`],
    );
  }
  assert.deepEqual((await ask('GET')).json(), before);
});
