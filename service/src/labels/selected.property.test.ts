import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Caller } from '../callers/app-types.ts';
import { everyProject } from '../callers/every-project.ts';
import { Project, type ProjectRows } from '../db/project.ts';
import { listServers, setServerSettings } from '../servers/queries.ts';
import { type Installation, installation } from '../testing/fixtures.ts';
import { createTestProject } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { enterServer } from '../testing/servers.ts';
import { type Labels, labelSetFor, type SummaryLimits } from './queries.ts';
import { satisfies } from './satisfies.ts';
import { parseSelector } from './selector.ts';
import '../testing/fixed-seed.ts';

// Compares which servers a selector selects in SQL with `satisfies`, a simple implementation of its meaning in
// Kubernetes, by which streams of events are filtered.

const { db, close } = await createTestDatabase();
after(close);
const place = await installation(db);

const keys = ['env', 'size', 'example.com/env', 'constructor'];
const values = ['', 'prod', 'test', 'Prod', '2', '10', '007'];
const anyLabels = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values), {
  maxKeys: keys.length,
});

const key = fc.constantFrom(...keys);
const value = fc.constantFrom(...values, 'nobody');
const number = fc.constantFrom('2', '7', '0009');
const list = fc
  .array(value, { minLength: 1, maxLength: 3 })
  // Empty parentheses have no value.
  .map((all) => (all.join() === '' ? '(,)' : `(${all.join()})`));
const requirement = fc.oneof(
  key,
  key.map((name) => `!${name}`),
  fc.tuple(key, fc.constantFrom('=', '==', '!='), value).map((parts) => parts.join('')),
  fc.tuple(key, fc.constantFrom('in', 'notin'), list).map((parts) => parts.join(' ')),
  fc.tuple(key, fc.constantFrom('<', '>'), number).map((parts) => parts.join('')),
);
const anySelector = fc.array(requirement, { minLength: 1, maxLength: 3 }).map((all) => all.join());

interface Server {
  id: number;
  projectId: number;
  labels: Labels;
}

const servers: Server[] = [];
const byProject = new Map<number, SummaryLimits | undefined>();

async function label(server: Server, labels: Labels): Promise<void> {
  const project = new Project(db, server.projectId);
  const setId = await labelSetFor(project, labels, byProject.get(server.projectId));
  await setServerSettings(project, server.id, { labels: { labels, setId } });
  server.labels = labels;
}

async function enterProject(limits?: SummaryLimits): Promise<number> {
  const projectId = await createTestProject(db, `p${byProject.size}`);
  byProject.set(projectId, limits);
  const own: Installation = { ...place, projectId };
  for (const labels of fc.sample(anyLabels, { numRuns: 25, seed: projectId })) {
    const server = { id: await enterServer(db, own), projectId, labels: {} };
    servers.push(server);
    await label(server, labels);
  }
  return projectId;
}

// Each leaves out more than the one before.
const projects = [
  await enterProject(),
  await enterProject({ values: 2, sets: 500 }),
  await enterProject({ values: 2, sets: 5 }),
  await enterProject({ values: 0, sets: 2 }),
  await enterProject({ values: 0, sets: 0 }),
];
const administrator = { scopes: ['admin'] } as unknown as Caller;

async function selected(rows: ProjectRows, text: string): Promise<number[]> {
  const order = { sort: 'id', descending: false } as const;
  const found = listServers(rows, { selector: parseSelector(text) }, order);
  const page = await found.page(undefined, 1000);
  assert.equal(await found.count(), page.length);
  return page.map(({ id }) => id);
}

const wanted = (text: string, among: number[]) => {
  const selector = parseSelector(text);
  return servers
    .filter(({ projectId }) => among.includes(projectId))
    .filter(({ labels }) => satisfies(labels, selector))
    .map(({ id }) => id);
};

test('a selector selects servers by their labels, however these are summarised', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      anySelector,
      fc.nat({ max: servers.length - 1 }),
      anyLabels,
      async (text, at, labels) => {
        const changed = servers[at];
        assert.ok(changed);
        await label(changed, labels);
        for (const one of projects) {
          const ids = await selected(new Project(db, one), text);
          assert.deepEqual(ids, wanted(text, [one]), `${text} in project ${one}`);
          found += ids.length;
        }
        const some = projects.slice(1, 3);
        const ofSome = await selected(everyProject(administrator, db, some), text);
        assert.deepEqual(ofSome, wanted(text, some), text);
        assert.deepEqual(
          await selected(everyProject(administrator, db), text),
          wanted(text, projects),
          text,
        );
      },
    ),
    { numRuns: 60 },
  );
  assert.ok(found > 500, `${found} were selected`);
});

async function setsOf(projectId: number): Promise<Record<string, string | null>[]> {
  const rows = db.selectFrom('label_sets').select('summary').where('project_id', '=', projectId);
  return (await rows.execute()).map(({ summary }) => summary ?? {});
}

test('a project has few sets, however the labels of its servers vary', async () => {
  const [all = [], fewValues = [], fewSets = [], keysOnly = [], one = []] = await Promise.all(
    projects.map(setsOf),
  );
  const valuesOf = (sets: typeof all) => {
    const found = sets.map(({ env = null }) => env).filter((value) => value !== null);
    return new Set(found).size;
  };
  assert.ok(valuesOf(all) > 2, `${valuesOf(all)} values`);
  assert.equal(valuesOf(fewValues), 2);
  assert.ok(all.length > 2 * 5 + 1, `${all.length} sets`);
  assert.ok(fewSets.length <= 2 * 5 + 1, `${fewSets.length} sets`);
  assert.deepEqual([keysOnly.length, one.length], [2 * 2 + 1, 1]);
});
