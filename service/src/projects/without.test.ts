import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const { app, db, close } = await createWholeApp();
after(close);

it('somebody who is a member of no project sees an empty list of them', async () => {
  const { id, credentials } = await createTestUser(db);
  const person = await signInAs(app, credentials);
  const answer = await person.ask('GET', '/projects');
  assert.equal(answer.statusCode, 200, answer.body);
  assert.deepEqual(answer.json(), []);
  const servers = await person.ask('GET', '/servers');
  assert.deepEqual([servers.statusCode, servers.json().code], [404, 'project_not_found']);
  const projectId = await createTestProject(db, 'theirs');
  await db
    .insertInto('memberships')
    .values({ project_id: projectId, user_id: id, role: 'viewer' })
    .execute();
  const [project, ...others] = (await person.ask('GET', '/projects')).json();
  assert.deepEqual([project.id, others], [projectId, []]);
});

it('a project that they name and that is not theirs is not found, all the same', async () => {
  const { credentials } = await createTestUser(db);
  const person = await signInAs(app, credentials);
  const answer = await person.ask('GET', '/projects', { 'berth-project': '1' });
  assert.deepEqual([answer.statusCode, answer.json().code], [404, 'project_not_found']);
});
