import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { SetupError } from '../../../../setup/commands.mjs';
import { fileTrouble } from '../../lib/system-errors.ts';
import type { Sequence, Table } from './catalog.ts';

/**
 * The header of an export. `npm run db -- export` writes a file that is compressed with gzip. It contains a line of
 * JSON, which is the header; for each table, in the order of the header, its rows in the text format of COPY
 * (PostgreSQL documentation, COPY, "Text Format") and a line `\.`; and a last line with the SHA-256 of everything
 * before it.
 */
export interface ExportHeader {
  berth_export: typeof formatVersion;
  installation: string;
  /** The last migration of the database. */
  schema: string;
  /** The time of the snapshot. */
  at: string;
  /** The fingerprint of the secret key in use; null or missing if it is unknown. */
  key?: string | null;
  tables: ExportedTable[];
  sequences: Sequence[];
}

export interface ExportedTable extends Table {
  rows: number;
}

export const formatVersion = 1;

const endOfRows = Buffer.from('\\.\n');
const checksumLine = (hex: string) => `sha256 ${hex}\n`;
const checksumLength = checksumLine('0'.repeat(64)).length;
const newline = 0x0a;

export const rowsIn = (chunk: Buffer): number => {
  let rows = 0;
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) rows += 1;
  return rows;
};

/** Generates the content of the file before compression. `rowsOf` returns the output of COPY for a table. */
export async function* exportContent(
  header: ExportHeader,
  rowsOf: (table: ExportedTable) => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const part of parts(header, rowsOf)) {
    hash.update(part);
    yield part;
  }
  yield Buffer.from(checksumLine(hash.digest('hex')));
}

async function* parts(
  header: ExportHeader,
  rowsOf: (table: ExportedTable) => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify(header)}\n`);
  for (const table of header.tables) {
    yield* rowsOf(table);
    yield endOfRows;
  }
}

/** Reads a whole file and verifies its checksum. Throws `SetupError` with the reason. */
export async function verifyExport(path: string): Promise<void> {
  const hash = createHash('sha256');
  let end: Buffer = Buffer.alloc(0);
  for await (const chunk of decompressed(path)) {
    const all = Buffer.concat([end, chunk]);
    const certain = Math.max(0, all.length - checksumLength);
    hash.update(all.subarray(0, certain));
    end = all.subarray(certain);
  }
  if (end.toString() !== checksumLine(hash.digest('hex'))) {
    throw damaged(path, 'its checksum is not that of its content');
  }
}

/** A verified file, which is read from beginning to end. */
export interface OpenExport {
  header: ExportHeader;
  /** Reads the rows of the next table in the header. */
  rows(): AsyncIterable<Buffer>;
}

export async function openExport(path: string): Promise<OpenExport> {
  const blocks = decompressed(path)[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function more(): Promise<void> {
    const { done, value } = await blocks.next();
    if (done) throw damaged(path, 'it ends too early');
    rest = Buffer.concat([rest, value]);
  }

  function take(bytes: number): Buffer {
    const taken = rest.subarray(0, bytes);
    rest = rest.subarray(bytes);
    return taken;
  }

  async function headerLine(): Promise<string> {
    while (!rest.includes(newline)) await more();
    return take(rest.indexOf(newline) + 1).toString();
  }

  async function* rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const end = endOfRowsIn(rest);
      if (end !== undefined) {
        if (end > 0) yield take(end);
        take(endOfRows.length);
        return;
      }
      // The text after the last line break may be the beginning of the line that ends the rows.
      const whole = rest.lastIndexOf(newline) + 1;
      if (whole > 0) yield take(whole);
      await more();
    }
  }

  return { header: readHeader(path, await headerLine()), rows };
}

/**
 * Finds the position of the line that ends the rows. No row can be equal to it, because COPY writes `\` as `\\`.
 */
function endOfRowsIn(block: Buffer): number | undefined {
  if (block.subarray(0, endOfRows.length).equals(endOfRows)) return 0;
  const at = block.indexOf(`\n${endOfRows}`);
  return at < 0 ? undefined : at + 1;
}

function readHeader(path: string, line: string): ExportHeader {
  const header: ExportHeader | { berth_export?: unknown } = parse(line);
  if (header.berth_export === formatVersion) return header as ExportHeader;
  if (header.berth_export === undefined) throw notAnExport(path);
  throw new SetupError(
    `${path} was written by a later version of Berth.`,
    'Import it with that version.',
  );
}

function parse(line: string): { berth_export?: unknown } {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}

async function* decompressed(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path);
  const unzip = file.pipe(createGunzip());
  file.on('error', (error) => unzip.destroy(error));
  try {
    yield* unzip;
  } catch (error) {
    throw readingError(path, error);
  } finally {
    file.destroy();
  }
}

function readingError(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  if (error.code === 'Z_BUF_ERROR') return damaged(path, 'it ends too early');
  if (/header/.test(error.message)) return notAnExport(path);
  if (String(error.code).startsWith('Z_'))
    return damaged(path, `it can't be decompressed (${error.code})`);
  const trouble = fileTrouble(error);
  if (!trouble) return error;
  const failed = `${path} can't be read: it ${trouble.failed} (${trouble.code}). Nothing was imported.`;
  return new SetupError(failed, trouble.wayOut);
}

function notAnExport(path: string): SetupError {
  return new SetupError(
    `${path} is not an export of Berth.`,
    'Use a file that "npm run db -- export" has written.',
  );
}

function damaged(path: string, how: string): SetupError {
  return new SetupError(
    `${path} is damaged: ${how}. Nothing was imported.`,
    'Use another copy of the file, or another export.',
  );
}
