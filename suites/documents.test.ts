import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { boxes } from './picture/boxes.ts';

// What the documentation names is there: files, folders, pages and their headings. The changelog tells of what was, and
// so may name what is gone.

const root = fileURLToPath(new URL('..', import.meta.url));
const exclude = ['**/node_modules', '.git', 'data', 'data-simulated'];
const files = globSync(['**/*', '.*', '.ci/*'], { cwd: root, exclude });
const folders = new Set(files.flatMap(foldersOf));
const pages = files.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** `a/b/c.ts` is in `a/b` and in `a`. */
function foldersOf(file: string): string[] {
  const folder = dirname(file);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

/** A page without its blocks of code. */
const proseOf = (page: string) => read(page).replaceAll(/^ *```[\s\S]*?^ *```/gm, '');

/** The places that `pattern`, with one group, finds in the prose of all pages, as far as `isThere` says no. */
function missing(pattern: RegExp, isThere: (found: string, page: string) => boolean): string[] {
  return pages.flatMap((page) =>
    [...proseOf(page).matchAll(pattern)]
      .map(([, found = '']) => found)
      .filter((found) => !isThere(found, page))
      .map((found) => `${page}: ${found}`),
  );
}

test('each file of code that the documentation names exists', () => {
  const isThere = (named: string) => files.some((file) => matchesGlob(`/${file}`, `**/${named}`));
  assert.deepEqual(missing(/`([\w./*{},-]+\.(?:ts|mjs|cjs))`/g, isThere), []);
});

test('each folder of code that the documentation names exists', () => {
  const isThere = (named: string) =>
    [...folders].some((folder) => `/${folder}/`.endsWith(`/${named}`)) || isMade(named);
  assert.deepEqual(missing(/`([a-z][\w-]*(?:\/[\w-]+)*\/)`/g, isThere), []);
});

const isMade = (folder: string) => folder === 'node_modules/';

test('each page and heading that the documentation links to exists', () => {
  const isThere = (link: string, page: string) => {
    const [path = '', heading] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, '');
    if (!files.includes(target) && !folders.has(target)) return false;
    return heading === undefined || headingsOf(target).includes(heading);
  };
  assert.deepEqual(missing(/\]\((?![a-z]+:)([^)\s]+)\)/g, isThere), []);
});

/** The headings of a page as the part of an address behind `#`, as GitHub writes it. */
function headingsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('ARCHITECTURE.md names each folder of the service', () => {
  const text = read('ARCHITECTURE.md');
  const named = boxes.flatMap((box) => box.folders).filter((folder) => folder !== '.');
  assert.deepEqual(
    named.filter((folder) => !text.includes(`\`${folder}/\``)),
    [],
  );
});
