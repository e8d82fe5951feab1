import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf } from '../sidebar.ts';
import { runPages } from '../testing/blocks.ts';
import { deadAnchors, slugify } from './anchors.ts';
import { withLinksOfSite } from './links.ts';
import { readText } from './repository.ts';

const places = {
  pages: new Map([
    ['README.md', 'readme.md'],
    ['docs/index.md', 'index.md'],
    ['docs/guides/first.md', 'guides/first.md'],
  ]),
  files: new Set(['docs/states.svg', 'docs/alerts.yml']),
};
const converted = (text: string, file = 'docs/guides/first.md') =>
  withLinksOfSite(text, file, places);

test('links to pages are those of the site, with their headings', () => {
  assert.equal(converted('[a](../../README.md#limits)'), '[a](../readme.md#limits)');
  assert.equal(converted('[a](docs/guides/first.md)', 'README.md'), '[a](./guides/first.md)');
  assert.equal(
    converted('[a](#here) [b](https://example.com)'),
    '[a](#here) [b](https://example.com)',
  );
});

test('pictures and other files of docs/ are served, and what the site does not have becomes text', () => {
  assert.equal(converted('![a](../states.svg)'), '![a](../states.svg)');
  assert.equal(converted('[a](../alerts.yml)'), '[a](/alerts.yml)');
  assert.equal(
    converted('[the code](../../service/src/main.ts), [b](../decisions/)'),
    'the code, b',
  );
  assert.equal(converted('```md\n[a](../../README.md)\n```'), '```md\n[a](../../README.md)\n```');
});

test('links to headings that do not exist are found', () => {
  const pages = new Map([
    [
      'a.md',
      '# A\n\n## 4. Back up `x`, and restore\n\n[good](#4-back-up-x-and-restore) [bad](#other)',
    ],
    ['b/c.md', '# C {#own}\n\n[good](../a.md#a) [bad](../a.md#b) [own](#own)'],
  ]);
  assert.deepEqual(deadAnchors(pages), ['a.md: #other', 'b/c.md: ../a.md#b']);
  assert.equal(slugify('Ein Wort, zwei'), 'ein-wort-zwei');
});

test('a page that is not in the sidebar is an error', () => {
  assert.throws(() => planOf(new Map([['new.md', '# New']])), /site\/sidebar\.ts/);
});

test('each block of commands of the guides is one that a test runs, or says why it does not', () => {
  for (const page of runPages) {
    const marks = [...readText(page).matchAll(/^```(\S*)(.*)$/gm)].map(([mark]) => mark);
    for (const mark of marks.filter((_, at) => at % 2 === 0)) {
      assert.match(mark, /^```(sh|sh not run: .{10,}|ts|yaml|json|text)$/, `${page}: ${mark}`);
    }
  }
});
