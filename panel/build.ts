import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build, type Plugin, type Rolldown } from 'vite';
import { identifyPanel, isPanelCurrent, panelMark } from '../setup/panel.mjs';

// `npm run build -w panel` builds the panel into `panel/dist`, from which the service serves it at `/`. It does nothing if
// it is current. It fails if the first page loads too much.

const root = fileURLToPath(new URL('.', import.meta.url));
const mostKilobytes = 250;
/** What no page waits for. */
const loadedLater = new Set(['estimator', 'console']);

const pathOf = (module: string) => module.slice(root.length);

function chunksOf(output: Rolldown.RolldownOutput['output'] | unknown[]) {
  const chunks = (output as Rolldown.RolldownOutput['output']).filter(
    (one): one is Rolldown.OutputChunk => one.type === 'chunk',
  );
  return new Map(chunks.map((one) => [one.fileName, one]));
}

/** The scripts that a chunk loads at once: itself and what it imports, in turn. */
function scriptsOf(name: string, chunks: Map<string, Rolldown.OutputChunk>): Set<string> {
  const found = new Set([name]);
  // A set is iterated with what is added meanwhile.
  for (const one of found) {
    for (const imported of chunks.get(one)?.imports ?? []) found.add(imported);
  }
  return found;
}

/** The kilobytes of JavaScript, compressed as browsers get it, that each page loads: the entry, the frame of all pages, and its own chunk. */
function weigh({ output }: Rolldown.RolldownOutput): Map<string, number> {
  const chunks = chunksOf(output);
  const frame = [...chunks.values()].filter((one) => one.isEntry || one.name === 'shell');
  const pages = [...chunks.values()].filter(
    (one) => one.isDynamicEntry && !frame.includes(one) && !loadedLater.has(one.name),
  );
  return new Map(
    pages.map(({ facadeModuleId, fileName }) => {
      const names = [...frame.map((one) => one.fileName), fileName];
      const parts = names.flatMap((one) => [...scriptsOf(one, chunks)]);
      const bytes = [...new Set(parts)].map(
        (one) => brotliCompressSync(chunks.get(one)?.code ?? '').length,
      );
      const page = facadeModuleId ? pathOf(facadeModuleId) : fileName;
      return [page, Math.ceil(bytes.reduce((sum, one) => sum + one, 0) / 1000)];
    }),
  );
}

function requireLight(weights: Map<string, number>): void {
  for (const [page, kilobytes] of weights) console.log(`${page}: ${kilobytes} KB of JavaScript`);
  const heavy = [...weights].filter(([, kilobytes]) => kilobytes > mostKilobytes);
  if (heavy.length === 0) return;
  const names = heavy.map(([page]) => page).join(', ');
  throw new Error(`These pages load more than ${mostKilobytes} KB of JavaScript: ${names}.`);
}

/** Pages whose scripts are requested with the document, instead of after the first scripts were run: those of most visits. */
const firstPages = ['src/shell/shell.tsx', 'src/servers/list/page.tsx'];
/** Makes Chromium compile the functions of a script while it is loaded, instead of one by one when they are first called. */
const compileAtOnce = '//# allFunctionsCalledOnLoad\n';

function firstScripts(bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] {
  const chunks = chunksOf(Object.values(bundle));
  const first = [...chunks.values()].filter(
    ({ facadeModuleId }) => facadeModuleId && firstPages.includes(pathOf(facadeModuleId)),
  );
  if (first.length !== firstPages.length) throw new Error('A first page has no file.');
  const names = new Set(first.flatMap(({ fileName }) => [...scriptsOf(fileName, chunks)]));
  return [...chunks.values()].filter(({ fileName }) => names.has(fileName));
}

const loadFirstPages: Plugin = {
  name: 'load-first-pages',
  transformIndexHtml: {
    order: 'post',
    handler(page, { bundle = {} }) {
      const others = firstScripts(bundle).filter(({ fileName }) => !page.includes(fileName));
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
      for (const script of firstScripts(bundle)) script.code = compileAtOnce + script.code;
    },
  },
};

/** The only places where xterm.js writes styles that the policy of the service would block. */
const styles: [written: RegExp, allowed: string, count: number][] = [
  // Elements need the nonce of the page before they are in it.
  [/([\w.]+\.createElement\("style"\))/g, 'Object.assign($1,{nonce:__webpack_nonce__})', 3],
  // Attributes are never allowed, and properties always are.
  [/(\w+)\.setAttribute\("style",`\$\{\1\.[^`]*\$\{(\w+)\};`\)/g, '$1.style.cssText+=$2', 1],
];

/** Makes xterm.js write its styles as the policy allows: it has no option for this. */
const terminalStyles: Plugin = {
  name: 'terminal-styles',
  transform: {
    filter: { id: /@xterm\/xterm\/lib\/xterm\.mjs$/ },
    handler(code) {
      return styles.reduce((text, [written, allowed, count]) => {
        const found = text.match(written)?.length;
        if (found === count) return text.replace(written, allowed);
        throw new Error(`xterm.js writes styles in ${found} places like ${written}, not ${count}.`);
      }, code);
    },
  },
};

async function buildPanel(): Promise<void> {
  rmSync(panelMark, { force: true });
  const identity = identifyPanel();
  const names = 'assets/[name].[hash].js';
  const result = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [terminalStyles, loadFirstPages],
    build: {
      // The policy of the service forbids what Vite would insert, and modules are preloaded by all browsers.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // One file of all styles, almost all of which are those of the components: none of another page is waited for.
      cssCodeSplit: false,
      target: 'es2022',
      rolldownOptions: {
        onLog(level, log, report) {
          // Directives for servers that render components.
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
        },
        output: {
          // One file of what many pages share. Small files would compress less.
          codeSplitting: { groups: [{ name: 'shared', minShareCount: 6 }] },
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
