import { rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { identifyPanel, isPanelCurrent, panelMark } from '../setup/panel.mjs';

// `npm run build -w panel` builds the panel into `panel/dist`, from which the service serves it at `/`. It does nothing if
// it is current. It fails if the first page loads too much.

const root = fileURLToPath(new URL('.', import.meta.url));
const mostKilobytes = 250;
/** What no page waits for. */
const loadedLater = new Set(['estimator']);

/** The scripts that a chunk loads at once: itself and what it imports, in turn. */
function scriptsOf(name: string, chunks: Map<string, Rolldown.OutputChunk>): Set<string> {
  const found = new Set([name]);
  // A set is iterated with what is added meanwhile.
  for (const one of found) {
    for (const imported of chunks.get(one)?.imports ?? []) found.add(imported);
  }
  return found;
}

/** The kilobytes of compressed JavaScript that each page loads: the entry, the frame of all pages, and its own chunk. */
function weigh({ output }: Rolldown.RolldownOutput): Map<string, number> {
  const chunks = new Map(
    output.flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one] as const] : [])),
  );
  const frame = [...chunks.values()].filter((one) => one.isEntry || one.name === 'shell');
  const pages = [...chunks.values()].filter(
    (one) => one.isDynamicEntry && !frame.includes(one) && !loadedLater.has(one.name),
  );
  return new Map(
    pages.map(({ fileName, facadeModuleId }) => {
      const names = [...frame.map((one) => one.fileName), fileName];
      const parts = names.flatMap((one) => [...scriptsOf(one, chunks)]);
      const bytes = [...new Set(parts)].map((one) => gzipSync(chunks.get(one)?.code ?? '').length);
      return [pageOf(facadeModuleId), Math.ceil(bytes.reduce((sum, one) => sum + one, 0) / 1000)];
    }),
  );
}

/** Its source, because many have the same name. */
const pageOf = (source: string | null) => relative(join(root, 'src'), source ?? '');

function requireLight(weights: Map<string, number>): void {
  for (const [page, kilobytes] of weights) console.log(`${page}: ${kilobytes} KB of JavaScript`);
  const heavy = [...weights].filter(([, kilobytes]) => kilobytes > mostKilobytes);
  if (heavy.length === 0) return;
  const names = heavy.map(([page]) => page).join(', ');
  throw new Error(`These pages load more than ${mostKilobytes} KB of JavaScript: ${names}.`);
}

async function buildPanel(): Promise<void> {
  rmSync(panelMark, { force: true });
  const identity = identifyPanel();
  const names = 'assets/[name].[hash].js';
  const result = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      // The policy of the service forbids what Vite would insert, and modules are preloaded by all browsers.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      target: 'es2022',
      rolldownOptions: {
        onLog(level, log, report) {
          // Directives for servers that render components.
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
        },
        output: {
          ...{ entryFileNames: names, chunkFileNames: names },
          assetFileNames: 'assets/[name].[hash][extname]',
        },
      },
    },
  });
  requireLight(weigh(result as Rolldown.RolldownOutput));
  // Written last, so that an interrupted build is done again.
  writeFileSync(panelMark, identity);
}

if (isPanelCurrent()) console.log('The panel is current.');
else await buildPanel();
