import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Project } from '../db/project.ts';
import {
  db,
  ended,
  enterFor,
  enterServer,
  kindOf,
  place,
  rowOf,
  run,
  untilEnded,
} from '../testing/operations.ts';
import { until } from '../testing/until.ts';
import { wait } from './define.ts';
import { createOf } from './queries.ts';

const commands = [{ exit_status: 0, output: 'done' }];

for (const seconds of [0.1, 3600]) {
  test(`a wait of ${seconds} s writes the results of commands`, async () => {
    const kind = kindOf({ only: async () => ({ outcome: 'wait', seconds, commands }) });
    run(kind);
    const id = await enterFor(await enterServer(), kind);
    const row = await until(
      'they are written',
      () => rowOf(id),
      (seen) => seen.commands !== null,
    );
    assert.deepEqual(row.commands, commands);
  });
}

for (const [what, found] of Object.entries({ patch: { found: 7 }, commands })) {
  test(`a wait whose only news is its ${what} is written`, async () => {
    let looks = 0;
    const kind = kindOf(
      {
        only: async ({ operation }) => {
          looks += 1;
          if (looks < 3)
            return { ...wait(0.01, 'for more'), ...(looks === 2 && { [what]: found }) };
          assert.deepEqual(what === 'patch' ? operation.state : operation.commands, found);
          return ended();
        },
      },
      { kind: `more ${what}` },
    );
    run(kind);
    const { status, error } = await untilEnded(await enterFor(await enterServer(), kind));
    assert.equal(status, 'succeeded', error?.message);
  });
}

test('only retries count as attempts: a wait in between resets them', async () => {
  const seen: number[] = [];
  // This kind is separate, because the operations above still wait.
  const kind = kindOf(
    {
      only: async ({ operation }) => {
        seen.push(operation.attempts);
        if (seen.length === 2) return wait(0.1, 'for once');
        if (seen.length === 4) return ended();
        throw new Error('Not yet.');
      },
    },
    { kind: 'retries' },
  );
  run(kind);
  await untilEnded(await enterFor(await enterServer(), kind));
  assert.deepEqual(seen, [0, 1, 0, 1]);
});

test('the create of a server is its first operation', async () => {
  const create = kindOf({ only: async () => ended() }, { kind: 'create' });
  const start = kindOf({ only: async () => ended() }, { kind: 'start' });
  const [other, server] = [await enterServer(), await enterServer()];
  const ids: number[] = [];
  await enterFor(other, create);
  for (const kind of [start, create, create, start]) {
    const id = await enterFor(server, kind);
    ids.push(id);
    await fail(id);
  }
  // Without an order, an updated row is returned last.
  await fail(ids[1]);
  const project = new Project(db, place.projectId);
  assert.equal((await createOf(project, server)).id, ids[1]);
});

async function fail(id = 0) {
  const operation = db.updateTable('operations').where('id', '=', id);
  await operation.set({ finished_at: new Date().toISOString(), status: 'failed' }).execute();
}
