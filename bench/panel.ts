import { sql } from 'kysely';
import { startChromium } from '../panel/testing/chromium.ts';
import { createTestUser, goodPassword } from '../service/src/testing/people.ts';
import { ensureBuilt } from '../setup/built.mjs';
import { type Installation, until, withFleet } from './scale-installation.ts';
import { concludeAlone } from './statistics.ts';

const defaultRounds = 3;
const fleet = { locations: 1, nodesPerLocation: 10, serversPerNode: 500 };
const servers = fleet.nodesPerLocation * fleet.serversPerNode;
const burst = { seconds: 5, eventsPerSecond: 1000, perSecond: 10 };
const target = { kilobytes: 250, interactiveMs: 1000, listMs: 300, framesPerSecond: 30 };

/** What the list says when it has them all. */
const all = `${servers.toLocaleString('en')} servers`;

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof startChromium>>['open']>>;

/**
 * Measures the panel in a browser that has loaded nothing before, on a service with 5,000 servers on simulated engines: what
 * it loads, when it can be used, how long the list takes to be shown, and how smooth it stays during a burst of events.
 */
export async function benchPanel(rounds = defaultRounds): Promise<boolean> {
  ensureBuilt('panel');
  return await withFleet(fleet, async (installation) => {
    const { db, service } = installation;
    await sql`update servers set hostname = 'web-' || id`.execute(db);
    const email = 'ada@example.com';
    await createTestUser(db, { email, password: goodPassword, isAdmin: true });
    await using browser = await startChromium(service.url);
    const first = await browser.open();
    await first.goto('/');
    await first.getByLabel('Email address').fill(email);
    await first.getByLabel('Password', { exact: true }).fill(goodPassword);
    await first.getByRole('button', { name: 'Sign in' }).click();
    await first.getByRole('heading', { name: 'Servers', exact: true }).waitFor();
    const storageState = await first.context().storageState();
    await first.context().close();

    const loads: Load[] = [];
    const bursts: Burst[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const page = await browser.open({ storageState });
      const load = await loadList(page);
      const burst = await underEvents(page, installation);
      await page.context().close();
      const shown = `${load.kilobytes.toFixed(0)} KB, usable after ${load.interactiveMs.toFixed(0)} ms, list ${load.listMs.toFixed(0)} ms`;
      const frames = `${burst.framesPerSecond.toFixed(1)} frames/s, longest ${burst.longestMs.toFixed(0)} ms`;
      console.log(`${round === 0 ? 'warm-up' : `round ${round}`}: ${shown}; ${frames}`);
      if (round === 0) continue;
      loads.push(load);
      bursts.push(burst);
    }
    if (browser.errors.length > 0) throw new Error(browser.errors.join('\n'));
    const of = (field: keyof Load) => loads.map((one) => one[field]);
    return [
      concludeAlone('JavaScript of the first load, compressed, KB', of('kilobytes'), {
        most: target.kilobytes,
      }),
      concludeAlone(
        'From the first request until the list can be used, milliseconds',
        of('interactiveMs'),
        {
          most: target.interactiveMs,
        },
      ),
      concludeAlone(
        `From the data of ${servers} servers until they are shown, milliseconds`,
        of('listMs'),
        {
          most: target.listMs,
        },
      ),
      concludeAlone(
        `Frames per second during ${burst.eventsPerSecond} events per second`,
        bursts.map(({ framesPerSecond }) => framesPerSecond),
        { least: target.framesPerSecond },
      ),
    ].every((isMet) => isMet);
  });
}

interface Load {
  kilobytes: number;
  interactiveMs: number;
  listMs: number;
}

/**
 * Notes when the first rows have been painted, when the page is idle for the first time after that, and when all servers
 * have been painted.
 */
const watchList = `
  globalThis.listShown = new Promise((resolve) => {
    const painted = (isThere, then) => {
      const look = () => requestAnimationFrame(isThere() ? () => then(performance.now()) : look);
      look();
    };
    const hasRows = () => document.querySelector('main tbody a');
    const hasAll = () =>
      document.querySelector('main [role=group] [role=status]')?.textContent === '${all}';
    painted(hasRows, () =>
      requestIdleCallback(() => {
        const idleAt = performance.now();
        painted(hasAll, (allAt) => resolve({ idleAt, allAt }));
      }),
    );
  });
  performance.setResourceTimingBufferSize(2000);
`;

const readLoad = `globalThis.listShown.then(({ idleAt, allAt }) => {
  const loaded = performance.getEntriesByType('resource');
  const scripts = loaded.filter(({ name, startTime }) => /\\.js$/.test(name) && startTime < idleAt);
  const reads = loaded.filter(({ name, responseEnd }) => /\\/v1\\/servers\\?/.test(name) && responseEnd < allAt);
  return {
    kilobytes: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000,
    interactiveMs: idleAt,
    listMs: allAt - Math.max(...reads.map(({ responseEnd }) => responseEnd)),
  };
})`;

async function loadList(page: Page): Promise<Load> {
  await page.addInitScript(watchList);
  await page.goto('/servers');
  return await page.evaluate(readLoad);
}

interface Burst {
  framesPerSecond: number;
  longestMs: number;
}

const countFrames = `globalThis.frames = [];
  (function count() {
    globalThis.frames.push(performance.now());
    requestAnimationFrame(count);
  })();`;

/** Counts the frames while events arrive, and checks that the page has shown the last ones at the end. */
async function underEvents(page: Page, installation: Installation): Promise<Burst> {
  await page.evaluate(countFrames);
  const began = await page.evaluate('performance.now()');
  const last = await writeEvents(installation);
  const ended = await page.evaluate('performance.now()');
  const frames: number[] = await page.evaluate('globalThis.frames');
  const during = frames.filter((at) => at >= Number(began) && at <= Number(ended));
  const gaps = during.slice(1).map((at, index) => at - (during[index] ?? 0));
  await page.getByText(last).first().waitFor();
  const seconds = (Number(ended) - Number(began)) / 1000;
  return { framesPerSecond: during.length / seconds, longestMs: Math.max(...gaps) };
}

/**
 * Writes what triggers would write while many servers work, spread over all servers: half are labels of servers, and half the
 * progress of operations. Returns a label that the last of them have.
 */
async function writeEvents({ db }: Installation): Promise<string> {
  const ticks = burst.seconds * burst.perSecond;
  const ofEach = burst.eventsPerSecond / burst.perSecond / 2;
  const run = String(Date.now());
  const began = performance.now();
  for (let tick = 0; tick < ticks; tick += 1) {
    await sql`
      with numbered as (
        select *, row_number() over (order by id desc) as n from servers where deleted_at is null
      ), labelled as (
        update servers set labels = jsonb_build_object('run', ${run}::text, 'tick', ${tick}::text)
        from numbered where numbered.id = servers.id and numbered.n % ${servers / ofEach}::int = ${2 * tick}::int
        returning servers.id
      )
      insert into event_outbox (type, project_id, server_id, labels, data)
      select 'operation.progress', project_id, id, '{}', jsonb_build_object('operation', jsonb_build_object(
        'id', id, 'kind', 'restart', 'server_id', id, 'node_id', null, 'status', 'running',
        'progress', ${tick}::int, 'message', 'Restarting', 'error', null))
      from numbered where n % ${servers / ofEach}::int = ${2 * tick + 1}::int`.execute(db);
    const dueMs = ((tick + 1) * 1000) / burst.perSecond;
    await until('the next events are due', async () => performance.now() - began >= dueMs, 5);
  }
  return `run=${run}`;
}
