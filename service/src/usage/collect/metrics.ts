/** What an instance has used since it started, as its engine counts it; null where it did not tell. */
export interface InstanceReading {
  /** Busy CPU time of all cores together. */
  cpuSeconds: number | null;
  /** As `free` shows it in `used`, to a few MB: without the page cache. */
  ramBytes: number | null;
  /** Bytes. Not every kernel counts them for each instance. */
  diskRead: number | null;
  diskWritten: number | null;
}

/** Spent waiting, or taken away by the host. The rest of a virtual machine's modes is work. */
const idleModes = new Set(['idle', 'iowait', 'steal']);

/** Sought without the line end before it: one is met in each line, a "#" is rare. */
const title = '# TYPE ';
const lineEnd = '\n'.charCodeAt(0);

/**
 * Readings by instance name, from the text (OpenMetrics) that Incus answers for one member, piece by
 * piece as it comes: of very many servers it is megabytes, nine tenths of them not read. Its
 * network counters are left: they are the guest's own, who can rename the card, or hide it in
 * another namespace. See network.ts.
 */
export async function parseMetrics(
  pieces: AsyncIterable<Buffer>,
): Promise<Map<string, InstanceReading>> {
  const sums = new Map<string, Sums>();
  // What stands before the first title is looked at, too.
  let section = families;
  let begun: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const first = piece.indexOf(lineEnd) + 1;
    const last = piece.lastIndexOf(lineEnd) + 1;
    const firstLine = Buffer.concat([begun, piece.subarray(0, first || piece.length)]);
    if (first > 0) {
      section = addLines(sums, section, firstLine);
      section = addLines(sums, section, piece.subarray(first, last));
    }
    begun = first > 0 ? piece.subarray(last) : firstLine;
  }
  addLines(sums, section, Buffer.concat([begun, Buffer.of(lineEnd)]));
  const readings = new Map<string, InstanceReading>();
  for (const [name, sum] of sums) readings.set(name, readingOf(sum));
  return readings;
}

/** Takes whole lines, and answers the families read in what follows them. */
function addLines(sums: Map<string, Sums>, section: string[], lines: Buffer): string[] {
  let current = section;
  for (let at = 0; at < lines.length; ) {
    current = sectionOf(lines.toString('latin1', at, lines.indexOf(lineEnd, at))) ?? current;
    const next = nextTitle(lines, at + 1);
    if (current.length > 0) addSamples(sums, current, lines.toString('latin1', at, next));
    at = next;
  }
  return current;
}

/** The families read in what follows this line, if it is a title. */
function sectionOf(line: string): string[] | undefined {
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

/** By what is read, over all cores and devices. */
interface Sums {
  cpuSeconds: number | null;
  ramTotal: number | null;
  ramAvailable: number | null;
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

/** A figure that can't be one of a server counts as not told: it is to keep nothing else from being counted. */
const within = (figure: number | null) =>
  figure !== null && figure >= 0 && figure <= Number.MAX_SAFE_INTEGER ? figure : null;

function addSamples(sums: Map<string, Sums>, section: string[], text: string): void {
  let begin = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
    addSample(sums, section, text.slice(begin, end));
    begin = end + 1;
  }
}

/** Without regular expressions: a large cluster tells of half a million of these in a round. */
function addSample(sums: Map<string, Sums>, section: string[], line: string): void {
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
 * The value of a label whose values need no escaping. Of the families that are read no label is a
 * guest's to choose: cores, modes, and devices of the host.
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
  diskRead: null,
  diskWritten: null,
};

/** The families that are read. */
const families = [
  'incus_cpu_seconds_total',
  'incus_memory_MemTotal_bytes',
  'incus_memory_MemAvailable_bytes',
  'incus_disk_read_bytes_total',
  'incus_disk_written_bytes_total',
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
    case 'incus_disk_read_bytes_total':
      sum.diskRead = (sum.diskRead ?? 0) + value;
      break;
    case 'incus_disk_written_bytes_total':
      sum.diskWritten = (sum.diskWritten ?? 0) + value;
      break;
  }
}
