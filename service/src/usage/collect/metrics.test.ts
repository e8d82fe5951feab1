import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseMemory, parseMetrics } from './metrics.ts';
import '../../testing/fixed-seed.ts';

// Shortened responses of Incus 6.0.4: an idle container, and one with the network counters after it had received
// 20,000,000 bytes over TCP and then sent 10,000,000.
const text = await readFile(new URL('metrics.fixture.txt', import.meta.url));
const busy = 'srv-4c8a1c1e-7f0e-4c56-9a52-0d0f4a2b9d10';

const parse = (...pieces: Buffer[]) => parseMetrics(Readable.from(pieces));
const parseLines = (lines: string[]) => parse(Buffer.from(lines.join('\n')));

test('reads every instance of a real answer', async () => {
  assert.deepEqual([...(await parse(text)).keys()].sort(), ['a', busy]);
});

test('the answer may come in any pieces', async () => {
  const whole = await parse(text);
  const cuts = fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const ends = [...places.toSorted((a, b) => a - b), text.length];
      const pieces = ends.map((end, index) => text.subarray(ends[index - 1] ?? 0, end));
      assert.deepEqual(await parse(...pieces), whole);
    }),
  );
  for (const size of [1, 2, 7, 100, 1_000]) {
    const count = Math.ceil(text.length / size);
    const pieces = Array.from({ length: count }, (_, at) =>
      text.subarray(at * size, (at + 1) * size),
    );
    assert.deepEqual(await parse(...pieces), whole);
  }
  for (let at = 0; at <= text.length; at += 1) {
    assert.deepEqual(await parse(text.subarray(0, at), text.subarray(at)), whole);
  }
});

test('reads the same as a simple parser does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 60 }), fc.nat(), async (lines, place) => {
      const bytes = Buffer.from(lines.join('\n'));
      const at = place % (bytes.length + 1);
      const readings = await parse(bytes.subarray(0, at), bytes.subarray(at));
      assert.deepEqual(readings, plainReadings(lines));
    }),
    { numRuns: 1_000 },
  );
});

test('disk traffic is the sum over devices, or unknown', async () => {
  assert.equal((await parse(text)).get(busy)?.diskRead, null);
  const lines = ['loop0', 'sda'].map(
    (device) => `incus_disk_written_bytes_total{device="${device}",name="a"} 5`,
  );
  const reading = (await parseLines(lines)).get('a');
  assert.deepEqual([reading?.diskRead, reading?.diskWritten], [null, 10]);
});

test('CPU time is the sum over cores and modes', async () => {
  const seconds = (await parse(text)).get('a')?.cpuSeconds ?? 0;
  const expected = 0.267983946 + 0.323979859 + 0.655378965 + 1.406809229;
  assert.ok(Math.abs(seconds - expected) < 1e-9);
});

test('memory is what is neither free nor page cache', async () => {
  assert.equal((await parse(text)).get('a')?.ramBytes, 536_870_912 - 515_731_456);
});

test('memory that a guest can not do without includes its files in a tmpfs, and is unknown without all parts', async () => {
  const lines = [
    '# TYPE incus_memory_MemAvailable_bytes gauge',
    'incus_memory_MemAvailable_bytes{name="a"} 700',
    'incus_memory_MemAvailable_bytes{name="b"} 700',
    '# TYPE incus_memory_MemTotal_bytes gauge',
    'incus_memory_MemTotal_bytes{name="a"} 1000',
    'incus_memory_MemTotal_bytes{name="b"} 1000',
    'incus_memory_MemTotal_bytes{name="c"} 1000',
    '# TYPE incus_memory_Shmem_bytes gauge',
    'incus_memory_Shmem_bytes{name="a"} 200',
    'incus_memory_Shmem_bytes{name="c"} 200',
    '# TYPE incus_cpu_seconds_total counter',
    'incus_cpu_seconds_total{mode="user",name="d"} 1',
  ];
  const inUse = await parseMemory(Readable.from([Buffer.from(lines.join('\n'))]));
  assert.deepEqual([...inUse], [['a', 500]]);
});

test('the time that a virtual machine waits does not count as used', async () => {
  const modes = ['user', 'nice', 'system', 'irq', 'softirq', 'idle', 'iowait', 'steal'];
  const lines = modes.map((mode) => `incus_cpu_seconds_total{cpu="0",mode="${mode}",name="v"} 1`);
  assert.equal((await parseLines(lines)).get('v')?.cpuSeconds, 5);
});

test('skips unknown lines', async () => {
  const odd = [
    'incus_warnings_total 3',
    'incus_cpu_seconds_total{name="a",mode="user"} NaN',
    'incus_cpu_seconds_total{name="b",mode="user"',
    'incus_uptime_seconds{name="d"} 5',
    'incus_cpu_seconds_total{name="c",mode="user",note="a \\"quoted\\" } brace"} 7 1700000000',
    '',
  ];
  const readings = await parseLines(odd);
  assert.deepEqual([...readings.keys()], ['c']);
  assert.equal(readings.get('c')?.cpuSeconds, 7);
});

test('a missing figure is not zero, and an impossible one counts as missing', async () => {
  const lines = [
    'incus_disk_read_bytes_total{device="a",name="a"} 5',
    'incus_disk_written_bytes_total{device="a",name="a"} 1.8446744073709552e+19',
    'incus_memory_MemTotal_bytes{name="a"} 5',
    'incus_memory_MemAvailable_bytes{name="b"} 5',
    'incus_memory_MemTotal_bytes{name="b"} 4',
    'incus_cpu_seconds_total{mode="user",name="b"} 1e308',
    'incus_cpu_seconds_total{mode="user",name="c"} -1',
    ...[1, 2, 3].map((at) => `incus_disk_read_bytes_total{device="${at}",name="d"} 5e15`),
  ];
  const readings = await parseLines(lines);
  assert.deepEqual(Object.fromEntries(readings), {
    a: { ...nothing, diskRead: 5 },
    b: nothing,
    d: nothing,
  });
});

test('no label of a guest can be mistaken for a sample', async () => {
  const forged = '# TYPE incus_cpu_seconds_total counter\\nincus_cpu_seconds_total{name=\\"a\\"} 9';
  const lines = [
    '# TYPE incus_filesystem_free_bytes gauge',
    `incus_filesystem_free_bytes{mountpoint="/${forged},name=\\"a\\"",name="b"} 5`,
    '# TYPE incus_cpu_seconds_total counter',
    'incus_cpu_seconds_total{cpu="0,name=\\"a\\"",mode="user",name="b"} 7',
  ];
  assert.deepEqual([...(await parseLines(lines))], [['b', { ...nothing, cpuSeconds: 7 }]]);
});

test('a title counts only at the beginning of a line', async () => {
  const lines = [
    '# TYPE incus_cpu_seconds_total counter',
    '# HELP incus_cpu_seconds_total See # TYPE incus_procs_total gauge',
    'incus_cpu_seconds_total{mode="user",name="a"} 1',
    '# TYPE incus_procs_total gauge',
    'incus_procs_total{device="# TYPE incus_cpu_seconds_total counter",name="a"} 1',
    'incus_cpu_seconds_total{mode="user",name="b"} 1',
  ];
  assert.deepEqual([...(await parseLines(lines)).keys()], ['a']);
});

const nothing = { cpuSeconds: null, ramBytes: null, diskRead: null, diskWritten: null };

const family = fc.constantFrom(
  'incus_cpu_seconds_total',
  'incus_memory_MemTotal_bytes',
  'incus_memory_MemAvailable_bytes',
  'incus_disk_read_bytes_total',
  'incus_disk_written_bytes_total',
  'incus_disk_written_bytes',
  'incus_procs_total',
);
const labels = fc
  .record(
    {
      name: fc.constantFrom('a', 'b', 'ab', busy),
      mode: fc.constantFrom('user', 'system', 'idle', 'steal'),
      cpu: fc.constantFrom('0', '1', '0,name=\\"x\\",mode=\\"idle\\"} 5'),
      hostname: fc.constantFrom('b', '', '# TYPE incus_cpu_seconds_total counter'),
    },
    { requiredKeys: [] },
  )
  .chain((chosen) =>
    fc.shuffledSubarray(Object.entries(chosen), { minLength: Object.keys(chosen).length }),
  )
  .map((chosen) => chosen.map(([name, value]) => `${name}="${value}"`).join(','));
const figure = fc.oneof(
  fc.constantFrom('0', '1.234567e+06', '5e15', '7 1700000000', '-1', '1e308', 'NaN', '+Inf'),
  fc.double({ min: 0, max: 1e6, noNaN: true }).map(String),
);
const sample = fc.tuple(family, labels, figure).map(([of, ...rest]) => `${of}{${rest.join('} ')}`);
const line = fc.oneof(
  { weight: 8, arbitrary: sample },
  { weight: 2, arbitrary: family.map((name) => `# TYPE ${name} counter`) },
  { weight: 1, arbitrary: family.map((name) => `# HELP ${name} What # TYPE tells.`) },
  { weight: 1, arbitrary: fc.constantFrom('', '#', '# TYPE ', 'incus_warnings_total 3', '# EOF') },
  { weight: 1, arbitrary: sample.map((whole) => whole.slice(0, whole.indexOf('}'))) },
);

function plainReadings(lines: string[]) {
  const figures = new Map<string, Record<string, number[]>>();
  let section: string | undefined;
  for (const line of lines) {
    section = /^# TYPE (\w*)/.exec(line)?.[1] ?? section;
    const [, of = '', labels = '', figure] = /^(\w+)\{(.*)\} (\S+)/.exec(line) ?? [];
    const value = possible(Number(figure));
    const pairs = labels.matchAll(/(\w+)="((?:\\.|[^"\\])*)"/g);
    const label = Object.fromEntries(Array.from(pairs, ([, name, value]) => [name, value]));
    if (value === null || !label.name || of !== (section ?? of) || !isRead(of)) continue;
    const ofServer = figures.get(label.name) ?? {};
    figures.set(label.name, ofServer);
    if (!['idle', 'steal'].includes(of === 'incus_cpu_seconds_total' ? label.mode : '')) {
      ofServer[of] = [...(ofServer[of] ?? []), value];
    }
  }
  return new Map(Array.from(figures, ([name, ofServer]) => [name, plainReading(ofServer)]));
}

const isRead = (name: string) =>
  /^incus_(cpu_sec|memory_Mem|disk_(read|written)_bytes_total)/.test(name);
const possible = (value: number) => (value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : null);

function plainReading(figures: Record<string, number[]>) {
  const sum = (of: string, round = (value: number) => value) =>
    possible(round(figures[of]?.reduce((total, value) => total + value) ?? Number.NaN));
  const last = (of: string) => figures[`incus_memory_${of}_bytes`]?.at(-1) ?? Number.NaN;
  return {
    cpuSeconds: sum('incus_cpu_seconds_total'),
    ramBytes: possible(last('MemTotal') - last('MemAvailable')),
    diskRead: sum('incus_disk_read_bytes_total', Math.round),
    diskWritten: sum('incus_disk_written_bytes_total', Math.round),
  };
}
