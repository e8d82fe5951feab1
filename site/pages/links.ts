import { dirname, join, normalize, relative } from 'node:path';

/** Where the files of the repository are on the site. */
export interface Places {
  /** Markdown files. */
  pages: ReadonlyMap<string, string>;
  /** Other files, which are served as they are. */
  files: ReadonlySet<string>;
}

/**
 * Converts the links of a Markdown file, which are relative to the file in the repository, to those of the site. A link
 * to something that the site does not have, such as a folder of code, becomes its text.
 */
export function withLinksOfSite(markdown: string, file: string, places: Places): string {
  const place = places.pages.get(file);
  if (place === undefined) throw new Error(`${file} is not a page of the site.`);
  return outsideOfCode(markdown, (text) =>
    text.replaceAll(/(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)/g, (link, ...parts) => {
      const [isImage, shown, target] = parts as [string, string, string];
      const [path = '', heading] = target.split('#');
      const wanted = normalize(join(dirname(file), path));
      const page = places.pages.get(wanted);
      if (page !== undefined) {
        const anchor = heading === undefined ? '' : `#${heading}`;
        return `[${shown}](${fromTo(place, page)}${anchor})`;
      }
      if (!places.files.has(wanted)) return isGenerated(wanted) ? link : shown;
      const served = wanted.replace(/^docs\//, '');
      return isImage ? `![${shown}](${fromTo(place, served)})` : `[${shown}](/${served})`;
    }),
  );
}

/** Pages of the reference are made with the site. */
const isGenerated = (path: string) => path.startsWith('docs/reference/');

function fromTo(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/** Applies `convert` to all but the blocks of code. */
function outsideOfCode(markdown: string, convert: (text: string) => string): string {
  return markdown
    .split(/^( *```[\s\S]*?^ *```)/m)
    .map((part, at) => (at % 2 === 0 ? convert(part) : part))
    .join('');
}
