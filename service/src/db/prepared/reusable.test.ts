import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase } from '../../testing/postgres.ts';
import type { Queryable } from '../connection.ts';
import { Project, type ProjectRows } from '../project.ts';
import { reusable } from './reusable.ts';

const { db, close } = await createTestDatabase();
after(close);

test('a query is built once, and runs with the values of each call', async () => {
  let built = 0;
  const query = reusable((on: Queryable, { text, number }: { text: string; number: number }) => {
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
  const named = reusable((on: Queryable, { name }: { name: string }) =>
    on.selectFrom('projects').select('name').where('name', '=', name),
  );
  await db.transaction().execute(async (trx) => {
    await trx.insertInto('projects').values({ name: 'uncommitted' }).execute();
    assert.deepEqual(await named(trx, { name: 'uncommitted' }), [{ name: 'uncommitted' }]);
    assert.deepEqual(await named(db, { name: 'uncommitted' }), []);
  });
});

test('the rows of each project are found by the same query', async () => {
  const projects = [];
  for (const name of ['one', 'two']) {
    const project = db.insertInto('projects').values({ name }).returning('id');
    projects.push((await project.executeTakeFirstOrThrow()).id);
  }
  for (const project_id of projects) {
    const key = {
      ...{ name: 'laptop', public_key: `key ${project_id}` },
      fingerprint: `SHA256:${project_id}`,
    };
    await db
      .insertInto('ssh_keys')
      .values({ project_id, ...key })
      .execute();
  }
  let built = 0;
  const keysNamed = (rows: ProjectRows, { name }: { name: string }) => {
    built += 1;
    return rows.select('ssh_keys').select('project_id').where('name', '=', name);
  };
  for (const project_id of projects) {
    const found = await new Project(db, project_id).run(keysNamed, { name: 'laptop' });
    assert.deepEqual(found, [{ project_id }]);
    assert.deepEqual(await new Project(db, project_id).run(keysNamed, { name: 'other' }), []);
  }
  assert.equal(built, 1);
});
