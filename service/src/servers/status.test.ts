import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, it } from 'node:test';
import { promisify } from 'node:util';
import { createTestToken } from '../testing/app.ts';
import { thisMonthAndNext } from '../testing/months.ts';
import { createTestProject } from '../testing/people.ts';
import { enterServer, operationUnderWay } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

// Tests the responses of `/status`, and the loop in docs/get-started.md that uses them.

const { db, place, ask, create, finish, fail, close } = await createWholeApp();
after(close);

const statusOf = async (id: number) => (await ask('GET', `/servers/${id}/status`)).json();

async function reach(id: number, progress: number): Promise<void> {
  const { id: operation } = await operationUnderWay(db, id);
  await db.updateTable('operations').set({ progress }).where('id', '=', operation).execute();
}

async function failedCreate(): Promise<number> {
  const { id } = (await create()).json();
  await reach(id, 21);
  await fail(id, 'no_space', 'The storage pool is full.');
  return id;
}

it('after a failed create it keeps the progress, and says that it failed', async () => {
  const id = await failedCreate();
  assert.deepEqual(await statusOf(id), {
    status:
      'The server is in the error state. Its last operation (create) failed: The storage pool is full.',
    real_status: 'not_exists',
    is_processing: false,
    progress: 21,
  });
  await ask('POST', `/servers/${id}/retry`);
  const again = await statusOf(id);
  assert.deepEqual([again.is_processing, again.progress], [true, 0]);
  await finish(id, 'started');
  const { status, progress } = await statusOf(id);
  assert.deepEqual([status, progress], ['The server is running.', 100]);
});

it('after a failed stop it says so until an operation succeeds', async () => {
  const id = await enterServer(db, place, { status: 'started', operation: 'stop' });
  await reach(id, 10);
  await fail(id, 'guest_ignored_shutdown', 'The guest did not shut down.');
  const { status, is_processing, progress } = await statusOf(id);
  assert.deepEqual([is_processing, progress], [false, 10]);
  assert.equal(
    status,
    'The server is running. Its last operation (stop) failed: The guest did not shut down.',
  );
  await ask('POST', `/servers/${id}/stop`, { body: { force: true } });
  await finish(id, 'stopped');
  const after = await statusOf(id);
  assert.deepEqual([after.status, after.progress], ['The server is stopped.', 100]);
});

it('it says that a server is stopped because of its traffic, until it can be started again', async () => {
  const id = await enterServer(db, place, { status: 'stopped' });
  const allow = async (traffic_allowance: number | null) => {
    await db.updateTable('servers').set({ traffic_allowance }).where('id', '=', id).execute();
    return (await statusOf(id)).status;
  };
  await db.updateTable('locations').set({ traffic_policy: 'stop' }).execute();
  const traffic = { server_id: id, incoming: 0, outgoing: 10 };
  const months = thisMonthAndNext().map((month) => ({ ...traffic, month }));
  await db.insertInto('traffic_months').values(months).execute();
  assert.match(
    await allow(5),
    /^The server is stopped\. Its traffic allowance of this month is used up: it can be started when /,
  );
  assert.equal(await allow(20), 'The server is stopped.');
  await db.updateTable('locations').set({ traffic_policy: 'none' }).execute();
  assert.equal(await allow(5), 'The server is stopped.');
});

it('administrators see a failed operation in any project', async () => {
  const projectId = await createTestProject(db, 'of others');
  const given = { status: 'started', operation: 'stop' } as const;
  const id = await enterServer(db, { ...place, projectId }, given);
  await fail(id, 'guest_ignored_shutdown', 'The guest did not shut down.');
  const { headers } = await createTestToken(db, { scopes: ['admin'] });
  const { status } = (await ask('GET', `/servers/${id}/status`, headers)).json();
  assert.match(status, /Its last operation \(stop\) failed/);
});

it('a later error is shown together with the operation that failed before', async () => {
  const id = await enterServer(db, place, { status: 'started', operation: 'stop' });
  await fail(id, 'guest_ignored_shutdown', 'The guest did not shut down.');
  const error = 'Its instance is gone.';
  await db.updateTable('servers').set({ status: 'error', error }).where('id', '=', id).execute();
  assert.match(
    (await statusOf(id)).status,
    /error state\. Its instance is gone\. Its last operation \(stop\) failed: /,
  );
});

it('the loop in docs/get-started.md ends with the final state of the server', async () => {
  const underWay = (await create()).json().id;
  const bodies = async (...ids: number[]) =>
    await Promise.all(ids.map(async (id) => JSON.stringify(await statusOf(id))));
  const failed = await failedCreate();
  const running = await enterServer(db, place, { status: 'started' });
  const refusal = JSON.stringify((await ask('GET', '/servers/999999/status')).json());
  assert.match(
    await lastLineOfLoop(await bodies(underWay, underWay, failed)),
    /failed: The storage/,
  );
  assert.match(await lastLineOfLoop(await bodies(underWay, running)), /The server is running/);
  assert.match(await lastLineOfLoop([refusal]), /server_not_found/);
});

/** Runs the loop with a `curl` that prints these answers, one after the other. */
async function lastLineOfLoop(answers: string[]): Promise<string> {
  const page = readFileSync(new URL('../../../docs/get-started.md', import.meta.url), 'utf8');
  const [loop] = /^while status=[\s\S]*?; done/m.exec(page) ?? [];
  assert.ok(loop, 'the page has a loop');
  // Each call is in a subshell, so only a file can keep the position.
  const script = `
    answers=$(mktemp -d); echo 0 >"$answers/at"
    pick() { at=$(($(cat "$answers/at") + 1)); echo $at >"$answers/at"; shift $((at - 1)); printf '%s\\n' "$1"; }
    sleep() { :; }
    curl() { pick ${answers.map((answer) => `'${answer.replaceAll("'", "'\\''")}'`).join(' ')}; }
    ${loop}
    rm -r "$answers"`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { timeout: 60_000 });
  const lines = stdout.trim().split('\n');
  assert.equal(lines.length, answers.length);
  return lines.at(-1) ?? '';
}
