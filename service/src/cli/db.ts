import { statSync } from 'node:fs';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type Config, loadConfig, pathFromShell } from '../config/config.ts';
import { joinEmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/embedded.ts';
import { backUp } from '../db/export/backup.ts';
import { exportDatabase } from '../db/export/export.ts';
import type { ExportHeader } from '../db/export/export-file.ts';
import { importDatabase } from '../db/export/import.ts';
import { progressInWords } from '../db/export/row-progress.ts';
import { joinDatabase } from '../db/open.ts';
import { keyFile } from '../keys/key-file.ts';
import { rotateKey } from '../keys/rotation.ts';
import { counted } from '../lib/counted.ts';
import { explainingDatabase, type Program, printing } from './command-line.ts';

const progress = progressInWords((text) => console.error(`• ${text}`));

export function addDbCommands(program: Program): void {
  const db = program
    .command('db')
    .description(
      'Exports the database of an installation to a file, imports it into an empty database, and rotates the key that encrypts its secrets. As for the service, the database is the one of DATABASE_URL, or otherwise the one in BERTH_DATA_DIR.',
    );
  db.command('export')
    .description(
      'Exports a consistent snapshot of the database to a new file. Services may be running.',
    )
    .argument('<file>', 'the new file')
    .action(printing((file) => exportTo(pathFromShell(file))));
  db.command('backup')
    .description(
      'Exports to a new file in a directory, with the time in its name, verifies it, and removes all but the newest of these files.',
    )
    .argument('<directory>', 'the directory of the exports')
    .option('--keep <count>', 'the number of files to keep', readKeep, 14)
    .action(printing((directory, { keep }) => backUpTo(pathFromShell(directory), keep)));
  db.command('import')
    .description(
      'Imports an export into an empty database, on which no service has been started. To replace an embedded database, stop Berth and move the directory postgres out of BERTH_DATA_DIR first. If BERTH_DATA_DIR has a secret-key, it must be the key of the export.',
    )
    .argument('<file>', 'an export')
    .action(printing((file) => importFrom(pathFromShell(file))));
  db.command('rotate-key')
    .description(
      'Writes a new key to BERTH_DATA_DIR/secret-key and encrypts all secrets with it. Services may be running, but those of the previous release cannot read the new values. If it is interrupted, run it again. It makes no new key as long as an earlier rotation has not finished, which takes 24 hours if there were requests with an Idempotency-Key.',
    )
    .option('--again', 'make a new key although an earlier rotation has not finished', false)
    .action(printing(({ again }) => rotate(again)));
}

async function exportTo(path: string): Promise<string> {
  const config = loadConfig();
  const header = await onDatabase(config, joinEmbeddedPostgres, (url) =>
    exportDatabase(url, path, progress),
  );
  const kilobytes = Math.ceil(statSync(path).size / 1024).toLocaleString('en');
  return `Exported ${inWords(header)}, to ${path} (${kilobytes} KiB).

It does not hold the secret key${fingerprintIn(header)}. Keep a copy of that too, apart from it:
  ${keyFile(config.dataDir)}
Without the key an imported database can't be used.

To move to another database: stop every service of this one, export, import, and then start services on the
other one, and on that alone. Two databases of one installation would both act on its servers in Incus,
and remove or change what the other one has made.`;
}

function readKeep(text: string): number {
  const keep = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (keep > 0) return keep;
  throw new InvalidArgumentError('Give a whole number of 1 or more.');
}

async function backUpTo(directory: string, keep: number): Promise<string> {
  const { path, header, removed } = await onDatabase(loadConfig(), joinEmbeddedPostgres, (url) =>
    backUp(url, { directory, keep }, progress),
  );
  const gone = removed.length === 0 ? '' : ` Removed: ${removed.join(', ')}.`;
  return `Exported ${inWords(header)}, to ${path}.${neededKey(header)}${gone}`;
}

async function importFrom(path: string): Promise<string> {
  const config = loadConfig();
  const header = await onDatabase(config, startEmbeddedPostgres, (url) =>
    importDatabase(url, path, progress, config),
  );
  return `Imported ${inWords(header)}.

Before you start a service on it:
- Stop every service on the database that it came from, for good. Both would act on the same servers in Incus.
- Put a copy of its secret-key${fingerprintIn(header)}, mode 0600, into the data directory of each service.`;
}

async function rotate(again: boolean): Promise<string> {
  const config = loadConfig();
  const { dataDir } = config;
  const say = (text: string) => console.error(`• ${text}`);
  return await explainingDatabase(config, async () => {
    const { db, close } = await joinDatabase(config);
    try {
      const rotated = await rotateKey({ db, dataDir, say, again });
      const { left, unreadable, isNew } = rotated;
      if (unreadable > 0 || (left === 'macs' && !isNew)) process.exitCode = 1;
      const path = keyFile(dataDir);
      return `${withoutNewKey(rotated)}${afterRotation[left](path, encrypted(rotated, path), rotated)}`;
    } finally {
      await close();
    }
  });
}

type Rotated = Awaited<ReturnType<typeof rotateKey>>;

/** Says first that a run has made no new key, because somebody whose key has leaked must not believe that it has. */
function withoutNewKey({ isNew, begunAt, left }: Rotated): string {
  if (isNew) return '';
  const earlier = begunAt === undefined ? 'an earlier rotation' : `the rotation of ${begunAt}`;
  return left === 'macs'
    ? `No new key was made, because ${earlier} has not finished.\n\n`
    : `No new key was made: this run finished ${earlier}. To replace its key as well, run this again.\n\n`;
}

/** Describes the values that are encrypted with the new key. Values that were encrypted with a lost key are not. */
function encrypted({ unreadable, isNew }: Rotated, path: string): string {
  const key = isNew ? 'the new key' : 'the key of that rotation';
  if (unreadable === 0) return `Everything is encrypted with ${key}`;
  return `${counted(unreadable, 'value')} can't be read with any key, and did not change: the key that they were encrypted with was
lost or replaced. If you have a copy of it, add its line at the end of ${path}, and run this again.

Everything else is encrypted with ${key}`;
}

const afterRotation = {
  nothing: (path: string, words: string) => `${words}, and ${path} has that alone.

Keep a copy of it, apart from exports. Exports from before need the key that they were made with.
Where other services have a secret-key of their own, put this one in its place.`,
  macs: (
    path: string,
    words: string,
    { isNew, until }: Rotated,
  ) => `${words}. Keep a copy of ${path}.

The old key stays in it until ${until}: it tells requests apart whose Idempotency-Key was
used within the last 24 hours. Run this again then, to remove it.${isNew ? '' : forALeak}`,
};

const forALeak = `

If somebody else may have a copy of the key, do not wait: make another one with "npm run db -- rotate-key --again".`;

const fingerprintIn = ({ key }: ExportHeader) => (key ? ` (fingerprint ${key})` : '');
const neededKey = ({ key }: ExportHeader) =>
  key ? ` It needs the secret key with the fingerprint ${key}.` : '';

function inWords({ at, installation, tables }: ExportHeader): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0).toLocaleString('en');
  return `${rows} rows of ${tables.length} tables of the installation ${installation}, as of ${at}`;
}

/** Runs `work` on the database without migrating its schema, because exports are also made before an upgrade. */
async function onDatabase<T>(
  config: Config,
  openEmbedded: typeof joinEmbeddedPostgres,
  work: (connectionString: string) => Promise<T>,
): Promise<T> {
  return await explainingDatabase(config, async () => {
    if (config.databaseUrl) return await work(config.databaseUrl);
    const { connectionString, stop } = await openEmbedded({ dataDir: config.dataDir });
    try {
      return await work(connectionString);
    } finally {
      await stop();
    }
  });
}
