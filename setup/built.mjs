import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, say } from './commands.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The files and folders from which the `build.ts` of a folder makes its `dist`.
 * @typedef {'panel' | 'service'} Built
 * @type {Record<Built, string[]>}
 */
const sources = {
  panel: [
    ...['panel/src', 'client/src'],
    ...['panel/index.html', 'panel/build.ts', 'panel/first-pages.ts', 'panel/package.json'],
    'package-lock.json',
  ],
  service: [
    ...['service/src', 'contract/src', 'setup'],
    ...['service/build.ts', 'service/package.json', 'contract/package.json', 'package-lock.json'],
  ],
};

/**
 * The build writes it last, with the identity of its sources.
 * @param {Built} built
 */
const markOf = (built) => join(root, built, 'dist/built-from');

/**
 * Identifies the content of the sources.
 * @param {Built} built
 */
function identify(built) {
  const hash = createHash('sha256');
  for (const path of sources[built].flatMap(filesIn)) {
    hash.update(path).update('\0');
    hash.update(readFileSync(join(root, path))).update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} path of a file, or of a folder */
function filesIn(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !/\.test\.\w+$/.test(entry.name));
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(root.length)).sort();
}

/**
 * Whether it was built with the same sources.
 * @param {Built} built
 */
export function isCurrent(built) {
  try {
    return readFileSync(markOf(built), 'utf8') === identify(built);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Builds the panel or the service, unless that was done with the same sources. A release has them built.
 * @param {Built} built
 */
export function ensureBuilt(built) {
  if (isCurrent(built)) return;
  say(`Building the ${built} (some seconds) ...`);
  const node = join(root, 'node_modules/.bin/node');
  run(node, [join(root, built, 'build.ts')], 'Then run this again.');
}

/**
 * Calls `build`, unless that was done with the same sources. An interrupted build is done again.
 * @param {Built} built
 * @param {() => Promise<void>} build
 */
export async function rebuild(built, build) {
  if (isCurrent(built)) return say(`The ${built} is current.`);
  const mark = markOf(built);
  rmSync(mark, { force: true });
  const identity = identify(built);
  await build();
  writeFileSync(mark, identity);
}
