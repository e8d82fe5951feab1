import { dirname, join } from 'node:path';

/** The anchor of a heading in the form of GitHub, so that links work in the repository and on the site. */
export const slugify = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Links of pages to headings that do not exist. VitePress checks only that the pages do. */
export function deadAnchors(pages: ReadonlyMap<string, string>): string[] {
  const anchors = new Map([...pages].map(([path, text]) => [path, anchorsIn(text)]));
  return [...pages].flatMap(([path, text]) => {
    const links = proseOf(text).matchAll(/\]\((?![a-z]+:)([^)\s#]*)#([^)\s]+)\)/g);
    return [...links]
      .filter(([, target = '', anchor = '']) => {
        const page = target === '' ? path : join(dirname(path), target);
        return !anchors.get(page)?.has(anchor);
      })
      .map(([, target, anchor]) => `${path}: ${target}#${anchor}`);
  });
}

const proseOf = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');

function anchorsIn(text: string): Set<string> {
  const headings = proseOf(text).matchAll(/^#+ (.+?)(?: \{#(\S+)\})?$/gm);
  return new Set([...headings].map(([, heading = '', anchor]) => anchor ?? slugify(heading)));
}
