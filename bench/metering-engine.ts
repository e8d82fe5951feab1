import { createServer } from 'node:http';
import { uuidOf } from './metering-fleet.ts';

// Answers for a cluster with very many servers, as Incus does on cgroup v2. It is a separate
// process, so that its cost does not count.

const [socketPath = '', servers = '', nodes = ''] = process.argv.slice(2);
const perNode = Number(servers) / Number(nodes);
const startedAt = new Date('2026-01-01T00:00:00Z').toISOString();
const cpuSecondsARound = 1.5;
const bytesARound = 40_000;

/** All counters increase with it. */
let round = 0;

type Value = (round: number) => number;
type Family = [name: string, samples: [labels: string, value: Value][]];

const still: Value = () => 1_234_567;
const one = (name: string): Family => [name, [['', still]]];

const memory = [
  ...['Active_anon', 'Active_file', 'Active', 'Cached', 'Dirty', 'HugepagesFree', 'HugepagesTotal'],
  ...['Inactive_anon', 'Inactive_file', 'Inactive', 'Mapped', 'MemFree', 'RSS', 'Shmem', 'Swap'],
  ...['Unevictable', 'Writeback'],
];
const packets = ['drop_total', 'errs_total', 'packets_total', 'bytes_total'];

/** Metric families that are not used, but must be parsed. */
const others: Family[] = [
  one('incus_cpu_effective_total'),
  ...['avail', 'free', 'size'].map(
    (what): Family => [
      `incus_filesystem_${what}_bytes`,
      [['device="/dev/loop0",fstype="btrfs",mountpoint="/",', still]],
    ],
  ),
  ...['reads_completed_total', 'writes_completed_total'].map(
    (what): Family => [`incus_disk_${what}`, [['device="loop0",', still]]],
  ),
  ...memory.map((what) => one(`incus_memory_${what}_bytes`)),
  one('incus_memory_OOM_kills_total'),
  ...['receive', 'transmit'].flatMap((way) =>
    packets.map(
      (what): Family => [
        `incus_network_${way}_${what}`,
        [
          ['device="eth0",', still],
          ['device="lo",', still],
        ],
      ],
    ),
  ),
  one('incus_procs_total'),
];

const read: Family[] = [
  [
    'incus_cpu_seconds_total',
    [
      ['cpu="0",mode="system",', (round) => round * cpuSecondsARound * 0.4],
      ['cpu="0",mode="user",', (round) => round * cpuSecondsARound * 0.6],
    ],
  ],
  ['incus_disk_read_bytes_total', [['device="loop0",', (round) => round * bytesARound]]],
  ['incus_disk_written_bytes_total', [['device="loop0",', (round) => round * bytesARound]]],
  ['incus_memory_MemAvailable_bytes', [['', () => 2 ** 29]]],
  ['incus_memory_MemTotal_bytes', [['', () => 2 ** 30]]],
];

function familyText([name, samples]: Family, node: number): string {
  const lines = [`# HELP ${name} What it is.`, `# TYPE ${name} counter`];
  for (let server = node * perNode; server < (node + 1) * perNode; server += 1) {
    const whose = `name="srv-${uuidOf(server)}",project="berth",type="container"`;
    for (const [labels, value] of samples) lines.push(`${name}{${labels}${whose}} ${value(round)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The same text for all nodes, since their names are not read. */
const othersText = Buffer.from(others.map((family) => familyText(family, 0)).join(''));

/** By node, with the metric families that are used. */
let texts: Buffer[] = [];

/** Prepared between the rounds, because real engines run on other machines. */
function prepareRound(): void {
  round += 1;
  texts = Array.from({ length: Number(nodes) }, (_, node) =>
    Buffer.from(read.map((family) => familyText(family, node)).join('')),
  );
}

function answer(path: string, target: number): object | undefined {
  const [, , noun, name = '', detail] = path.split('/');
  if (noun === 'networks') {
    const bytes = round * bytesARound;
    return { counters: { bytes_received: bytes, bytes_sent: bytes * 3 }, hwaddr: '', mtu: 1500 };
  }
  const server = Number.parseInt(name.slice(-12), 16);
  if (noun !== 'instances' || Number.isNaN(server)) return undefined;
  if (detail === 'state') return { status: 'Running', disk: { root: { usage: 2 ** 31 + target } } };
  const config = { 'volatile.eth0.host_name': `veth${server.toString(36)}` };
  return { name, status: 'Running', config, last_used_at: startedAt };
}

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://incus');
  const target = Number(url.searchParams.get('target')?.slice('node-'.length) ?? 0);
  if (url.pathname === '/1.0/metrics') {
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    for (const part of [texts[target] ?? '', othersText]) response.write(part);
    response.end('# EOF\n');
    return;
  }
  if (url.pathname === '/prepare-round') {
    prepareRound();
    response.end();
    return;
  }
  const metadata = answer(url.pathname, target);
  const body = metadata
    ? { type: 'sync', status: 'Success', status_code: 200, metadata }
    : { type: 'error', error: 'Not Found', error_code: 404 };
  response.writeHead(metadata ? 200 : 404, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}).listen(socketPath);
