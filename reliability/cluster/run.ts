import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { serviceLog } from '../../e2e/service.ts';
import { say, withDirectory } from '../../e2e/stack.ts';
import { createIncusClient } from '../../service/src/incus/client.ts';
import { explain, SetupError } from '../../setup/commands.mjs';
import { daemonLog } from '../../setup/incus-daemon.ts';
import { formCluster } from './cluster.ts';
import { judge } from './judge.ts';
import { addLocation, ensureImage } from './location.ts';
import { beginReading } from './readers.ts';
import { startReplicas } from './replicas.ts';
import { requestsTo } from './requests.ts';
import type { Outcome, Scenario } from './scenario.ts';
import { diskLeft } from './scenarios/disk-left.ts';
import { evacuation } from './scenarios/evacuation.ts';
import { leaderKilled } from './scenarios/leader-killed.ts';
import { memberCutOff } from './scenarios/member-cut-off.ts';
import { noQuorum } from './scenarios/no-quorum.ts';
import { replicaKilled } from './scenarios/replica-killed.ts';
import { rollingRestart } from './scenarios/rolling-restart.ts';
import { spread } from './scenarios/spread.ts';
import {
  database,
  incusDirs,
  makeMachines,
  names,
  removeEverything,
  replicaDirectories,
  site,
} from './site.ts';
import { type Row, table } from './table.ts';
import { makeWhole, shownUnderWay, type World } from './world.ts';

// npm run test:cluster: tests a real Incus cluster of three members in network namespaces, two replicas of the service
// and an external PostgreSQL, in several scenarios.

const scenarios = [
  spread,
  leaderKilled,
  memberCutOff,
  noQuorum,
  evacuation,
  replicaKilled,
  rollingRestart,
  diskLeft,
];

const { values } = parseArgs({
  options: {
    /** Names of scenarios, as they are in the table; the first always runs. */
    only: { type: 'string', multiple: true },
    /** The directory of the logs. */
    logs: { type: 'string' },
  },
});

const seconds = () => performance.now() / 1000;

async function test(): Promise<Row[]> {
  const began = seconds();
  const machines = await makeMachines();
  await formCluster(machines, names);
  const [first] = machines;
  if (!first) throw new TypeError('There are no machines.');
  say(`The cluster was created after ${(seconds() - began).toFixed(1)} s`);
  const replicas = await startReplicas();
  say(`The replicas answered after ${(seconds() - began).toFixed(1)} s`);
  const client = createIncusClient({ socketPath: first.socketPath, project: names.project });
  try {
    const { services } = replicas;
    const requests = requestsTo(services);
    const [service] = services;
    if (service) say(addLocation(first, names, service).trim().replaceAll('\n', '\n  '));
    await ensureImage(requests);
    say(`The image was ready after ${(seconds() - began).toFixed(1)} s`);
    const world: World = {
      ...{ machines, services, client, directory: database, pool: names.pool },
      requests,
      servers: new Map(),
      accepted: { servers: new Set(), operations: new Set() },
    };
    const rows: Row[] = [];
    for (const scenario of scenarios) {
      if (values.only && scenario !== spread && !values.only.includes(scenario.name)) continue;
      const row = await play(world, scenario);
      say(`${row.broken === undefined ? 'passed' : 'FAILED'}, after ${Math.round(row.seconds)} s`);
      rows.push(row);
    }
    return rows;
  } finally {
    await client.close();
    await replicas.stop();
  }
}

/** Repairs what one scenario breaks, so that the others can run. */
async function play(world: World, scenario: Scenario): Promise<Row> {
  const { name, did } = scenario;
  const began = seconds();
  say(`${name}: ${did}`);
  const reading = beginReading(world.requests, () => [...world.servers.keys()]);
  let outcome: Outcome = { took: {} };
  let broken: unknown;
  try {
    outcome = await scenario.run(world).finally(() => reading.end());
    outcome.took.settled = await judge(world, scenario, await reading.end());
  } catch (error) {
    broken = error;
    say(inspect(error));
    say(`Operations in progress in Incus: ${await shownUnderWay(world)}`);
    await makeWhole(world);
  }
  const { reads, p99, failed } = await reading.end();
  return {
    ...{ scenario: name, did, took: outcome.took, moved: outcome.moved ?? 0, broken },
    ...{ servers: world.servers.size, reads, p99, failed: failed.length },
    seconds: seconds() - began,
  };
}

/** Copies the logs of the services and the daemons. */
function keepLogs(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const logs = [...replicaDirectories.map(serviceLog), ...incusDirs.map(daemonLog)];
  for (const log of logs.filter(existsSync)) {
    copyFileSync(log, join(directory, relative(site.directory, log).replaceAll('/', '-')));
  }
}

try {
  const rows = await withDirectory(site.directory, {
    remove: removeEverything,
    reaper: [new URL('reaper.ts', import.meta.url)],
    async use() {
      try {
        return await test();
      } finally {
        if (values.logs) keepLogs(values.logs);
      }
    },
  });
  console.log(
    `\n${new Date().toISOString()}, ${Math.round(seconds())} s in total\n\n${table(rows)}`,
  );
  if (rows.some(({ broken }) => broken !== undefined)) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  explain(error);
  process.exitCode = 1;
}
