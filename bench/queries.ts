import { setTimeout as sleep } from 'node:timers/promises';
import { nameOf, observeQueries, statisticsSettings } from './query-statistics.ts';
import { large, post, sizeOf, wanted } from './scale.ts';
import { call, type Installation, withFleet } from './scale-installation.ts';

const defaultRounds = 50;
/** Long enough for each sweep, and for four rounds of metering. */
const idleSeconds = 70;
/** A table with fewer rows may be read as a whole. */
const largeTableRows = 50_000;

/**
 * Prints, for each query of an installation with 100,000 servers, how often it is run and planned,
 * and how long that takes: under requests, actions, sweeps and metering. Fails if one of them reads
 * a large table sequentially.
 * @param rounds how often each request is sent
 */
export async function benchQueries(rounds = defaultRounds): Promise<boolean> {
  return await withFleet(
    large,
    (installation) => observe(installation, rounds),
    statisticsSettings,
  );
}

async function observe(installation: Installation, rounds: number): Promise<boolean> {
  const { superuserConnectionString, directory } = installation;
  const observer = await observeQueries({ superuserConnectionString, dataDir: directory });
  const work = () => workload(installation, rounds);
  console.log('everything once, so that the queries get their names');
  await workload(installation, 2);
  console.log('the queries are measured');
  const statistics = await observer.measure(work);
  console.table(
    Object.fromEntries(
      statistics.map(({ text, calls, plans, planMs, executionMs }) => [
        nameOf(text),
        {
          calls,
          plans,
          'mean, ms': round(planMs + executionMs),
          'plan, ms': round(planMs),
          'execution, ms': round(executionMs),
        },
      ]),
    ),
  );
  console.log('the plans are logged');
  const scans = await observer.scansDuring(work, await observer.largeTables(largeTableRows));
  for (const { table, text } of scans) console.log(`${table} is read sequentially by:\n${text}\n`);
  return scans.length === 0;
}

const round = (value: number) => Number(value.toPrecision(3));

const listOptions = [
  '',
  '&sort=-id',
  '&sort=hostname',
  '&sort=-created_at',
  '&status=started',
  '&location_id=1',
  '&hostname=bench',
  '&q=ben',
  '&label_selector=env=prod,!old',
];

/** Requests of each kind, and then sweeps and metering alone. */
async function workload(installation: Installation, rounds: number): Promise<void> {
  const { service, fleet } = installation;
  for (let at = 0; at < rounds; at += 1) {
    const id = ((at * 7919) % sizeOf(fleet)) + 1;
    await call(service, `/v1/servers/${id}`);
    await call(service, `/v1/servers/${id}/status`);
    await call(service, `/v1/servers/${id}/usage`);
    for (const option of listOptions) await call(service, `/v1/servers?limit=100${option}`);
    await call(service, `/v1/operations?server_id=${id}`);
    await call(service, '/v1/operations?sort=-id');
    await call(service, '/v1/operations?sort=-id&limit=100&label_selector=env=prod,!old');
    await call(service, '/v1/audit?sort=-id');
    await call(service, '/v1/nodes?limit=100');
    await post(service, '/v1/servers/dry-run', wanted(fleet, at));
    await post(service, '/v1/servers', wanted(fleet, at));
    await post(service, `/v1/servers/${id}/restart`, {});
  }
  await call(service, '/metrics');
  await sleep(idleSeconds * 1000);
}
