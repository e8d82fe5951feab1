import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deadAnchors } from './pages/anchors.ts';
import { withLinksOfSite } from './pages/links.ts';
import { filesOfDocs, placesOfPages, readText, root } from './pages/repository.ts';
import { planFile } from './plan.ts';
import { apiPages } from './reference/api.ts';
import { cliPages } from './reference/cli.ts';
import { errorsPage } from './reference/errors.ts';
import { planOf } from './sidebar.ts';

// `npm run docs` builds the documentation site into `site/dist`, from which the service serves it at `/help`. It does
// nothing if the site is current. It fails if a link leads nowhere.

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const staged = fileOf('.pages');
const built = fileOf('dist');
const mark = join(built, 'built-from');

/** All pages, by their paths on the site. */
async function collectPages(): Promise<Map<string, string>> {
  const places = { pages: placesOfPages(), files: new Set(filesOfDocs()) };
  const ofRepository = [...places.pages].map(
    ([file, place]) => [place, withLinksOfSite(readText(file), file, places)] as const,
  );
  const generated = [...apiPages(), ...(await cliPages()), ['reference/errors.md', errorsPage()]];
  return new Map([...ofRepository, ...(generated as [string, string][])]);
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Identifies everything that the site is made of. */
function identify(pages: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  const own = [
    'site/*.{ts,json}',
    'site/pages/*.ts',
    'site/.vitepress/*.ts',
    'site/.vitepress/theme/*',
  ];
  const others = [...filesOfDocs(), ...globSync(own, { cwd: root }).sort()];
  for (const part of [...pages].flat()) hash.update(part).update('\0');
  for (const file of others) hash.update(file).update('\0').update(readText(file)).update('\0');
  return hash.digest('hex');
}

function isCurrent(identity: string): boolean {
  try {
    return readFileSync(mark, 'utf8') === identity;
  } catch {
    return false;
  }
}

/** Writes the pages to where VitePress reads them. */
function stage(pages: ReadonlyMap<string, string>): void {
  rmSync(staged, { recursive: true, force: true });
  for (const [path, markdown] of pages) write(join(staged, path), markdown);
  for (const file of filesOfDocs()) {
    const served = file.replace(/^docs\//, '');
    for (const folder of [staged, join(staged, 'public')]) {
      mkdirSync(dirname(join(folder, served)), { recursive: true });
      cpSync(join(root, file), join(folder, served));
    }
  }
  write(planFile, JSON.stringify(planOf(pages)));
}

const pages = await collectPages();
const identity = identify(pages);
const dead = deadAnchors(pages);
if (dead.length > 0) throw new Error(`These links lead to no heading:\n${dead.join('\n')}`);
if (isCurrent(identity)) {
  console.log('The documentation site is current.');
} else {
  stage(pages);
  const { build } = await import('vitepress');
  rmSync(built, { recursive: true, force: true });
  await build(fileOf('.'));
  // Written last, so that an interrupted build is done again.
  writeFileSync(mark, identity);
}
