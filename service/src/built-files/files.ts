import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Content, represent } from '../openapi/constant-content.ts';

/** A file of a built site. Its content is read once; all files together have a few megabytes. */
export interface BuiltFile {
  type: string;
  /** Whether its name has a hash of its content. */
  isHashed: boolean;
  content(): Promise<Content>;
}

const png = 'image/png';
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': png,
};

/** The build writes it last. */
const mark = 'built-from';

/** Whether the site of a folder has been built. */
export const isBuilt = (folder: URL) => existsSync(new URL(mark, folder));

/**
 * Returns a function that finds a file of the site by its path, or the page of a path. It returns `undefined` if the site
 * has no such file, and throws `ENOENT` if it has not been built. A site that is built anew is noticed.
 */
export function filesOf(folder: URL) {
  let known: Map<string, BuiltFile> | undefined;
  let builtAt: number | undefined;
  return async (path: string): Promise<BuiltFile | undefined> => {
    const { mtimeMs } = await stat(new URL(mark, folder));
    if (known === undefined || builtAt !== mtimeMs) known = await listFiles(folder);
    builtAt = mtimeMs;
    const name = path.replace(/\/$/, '');
    const names = name === '' ? ['index.html'] : [name, `${name}.html`, `${name}/index.html`];
    return names.map((one) => known?.get(one)).find(Boolean);
  };
}

/** Only these can be requested, so no path leads out of the folder. */
async function listFiles(folder: URL): Promise<Map<string, BuiltFile>> {
  const root = fileURLToPath(folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== mark);
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = `${parentPath}${sep}${name}`;
      return [relative(root, path).replaceAll(sep, '/'), builtFile(path)];
    }),
  );
}

function builtFile(path: string): BuiltFile {
  let content: Promise<Content> | undefined;
  const type = types[extname(path)] ?? 'text/plain; charset=utf-8';
  return {
    type,
    isHashed: /\.[\w-]{8}\.(?:lean\.)?(?:js|css|svg|png)$/.test(path),
    content() {
      content ??= readFile(path).then((bytes) => {
        const { plain, compressed } = represent(bytes);
        return type === png ? { plain } : { plain, compressed };
      });
      return content;
    },
  };
}
