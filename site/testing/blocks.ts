import { globSync } from 'node:fs';
import { readText, root } from '../pages/repository.ts';

/** The pages whose commands a test runs. */
export const runPages = [
  ...['README.md', 'docs/get-started.md'],
  ...globSync('docs/guides/*.md', { cwd: root }).sort(),
];

/** A block of commands on a page: ```` ```sh ````, or ```` ```sh not run: why ````. */
export interface Block {
  code: string;
  /** The line of the page at which it begins. */
  line: number;
  /** Why a test cannot run it. */
  notRun?: string;
}

/** The blocks of `sh` on a page, in their order. */
export function blocksOf(page: string): Block[] {
  const text = readText(page);
  return [...text.matchAll(/^```sh(?: not run: (.+))?\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, notRun, code = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    return { code, line, ...(notRun !== undefined && { notRun }) };
  });
}

/** The program in TypeScript on a page. */
export function programOf(page: string): string | undefined {
  return /^```ts\n([\s\S]*?)^```$/m.exec(readText(page))?.[1];
}
