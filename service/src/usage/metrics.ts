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

interface Sample {
  metric: string;
  labels: Record<string, string>;
  value: number;
}

/** Spent waiting, or taken away by the host. The rest of a virtual machine's modes is work. */
const idleModes = new Set(['idle', 'iowait', 'steal']);

const samplePattern = /^([a-zA-Z_:][\w:]*)\{(.*)\} (\S+)(?: \S+)?$/;
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/**
 * Readings by instance name, from the text (OpenMetrics) that Incus answers for one member. Its
 * network counters are left: they are the guest's own, who can rename the card, or hide it in
 * another namespace. See network.ts.
 */
export function parseMetrics(text: string): Map<string, InstanceReading> {
  const readings = new Map<string, InstanceReading>();
  for (const line of text.split('\n')) {
    const sample = parseSample(line);
    const name = sample?.labels.name;
    if (sample && name) addSample(readings, name, sample);
  }
  return readings;
}

function addSample(readings: Map<string, InstanceReading>, name: string, sample: Sample): void {
  const add = adders[sample.metric];
  if (!add) return;
  const reading = readings.get(name) ?? emptyReading();
  add(reading, sample.value, sample.labels);
  readings.set(name, reading);
}

function emptyReading(): InstanceReading {
  return { cpuSeconds: 0, ramBytes: 0, diskRead: null, diskWritten: null };
}

type Adder = (reading: InstanceReading, value: number, labels: Record<string, string>) => void;

const adders: Record<string, Adder> = {
  incus_cpu_seconds_total(reading, value, { mode = '' }) {
    if (!idleModes.has(mode)) reading.cpuSeconds += value;
  },
  incus_memory_MemTotal_bytes(reading, value) {
    reading.ramBytes += value;
  },
  incus_memory_MemAvailable_bytes(reading, value) {
    reading.ramBytes -= value;
  },
  incus_disk_read_bytes_total(reading, value) {
    reading.diskRead = (reading.diskRead ?? 0) + value;
  },
  incus_disk_written_bytes_total(reading, value) {
    reading.diskWritten = (reading.diskWritten ?? 0) + value;
  },
};

function parseSample(line: string): Sample | undefined {
  const [, metric, labels, number] = samplePattern.exec(line) ?? [];
  if (metric === undefined || labels === undefined) return undefined;
  const value = Number(number);
  return Number.isFinite(value) ? { metric, labels: parseLabels(labels), value } : undefined;
}

function parseLabels(text: string): Record<string, string> {
  const pairs = text.matchAll(labelPattern);
  return Object.fromEntries(
    Array.from(pairs, ([, key, value]) => [key, unescapeLabel(value ?? '')]),
  );
}

function unescapeLabel(text: string): string {
  return text.replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char));
}
