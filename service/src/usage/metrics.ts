/** What an instance has used since it started, as its engine counts it. */
export interface InstanceReading {
  /** Busy CPU time of all cores together. */
  cpuSeconds: number;
  /** As `free` shows it in `used`, to a few MB: without the page cache. */
  ramBytes: number;
  /** Bytes. Null where the host's kernel doesn't count them for each instance. */
  diskRead: number | null;
  diskWritten: number | null;
}

/** Spent waiting, or taken away by the host. The rest of a virtual machine's modes is work. */
const idleModes = new Set(['idle', 'iowait', 'steal']);

/**
 * Readings by instance name, from the text (OpenMetrics, UTF-8) that Incus answers for one member. Its
 * network counters are left: they are the guest's own, who can rename the card, or hide it in
 * another namespace. See network.ts.
 */
export function parseMetrics(metrics: Buffer): Map<string, InstanceReading> {
  const readings = new Map<string, InstanceReading>();
  for (const part of readParts(metrics)) addSamples(readings, part.toString());
  return readings;
}

const title = '# TYPE ';

/** What is before the first family, and the families that are read: a tenth of the text. */
function* readParts(metrics: Buffer) {
  let end = positive(metrics.indexOf(title), metrics.length);
  yield metrics.subarray(0, end);
  while (end < metrics.length) {
    const begin = end + title.length;
    end = positive(metrics.indexOf(title, begin), metrics.length);
    const name = metrics.toString('latin1', begin, positive(metrics.indexOf(' ', begin), end));
    if (families.has(name)) yield metrics.subarray(begin, end);
  }
}

const positive = (position: number, otherwise: number) => (position < 0 ? otherwise : position);

/** Without regular expressions: a large cluster tells of half a million of these in a round. */
function addSamples(readings: Map<string, InstanceReading>, text: string): void {
  for (const line of text.split('\n')) {
    const family = line.slice(0, line.indexOf('{'));
    const end = line.lastIndexOf('} ');
    const name = labelOf(line, 'name');
    if (!families.has(family) || end < 0 || !name) continue;
    const value = Number.parseFloat(line.slice(end + 2));
    if (!Number.isFinite(value)) continue;
    const reading = readings.get(name) ?? emptyReading();
    add(reading, family, value, line);
    readings.set(name, reading);
  }
}

/**
 * The value of a label whose values need no escaping. No other label's value can look like it: a
 * quote in one is escaped.
 */
function labelOf(line: string, label: string): string | undefined {
  const start = `${label}="`;
  const at = Math.max(line.indexOf(`,${start}`), line.indexOf(`{${start}`));
  const from = at + 1 + start.length;
  return at < 0 ? undefined : line.slice(from, line.indexOf('"', from));
}

function emptyReading(): InstanceReading {
  return { cpuSeconds: 0, ramBytes: 0, diskRead: null, diskWritten: null };
}

/** The families that are read. */
const families = new Set([
  'incus_cpu_seconds_total',
  'incus_memory_MemTotal_bytes',
  'incus_memory_MemAvailable_bytes',
  'incus_disk_read_bytes_total',
  'incus_disk_written_bytes_total',
]);

function add(reading: InstanceReading, family: string, value: number, line: string): void {
  switch (family) {
    case 'incus_cpu_seconds_total':
      if (!idleModes.has(labelOf(line, 'mode') ?? '')) reading.cpuSeconds += value;
      break;
    case 'incus_memory_MemTotal_bytes':
      reading.ramBytes += value;
      break;
    case 'incus_memory_MemAvailable_bytes':
      reading.ramBytes -= value;
      break;
    case 'incus_disk_read_bytes_total':
      reading.diskRead = (reading.diskRead ?? 0) + value;
      break;
    case 'incus_disk_written_bytes_total':
      reading.diskWritten = (reading.diskWritten ?? 0) + value;
      break;
  }
}
