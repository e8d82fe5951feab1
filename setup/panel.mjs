import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, say } from './commands.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Everything that the panel is made of. */
const sources = ['panel/src', 'client/src'];
const files = [
  ...['panel/index.html', 'panel/build.ts', 'panel/first-pages.ts', 'panel/package.json'],
  'package-lock.json',
];

/** The build writes it last, with the identity of its sources. */
export const panelMark = join(root, 'panel/dist/built-from');

/** Identifies the content of everything that the panel is made of. */
export function identifyPanel() {
  const hash = createHash('sha256');
  for (const path of [...sources.flatMap(filesIn), ...files]) {
    hash.update(path).update('\0');
    hash.update(readFileSync(join(root, path))).update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} folder */
function filesIn(folder) {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name));
  return paths.map(({ parentPath, name }) => join(parentPath, name).slice(root.length)).sort();
}

export function isPanelCurrent() {
  try {
    return readFileSync(panelMark, 'utf8') === identifyPanel();
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Builds the panel, unless that was done with the same sources. A release has it built. */
export function ensurePanel() {
  if (isPanelCurrent()) return;
  say('Building the panel (some seconds) ...');
  const node = join(root, 'node_modules/.bin/node');
  run(node, [join(root, 'panel/build.ts')], 'Then run this again.');
}
