import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runAsRoot, writeAsRoot } from './commands.mjs';

/**
 * Records what setup has written below /etc, and for which data directory. Only root can change it.
 */
export const recordFile = '/var/lib/berth-setup/written.json';

/**
 * A new file (`sha256` of its content), or a line that was added to a file (`added`), instead of
 * others (`replaced`). Installations are identified by their data directories, because their ids
 * are only created by the first start.
 * @typedef {{ path: string, dataDir: string, sha256: string }} WrittenFile
 * @typedef {{ path: string, dataDir: string, added: string, replaced: string[] }} WrittenLine
 * @typedef {WrittenFile | WrittenLine} Written
 */

/** @param {string | Buffer} text */
export const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/**
 * @param {string} [root] a prefix of the path
 * @returns {Written[]} empty if nothing was recorded
 */
export function readRecord(root = '') {
  const path = `${root}${recordFile}`;
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
}

/** @param {Written[]} record */
export const recordText = (record) => `${JSON.stringify(record, null, 2)}\n`;

/**
 * The record after a file was written. A file that existed and is not recorded belongs to somebody else, or to an older
 * version, and is not added. The first writer stays recorded.
 * @param {Written[]} record
 * @param {WrittenFile} file
 * @param {boolean} wasThere
 */
export function withFile(record, file, wasThere) {
  const known = record.find(({ path }) => path === file.path);
  if (!known) return wasThere ? record : [...record, file];
  const dataDir = wasThere ? known.dataDir : file.dataDir;
  return record.map((one) => (one === known ? { ...file, dataDir } : one));
}

/**
 * Writes a file that belongs to root, and records it.
 * @param {string} path
 * @param {string} content
 */
export function writeRecorded(path, content) {
  const wasThere = existsSync(path);
  writeAsRoot(path, content);
  const dataDir = dataDirectory();
  if (dataDir === undefined) return;
  saveRecord(withFile(readRecord(), { path, dataDir, sha256: sha256(content) }, wasThere));
}

/**
 * Records a line that was added to a file.
 * @param {string} path
 * @param {string} before its content
 * @param {string} after
 */
export function recordLine(path, before, after) {
  const dataDir = dataDirectory();
  if (dataDir === undefined) return;
  saveRecord(withLine(readRecord(), { path, dataDir, ...changedLines(before, after) }));
}

/**
 * The record after a line was added. If it replaces a line that was added before, the lines that the first one replaced
 * stay recorded.
 * @param {Written[]} record
 * @param {WrittenLine} line
 * @returns {Written[]}
 */
export function withLine(record, line) {
  const known = record.find(({ path }) => path === line.path);
  const others = record.filter((one) => one !== known);
  if (!known || !('added' in known)) return [...others, line];
  const replaced = line.replaced.flatMap((one) => (one === known.added ? known.replaced : [one]));
  return [...others, { ...line, replaced }];
}

/**
 * @param {string} before
 * @param {string} after the same with one more line, which may replace others
 */
export function changedLines(before, after) {
  const [old, now] = [before, after].map((text) => text.split('\n').filter((line) => line !== ''));
  const [added = ''] = now.filter((line) => !old.includes(line));
  return { added, replaced: old.filter((line) => !now.includes(line)) };
}

/** @param {Written[]} record */
function saveRecord(record) {
  const text = recordText(record);
  if (existsSync(recordFile) && readFileSync(recordFile, 'utf8') === text) return;
  runAsRoot('mkdir', ['-p', dirname(recordFile)], `Create ${dirname(recordFile)} by hand.`);
  writeAsRoot(recordFile, text);
}

/**
 * The data directory of the installation that is set up, as the service reads it; undefined for tests. npm runs its
 * scripts in the folder of the project.
 * @param {Record<string, string | undefined>} env
 */
export function dataDirectory({ npm_lifecycle_event: script, BERTH_DATA_DIR } = process.env) {
  if (script === 'preinstall-service' || script === 'preupgrade') return '/var/lib/berth';
  if (script !== 'prestart') return undefined;
  const folder = fileURLToPath(new URL('..', import.meta.url));
  return resolve(folder, BERTH_DATA_DIR || 'data');
}
