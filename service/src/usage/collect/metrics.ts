/** The usage of an instance since its start, according to its engine; null if unknown. */
export interface InstanceReading {
  /** Busy CPU time of all cores together. */
  cpuSeconds: number | null;
  /** Memory without the page cache, as `free` shows it in `used`, to within a few MB. */
  ramBytes: number | null;
  /** Bytes. Not every kernel counts them per instance. */
  diskRead: number | null;
  diskWritten: number | null;
}

/** Time spent waiting, or taken away by the host. All other modes of a virtual machine are work. */
const idleModes = new Set(['idle', 'iowait', 'steal']);

/** Searched for without the preceding line end: every line has one of these, but a "#" is rare. */
const title = '# TYPE ';
const lineEnd = '\n'.charCodeAt(0);

/**
 * Parses the text (OpenMetrics) that Incus answers for one member, piece by piece, and returns
 * readings by instance name. For very many servers it is megabytes, of which nine tenths are
 * skipped. Network counters are ignored: the guest could rename its NIC, or move it to another
 * namespace. See network.ts.
 */
export async function parseMetrics(
  pieces: AsyncIterable<Buffer>,
): Promise<Map<string, InstanceReading>> {
  const readings = new Map<string, InstanceReading>();
  for (const [name, sum] of await parse(pieces, meteredFamilies))
    readings.set(name, readingOf(sum));
  return readings;
}

/**
 * Parses the same text. Returns the bytes of memory that each instance can't do without: what `free` shows in `used`, and
 * its files in a tmpfs. Instances for which a part is missing are skipped.
 */
export async function parseMemory(pieces: AsyncIterable<Buffer>): Promise<Map<string, number>> {
  const inUse = new Map<string, number>();
  for (const [name, sum] of await parse(pieces, memoryFamilies)) {
    const { ramTotal, ramAvailable, ramShared } = sum;
    if (ramTotal === null || ramAvailable === null || ramShared === null) continue;
    inUse.set(name, ramTotal - ramAvailable + ramShared);
  }
  return inUse;
}

async function parse(
  pieces: AsyncIterable<Buffer>,
  families: readonly string[],
): Promise<Map<string, Sums>> {
  const sums = new Map<string, Sums>();
  // What comes before the first title is parsed too.
  let section = families;
  const add = (lines: Buffer) => {
    section = addLines(sums, families, section, lines);
  };
  let begun: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const first = piece.indexOf(lineEnd) + 1;
    const last = piece.lastIndexOf(lineEnd) + 1;
    const firstLine = Buffer.concat([begun, piece.subarray(0, first || piece.length)]);
    if (first > 0) {
      add(firstLine);
      add(piece.subarray(first, last));
    }
    begun = first > 0 ? piece.subarray(last) : firstLine;
  }
  add(Buffer.concat([begun, Buffer.of(lineEnd)]));
  return sums;
}

/** Adds whole lines. Returns the families that are read in the section that follows. */
function addLines(
  sums: Map<string, Sums>,
  families: readonly string[],
  section: readonly string[],
  lines: Buffer,
): readonly string[] {
  let current = section;
  for (let at = 0; at < lines.length; ) {
    const line = lines.toString('latin1', at, lines.indexOf(lineEnd, at));
    current = sectionOf(families, line) ?? current;
    const next = nextTitle(lines, at + 1);
    if (current.length > 0) addSamples(sums, current, lines.toString('latin1', at, next));
    at = next;
  }
  return current;
}

/** The families that are read in the section after this line, if it is a title. */
function sectionOf(families: readonly string[], line: string): string[] | undefined {
  if (!line.startsWith(title)) return undefined;
  return families.filter((family) => family === line.split(' ')[2]);
}

function nextTitle(lines: Buffer, from: number): number {
  let at = lines.indexOf(title, from);
  while (at >= 0 && lines[at - 1] !== lineEnd) {
    at = lines.indexOf(title, lines.indexOf(lineEnd, at));
  }
  return at >= 0 ? at : lines.length;
}

/** Sums by family, over all cores and devices. */
interface Sums {
  cpuSeconds: number | null;
  ramTotal: number | null;
  ramAvailable: number | null;
  ramShared: number | null;
  diskRead: number | null;
  diskWritten: number | null;
}

function readingOf({ cpuSeconds, ramTotal, ramAvailable, diskRead, diskWritten }: Sums) {
  const isRamKnown = ramTotal !== null && ramAvailable !== null;
  return {
    cpuSeconds: within(cpuSeconds),
    ramBytes: within(isRamKnown ? ramTotal - ramAvailable : null),
    diskRead: within(diskRead && Math.round(diskRead)),
    diskWritten: within(diskWritten && Math.round(diskWritten)),
  };
}

/** An impossible value counts as missing, so that it does not prevent others from being recorded. */
const within = (figure: number | null) =>
  figure !== null && figure >= 0 && figure <= Number.MAX_SAFE_INTEGER ? figure : null;

function addSamples(sums: Map<string, Sums>, section: readonly string[], text: string): void {
  let begin = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
    addSample(sums, section, text.slice(begin, end));
    begin = end + 1;
  }
}

/** Does not use regular expressions: a large cluster reports half a million lines in a round. */
function addSample(sums: Map<string, Sums>, section: readonly string[], line: string): void {
  const start = line.slice(0, line.indexOf('{'));
  const family = section.find((name) => name === start);
  if (family === undefined) return;
  const end = line.lastIndexOf('} ');
  const name = labelOf(line, 'name="');
  if (end < 0 || !name) return;
  const value = within(Number.parseFloat(line.slice(end + 2)));
  if (value === null) return;
  let sum = sums.get(name);
  if (!sum) {
    sum = { ...nothing };
    sums.set(name, sum);
  }
  add(sum, family, value, line);
}

/**
 * The value of a label that needs no unescaping. In the families that are read, guests choose no
 * labels: these are cores, modes and devices of the host.
 */
function labelOf(line: string, start: `${string}="`): string | undefined {
  for (let at = line.indexOf(start); at > 0; at = line.indexOf(start, at + 1)) {
    const isWhole = line[at - 1] === ',' || line[at - 1] === '{';
    const from = at + start.length;
    if (isWhole) return line.slice(from, line.indexOf('"', from));
  }
  return undefined;
}

const nothing: Sums = {
  cpuSeconds: null,
  ramTotal: null,
  ramAvailable: null,
  ramShared: null,
  diskRead: null,
  diskWritten: null,
};

/** The families that are read for the usage. */
const meteredFamilies = [
  'incus_cpu_seconds_total',
  'incus_memory_MemTotal_bytes',
  'incus_memory_MemAvailable_bytes',
  'incus_disk_read_bytes_total',
  'incus_disk_written_bytes_total',
];

/** The families that are read for the memory alone. The kernel counts files in a tmpfs as available. */
const memoryFamilies = [
  'incus_memory_MemTotal_bytes',
  'incus_memory_MemAvailable_bytes',
  'incus_memory_Shmem_bytes',
];

function add(sum: Sums, family: string, value: number, line: string): void {
  switch (family) {
    case 'incus_cpu_seconds_total':
      if (idleModes.has(labelOf(line, 'mode="') ?? '')) return;
      sum.cpuSeconds = (sum.cpuSeconds ?? 0) + value;
      break;
    case 'incus_memory_MemTotal_bytes':
      sum.ramTotal = value;
      break;
    case 'incus_memory_MemAvailable_bytes':
      sum.ramAvailable = value;
      break;
    case 'incus_memory_Shmem_bytes':
      sum.ramShared = value;
      break;
    case 'incus_disk_read_bytes_total':
      sum.diskRead = (sum.diskRead ?? 0) + value;
      break;
    case 'incus_disk_written_bytes_total':
      sum.diskWritten = (sum.diskWritten ?? 0) + value;
      break;
  }
}
