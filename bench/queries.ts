import { startReceiver } from '../service/src/testing/receiver.ts';
import { createWebhook, workload } from './queries-workload.ts';
import { nameOf, observeQueries, statisticsSettings } from './query-statistics.ts';
import { large } from './scale.ts';
import { type Installation, withFleet } from './scale-installation.ts';

const defaultRounds = 50;
/** A table with fewer rows may be read as a whole. */
const largeTableRows = 50_000;

/**
 * Prints, for each query of an installation with 100,000 servers, how often it is run and planned,
 * and how long that takes: under requests, actions, sweeps, metering and deliveries to a webhook.
 * Fails if one of them reads a large table sequentially.
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
  await using receiver = await startReceiver();
  const webhookId = await createWebhook(installation, receiver.url);
  const work = () => workload(installation, webhookId, rounds);
  console.log('everything once, so that the queries get their names');
  await workload(installation, webhookId, 2);
  await receiver.nth(1);
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
