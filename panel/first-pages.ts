import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';

// What the first visit of a browser loads: the frame and the list of servers, with what they import.

const root = fileURLToPath(new URL('.', import.meta.url));
/** What surrounds each page. */
export const frame = 'src/shell/shell.tsx';
/** Their scripts are requested with the document, instead of after the first ones were run. */
const firstPages = [frame, 'src/servers/list/page.tsx'];
/** Makes Chromium compile the functions of a script while it is loaded, instead of one by one when they are first called. */
const compileAtOnce = '//# allFunctionsCalledOnLoad\n';

/** The module for which a chunk was made, if there is one. */
export const moduleOf = ({ facadeModuleId }: Rolldown.OutputChunk) =>
  facadeModuleId?.slice(root.length);

export function chunksOf(output: readonly unknown[]): Map<string, Rolldown.OutputChunk> {
  const chunks = (output as Rolldown.RolldownOutput['output']).filter(
    (one): one is Rolldown.OutputChunk => one.type === 'chunk',
  );
  return new Map(chunks.map((one) => [one.fileName, one]));
}

/** The scripts that a chunk loads at once: itself and what it imports, in turn. */
export function scriptsOf(name: string, chunks: Map<string, Rolldown.OutputChunk>): Set<string> {
  const found = new Set([name]);
  // A set is iterated with what is added meanwhile.
  for (const one of found) {
    for (const imported of chunks.get(one)?.imports ?? []) found.add(imported);
  }
  return found;
}

/** The scripts of the first pages, and of the entry. */
function firstScripts(output: readonly unknown[]): Rolldown.OutputChunk[] {
  const chunks = chunksOf(output);
  const first = [...chunks.values()].filter((one) => firstPages.includes(moduleOf(one) ?? ''));
  if (first.length !== firstPages.length) throw new Error('A first page has no file.');
  const entry = [...chunks.values()].filter((one) => one.isEntry);
  const all = [...entry, ...first].flatMap(({ fileName }) => [...scriptsOf(fileName, chunks)]);
  return [...chunks.values()].filter(({ fileName }) => all.includes(fileName));
}

/**
 * What the first visit needs, in a bundle that only puts together what is needed together: without the modules that
 * begin it, which have files of their own.
 */
export function firstModules(output: readonly unknown[]): Set<string> {
  const scripts = firstScripts(output);
  const begin = new Set(scripts.map(({ facadeModuleId }) => facadeModuleId));
  return new Set(scripts.flatMap(({ moduleIds }) => moduleIds).filter((id) => !begin.has(id)));
}

export const loadFirstPages: Plugin = {
  name: 'load-first-pages',
  transformIndexHtml: {
    order: 'post',
    handler(page, { bundle = {} }) {
      const others = firstScripts(Object.values(bundle)).filter(
        ({ fileName }) => !page.includes(fileName),
      );
      return others.map(({ fileName }) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` },
        injectTo: 'head',
      }));
    },
  },
  generateBundle: {
    // Vite also writes at the beginning of scripts.
    order: 'post',
    handler(_, bundle) {
      for (const script of firstScripts(Object.values(bundle)))
        script.code = compileAtOnce + script.code;
    },
  },
};
