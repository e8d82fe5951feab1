import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { prometheusCommand } from '../../../setup/prometheus.mjs';
import { createTestDatabase } from '../testing/postgres.ts';
import { createMetrics } from './metrics.ts';

// Tests that Prometheus can load the alerts and the dashboard in docs/, and that they use existing metrics.

const { db, pool, close } = await createTestDatabase();
after(close);
const directory = mkdtempSync(join(tmpdir(), 'berth-rules-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const text = await createMetrics({ db, pools: { requests: pool } }, { ofServers: true }).text(
  'text',
);
const document = (path: string) => fileURLToPath(new URL(`../../../docs/${path}`, import.meta.url));
const read = (path: string) => readFileSync(document(path), 'utf8');

function promtool(args: string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync(prometheusCommand('promtool'), args, {
    input,
    encoding: 'utf8',
  });
  assert.equal(status, 0, `promtool ${args.join(' ')}: ${stdout}${stderr}`);
}

/** The names of series by their metric. */
const series = new Map(
  Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type]) => {
    const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    return [name, suffixes.map((suffix) => name + suffix)];
  }),
);
const known = new Set([...series.values()].flat().concat('up'));

interface Panel {
  id: number;
  title: string;
  type: string;
  panels?: Panel[];
  targets?: { expr: string }[];
}

const panels: Panel[] = JSON.parse(read('grafana/berth.json')).panels;
const ofDashboard = panels
  .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  .map((expr) => expr.replaceAll('$__rate_interval', '5m'));
const ofAlerts = Array.from(
  read('alerts.yml').matchAll(/^ +expr: (.+)$/gm),
  ([, expr]) => expr ?? '',
);

/** Matches the names of series in PromQL expressions. */
function namesIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const words = Array.from(bare.matchAll(/([a-zA-Z_:][\w:]*)(\s*\()?/g));
  const isSeries = ([, word = '', call]: RegExpExecArray) =>
    call === undefined && !['and', 'or', 'unless', 'bool', 'offset'].includes(word);
  return words.filter(isSeries).map(([word]) => word);
}

test('the metrics pass the check of promtool', () => promtool(['check', 'metrics'], text));

test('the alert rules are valid, and each has tests for firing and not firing', () => {
  promtool(['check', 'rules', document('alerts.yml')]);
  promtool(['test', 'rules', document('alerts.test.yml')]);
  const names = Array.from(read('alerts.yml').matchAll(/^ +- alert: (\w+)$/gm), ([, name]) => name);
  assert.equal(names.length, ofAlerts.length);
  for (const name of names) {
    const cases = read('alerts.test.yml').split(`alertname: ${name}\n`).slice(1);
    const fires = cases.map((one) => !/^ +exp_alerts: \[\]/.test(one));
    assert.deepEqual(
      [...new Set(fires)].sort(),
      [false, true],
      `${name} has a test in which it fires, and one in which it does not`,
    );
  }
});

test('each alert has one section of the runbook', () => {
  const named = Array.from(read('alerts.yml').matchAll(/^ +- alert: (\w+)$/gm), ([, name]) => name);
  const runbooks = Array.from(read('alerts.yml').matchAll(/^ +runbook: (.+)$/gm), ([, at]) => at);
  assert.deepEqual(
    runbooks,
    named.map((name = '') => `docs/alerts.md#${name.toLowerCase()}`),
  );
  const sections = read('alerts.md').split(/^## /m).slice(1);
  assert.deepEqual(sections.map((section) => section.split('\n')[0]).sort(), named.sort());
  for (const section of sections) {
    for (const part of ['Meaning', 'Find out', 'Do']) {
      assert.ok(section.includes(`\n**${part}.** `), `${part}: ${section}`);
    }
  }
});

test('the queries of the dashboard are valid, and its panels have unique ids', () => {
  const rules = ofDashboard.map((expr, index) => ({ record: `panel:${index}`, expr }));
  const path = join(directory, 'dashboard.yml');
  // JSON is YAML.
  writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  promtool(['check', 'rules', path]);
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const empty = panels.filter(({ type, targets = [] }) => type !== 'row' && targets.length === 0);
  assert.deepEqual(empty, []);
});

test('alerts and dashboard use existing series', () => {
  assert.ok(ofAlerts.length > 0 && ofDashboard.length > 0);
  const missing = [...ofAlerts, ...ofDashboard].flatMap(namesIn).filter((name) => !known.has(name));
  assert.deepEqual(missing, []);
});

test('docs/metrics.md lists exactly the metrics that are exported', () => {
  const listed = Array.from(read('metrics.md').matchAll(/`(berth_\w+)`/g), ([, name]) => name);
  const ours = [...series.keys()].filter((name) => name.startsWith('berth_'));
  assert.deepEqual([...new Set(listed)].sort(), ours.sort());
});
