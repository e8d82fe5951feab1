import { Project } from '../service/src/db/project.ts';
import { parseSelector } from '../service/src/labels/selector.ts';
import { listServers, type ServerOrder } from '../service/src/servers/queries.ts';
import { installation } from '../service/src/testing/fixtures.ts';
import { enterManyRows } from '../service/src/testing/many-rows.ts';
import { createTestProject } from '../service/src/testing/people.ts';
import { createTestDatabase } from '../service/src/testing/postgres.ts';
import { compare, conclude, spread } from './statistics.ts';

const defaultRounds = 20;
const mostMs = 5;
const pageSize = 20;

/** Of labels that few servers, half of them, or all but few have, and of one that has another value on each server. */
const selectors = [
  ...['env=rare', 'env=common', 'env in (common,rare)', 'env=nobody', 'env'],
  ...['env!=common', 'env notin (rare)', 'old', '!old', '!env'],
  ...['env=common,!old', 'env=rare,old', 'number=77', 'env=rare,number>5', 'env=common,number=77'],
];

const orders: ServerOrder[] = [
  { sort: 'id', descending: false },
  { sort: 'id', descending: true },
  { sort: 'hostname', descending: false },
  { sort: 'created_at', descending: true },
];

/**
 * Measures the queries for a page of servers that a label selector selects, among 100,000 servers, for each selector in
 * each order, in a project of which five servers have no labels, and in one of which half have none. The slowest of them
 * is compared with a page without a selector.
 */
export async function benchSelectors(rounds = defaultRounds): Promise<boolean> {
  const { db, close } = await createTestDatabase();
  try {
    const place = await installation(db);
    const otherId = await createTestProject(db, 'other');
    await enterManyRows(db, place, otherId);
    const projects = {
      'few without labels': new Project(db, place.projectId),
      'half without labels': new Project(db, otherId),
    };
    return await measure(projects, rounds);
  } finally {
    await close();
  }
}

/** @param projects by what is special about them */
async function measure(projects: Record<string, Project>, rounds: number): Promise<boolean> {
  const table: Record<string, Record<string, number>> = {};
  let slowest = { words: '', median: 0, baseline: [] as number[], measured: [] as number[] };
  for (const [which, project] of Object.entries(projects)) {
    for (const text of selectors) {
      for (const order of orders) {
        const { baseline, measured } = await measurePage(project, text, order, rounds);
        const { median } = spread(measured);
        const column = `${order.descending ? '-' : ''}${order.sort}`;
        const row = `${text} (${which})`;
        table[row] = { ...table[row], [column]: Number(median.toFixed(2)) };
        const words = `${row}, by ${column}`;
        if (median > slowest.median) slowest = { words, median, baseline, measured };
      }
    }
  }
  console.log('A page of 20 servers by selector and order, median in milliseconds');
  console.table(table);
  const names = { baseline: 'without a selector', measured: slowest.words };
  const result = compare(slowest.baseline, slowest.measured);
  const title = 'The slowest selector among 100,000 servers, milliseconds';
  return conclude(title, names, result, { of: 'measured', most: mostMs });
}

/** Returns the milliseconds of each round for a page without a selector, and with it. */
async function measurePage(project: Project, text: string, order: ServerOrder, rounds: number) {
  const selector = parseSelector(text);
  const baseline: number[] = [];
  const measured: number[] = [];
  // The first rounds are a warm-up for both.
  for (let round = -2; round < rounds; round += 1) {
    const without = await timed(() => listServers(project, {}, order).page(undefined, pageSize));
    const selected = await timed(() =>
      listServers(project, { selector }, order).page(undefined, pageSize),
    );
    if (round < 0) continue;
    baseline.push(without);
    measured.push(selected);
  }
  return { baseline, measured };
}

async function timed(read: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await read();
  return performance.now() - begun;
}
