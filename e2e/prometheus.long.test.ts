import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../service/src/testing/until.ts';
import { prometheusCommand } from '../setup/prometheus.mjs';
import { address, call, created, directory, remove } from './api.ts';
import { onFreePort } from './ports.ts';

const alerts = fileURLToPath(new URL('../docs/alerts.yml', import.meta.url));
const place = mkdtempSync(join(directory(), 'prometheus-'));
const logFile = join(place, 'log');
let server: string;
let prometheus: ChildProcess;
let tokenId: number;

before(async () => {
  const wanted = { name: 'prometheus', scopes: ['metrics:read'] };
  const { body } = await call<{ id: number; token: string }>('POST', '/v1/tokens', wanted);
  tokenId = body.id;
  writeFileSync(join(place, 'token'), body.token, { mode: 0o600 });
  writeFileSync(join(place, 'prometheus.yml'), JSON.stringify(configuration()));
  await onFreePort(startPrometheus);
});

async function startPrometheus(port: number): Promise<void> {
  server = `127.0.0.1:${port}`;
  const log = openSync(logFile, 'w');
  const args = [
    `--config.file=${join(place, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(place, 'data')}`,
    `--web.listen-address=${server}`,
  ];
  const started = spawn(prometheusCommand('prometheus'), args, { stdio: ['ignore', log, log] });
  prometheus = started;
  closeSync(log);
  await until('Prometheus is ready', async () => {
    const [answer] = await Promise.allSettled([fetch(`http://${server}/-/ready`)]);
    if (started.exitCode !== null) throw new Error(readFileSync(logFile, 'utf8'));
    return answer.status === 'fulfilled' && answer.value.ok;
  });
}

after(async () => {
  if (prometheus.exitCode === null) {
    const ended = new Promise((resolve) => prometheus.once('exit', resolve));
    prometheus.kill('SIGTERM');
    await ended;
  }
  rmSync(place, { recursive: true, force: true });
  await call('DELETE', `/v1/tokens/${tokenId}`);
});

/** As docs/metrics.md has it, with our alerts; JSON is YAML. */
function configuration(): object {
  const job = {
    job_name: 'berth',
    scrape_interval: '1s',
    authorization: { credentials_file: join(place, 'token') },
    static_configs: [{ targets: [address()] }],
  };
  return { scrape_configs: [job], rule_files: [alerts] };
}

/** The result of an expression in Prometheus; undefined while there is none. */
async function ask(expr: string): Promise<number | undefined> {
  assert.equal(prometheus.exitCode, null, readFileSync(logFile, 'utf8'));
  const url = `http://${server}/api/v1/query?${new URLSearchParams({ query: expr })}`;
  const [answer] = await Promise.allSettled([fetch(url)]);
  // It takes a moment to start, and returns 503 while it reads its data.
  if (answer.status === 'rejected' || answer.value.status === 503) return undefined;
  const { data } = (await answer.value.json()) as {
    data: { result: { value: [number, string] }[] };
  };
  const [first] = data.result;
  return first && Number(first.value[1]);
}

async function untilSeen(expr: string, value: number): Promise<void> {
  await until(
    `Prometheus has ${expr} = ${value}`,
    () => ask(expr),
    (seen) => seen === value,
  );
}

test('a Prometheus scrapes the service, and has the changes of a server', async () => {
  await untilSeen('up{job="berth"}', 1);
  const { id } = await created();
  await untilSeen('sum(berth_servers{status="started"})', 1);
  const creates = 'berth_operation_duration_seconds_count{kind="create",outcome="succeeded"} > 0';
  await untilSeen(`count(${creates})`, 1);
  await untilSeen(
    'count(berth_engine_calls_total{path="/1.0/instances",method="POST",outcome="ok"})',
    1,
  );
  await untilSeen('min(berth_location_reachable)', 1);
  await remove(id);
  await untilSeen('sum(berth_operation_duration_seconds_count{kind="delete"} > bool 0)', 1);
  await untilSeen('absent(berth_servers{status="started"})', 1);
});
