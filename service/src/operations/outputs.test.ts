import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestToken } from '../testing/app.ts';
import { operationUnderWay } from '../testing/servers.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const { db, ask, create, close } = await createWholeApp();
after(close);

/** Inserts an ended create with these results of its commands. */
async function ended(commands: object[]): Promise<number> {
  const { id } = await operationUnderWay(db, (await create()).json().id);
  await db
    .updateTable('operations')
    .set({
      commands: JSON.stringify(commands),
      status: 'succeeded',
      secrets: null,
      finished_at: new Date(),
    })
    .where('id', '=', id)
    .execute();
  return id;
}

/** A command in a list whose output is available. */
const kept = { duration_ms: null, output: null, output_expired: false, output_note: null };

const two = [
  { exit_status: 0, output: 'Zoë\n' },
  { exit_status: 3, output: 'not found\n' },
];

test('a list shows how commands ended but not their outputs, with and without limit', async () => {
  const id = await ended(two);
  for (const query of ['', '&limit=10']) {
    const [listed] = (await ask('GET', `/operations?sort=-id${query}`)).json();
    assert.equal(listed.id, id);
    assert.deepEqual(listed.commands, [
      { index: 0, exit_status: 0, ...kept },
      { index: 1, exit_status: 3, ...kept },
    ]);
  }
  const { commands } = (await ask('GET', `/operations/${id}`)).json();
  assert.deepEqual(
    commands.map(({ output }: { output: string }) => output),
    ['Zoë\n', 'not found\n'],
  );
});

test('a list distinguishes an operation without commands from one that has run none yet', async () => {
  await ended([]);
  const [none] = (await ask('GET', '/operations?sort=-id&limit=1')).json();
  assert.deepEqual(none.commands, []);
  await create();
  const [notYet] = (await ask('GET', '/operations?sort=-id&limit=1')).json();
  assert.equal(notYet.commands, null);
});

test('the output of one command is returned as text', async () => {
  const id = await ended(two);
  const answer = await ask('GET', `/operations/${id}/commands/0/output`);
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(answer.body, 'Zoë\n');
  assert.equal((await ask('GET', `/operations/${id}/commands/1/output`)).body, 'not found\n');
});

test('a missing output is a 404 that says why', async () => {
  const id = await ended([{ exit_status: 0, output: '', output_expired: true }]);
  const detailOf = async (path: string, code = 'output_not_found') => {
    const answer = await ask('GET', `/operations/${path}`);
    assert.deepEqual([answer.statusCode, answer.json().code], [404, code]);
    return answer.json().detail;
  };
  assert.match(await detailOf(`${id}/commands/0/output`), /removed/);
  for (const index of ['1', '-1', '00000', 'x', '1e1']) {
    assert.match(await detailOf(`${id}/commands/${index}/output`), /no command/, index);
  }
  await detailOf('999999/commands/0/output', 'operation_not_found');
});

test('the output of another project is a 404, as if it did not exist', async () => {
  const id = await ended(two);
  await db.insertInto('projects').values({ name: 'other' }).execute();
  const { headers } = await createTestToken(db, { project: 'other', scopes: ['servers:read'] });
  const answer = await ask('GET', `/operations/${id}/commands/0/output`, headers);
  assert.deepEqual([answer.statusCode, answer.json().code], [404, 'operation_not_found']);
});
