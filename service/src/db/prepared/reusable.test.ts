import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase } from '../../testing/postgres.ts';
import { EveryProject } from '../every-project.ts';
import { Project } from '../project.ts';
import { rowsQuery } from '../rows-query.ts';
import { reusable } from './reusable.ts';

const { db, close } = await createTestDatabase();
after(close);

test('a query is built once, and runs with the values of each call', async () => {
  let built = 0;
  const query = reusable((on, { text, number }: { text: string; number: number }) => {
    built += 1;
    return on.selectNoFrom([
      sql<string>`${text}::text`.as('text'),
      sql<number>`${number}::int`.as('number'),
      sql<string>`${'constant'}::text`.as('constant'),
      sql<string>`${text}::text`.as('again'),
    ]);
  });
  const rows = [
    await query(db, { text: 'a', number: 1 }),
    await query(db, { text: 'b', number: 2 }),
  ];
  assert.deepEqual(rows.flat(), [
    { text: 'a', number: 1, constant: 'constant', again: 'a' },
    { text: 'b', number: 2, constant: 'constant', again: 'b' },
  ]);
  assert.equal(built, 1);
});

test('a query works in a transaction, and sees its changes', async () => {
  const named = reusable((on, { name }: { name: string }) =>
    on.selectFrom('projects').select('name').where('name', '=', name),
  );
  await db.transaction().execute(async (trx) => {
    await trx.insertInto('projects').values({ name: 'uncommitted' }).execute();
    assert.deepEqual(await named(trx, { name: 'uncommitted' }), [{ name: 'uncommitted' }]);
    assert.deepEqual(await named(db, { name: 'uncommitted' }), []);
  });
});

test('rows of one project, of all, or of some are found by the same query', async () => {
  const projects = [];
  for (const name of ['one', 'two', 'three']) {
    const project = db.insertInto('projects').values({ name }).returning('id');
    projects.push((await project.executeTakeFirstOrThrow()).id);
  }
  const [one = 0, two = 0, three = 0] = projects;
  for (const project_id of projects) {
    const key = {
      name: 'laptop',
      public_key: `key ${project_id}`,
      fingerprint: `SHA256:${project_id}`,
    };
    await db
      .insertInto('ssh_keys')
      .values({ project_id, ...key })
      .execute();
  }
  const keysNamed = rowsQuery((rows, { name }: { name: string }) =>
    rows.select('ssh_keys').select('project_id').where('name', '=', name).orderBy('project_id'),
  );
  const found = async (rows: Project | EveryProject) =>
    (await keysNamed(rows, { name: 'laptop' })).map(({ project_id }) => project_id);
  assert.deepEqual(await found(new Project(db, one)), [one]);
  assert.deepEqual(await found(new Project(db, two)), [two]);
  assert.deepEqual(await found(new EveryProject(db)), projects);
  assert.deepEqual(await found(new EveryProject(db, [three, one])), [three, one]);
  assert.deepEqual(await found(new EveryProject(db, [])), []);
});
