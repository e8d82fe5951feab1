import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { boxes } from './picture/boxes.ts';

// Tests that the files, folders, pages and headings that the documentation names exist. The changelog may name files
// that are gone.

const root = fileURLToPath(new URL('..', import.meta.url));
const exclude = [
  ...['**/node_modules', '.git', 'data', 'data-simulated'],
  ...['panel/dist', 'service/dist', 'site/dist'],
];
const files = globSync(['**/*', '.*', '.ci/*'], { cwd: root, exclude });
const folders = new Set(files.flatMap(foldersOf));
const pages = files.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** `a/b/c.ts` is in `a/b` and in `a`. */
function foldersOf(file: string): string[] {
  const folder = dirname(file);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

/** A page without its code blocks. */
const proseOf = (page: string) => read(page).replaceAll(/^ *```[\s\S]*?^ *```/gm, '');

/** What the group of `pattern` matches in the prose of all pages, if `isThere` is false for it. */
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
    // These pages are made with the site, whose build fails if one is missing.
    if (target.startsWith('docs/reference/')) return true;
    if (!files.includes(target) && !folders.has(target)) return false;
    return heading === undefined || headingsOf(target).includes(heading);
  };
  assert.deepEqual(missing(/\]\((?![a-z]+:)([^)\s]+)\)/g, isThere), []);
});

/** The headings of a page as URL fragments, in the form of GitHub. */
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
