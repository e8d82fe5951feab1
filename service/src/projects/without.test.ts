import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { until } from '../testing/until.ts';
import { createWholeApp } from '../testing/whole-app.ts';

const { app, db, close } = await createWholeApp();
after(close);

it('a user without memberships sees an empty list of projects', async () => {
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
  // The database notifies the service of it.
  const projects = await until('the project is listed', async () => {
    const listed = (await person.ask('GET', '/projects')).json();
    return listed.length > 0 && listed;
  });
  assert.deepEqual(
    projects.map((project: { id: number }) => project.id),
    [projectId],
  );
});

it('a project of others is not found, even if the request names it', async () => {
  const { credentials } = await createTestUser(db);
  const person = await signInAs(app, credentials);
  const answer = await person.ask('GET', '/projects', { 'berth-project': '1' });
  assert.deepEqual([answer.statusCode, answer.json().code], [404, 'project_not_found']);
});
