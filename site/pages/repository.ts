import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Pages that are not in `docs/`, and their places on the site. */
const others: Record<string, string> = {
  'README.md': 'readme.md',
  'client/README.md': 'client-typescript.md',
  'ARCHITECTURE.md': 'architecture.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'reporting-vulnerabilities.md',
  'CHANGELOG.md': 'changelog.md',
};

/** The Markdown files of the repository that are pages of the site, each with its place there. */
export function placesOfPages(): Map<string, string> {
  const own = globSync('docs/**/*.md', { cwd: root }).sort();
  const ofDocs = own.map((file) => [file, file.replace(/^docs\//, '')] as const);
  return new Map([...ofDocs, ...Object.entries(others)]);
}

/** The other files in `docs/`, to which pages link, such as pictures and alert rules. */
export const filesOfDocs = (): string[] =>
  globSync('docs/**/*.{svg,png,yml,json}', { cwd: root }).sort();

export const readText = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The text of the first heading. */
export function titleOf(markdown: string): string {
  const [, title] = /^# (.+)$/m.exec(markdown) ?? [];
  if (title === undefined) throw new Error(`A page has no heading: ${markdown.slice(0, 80)}`);
  return title;
}
