import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin, type Rolldown } from 'vite';
import { rebuild } from '../setup/built.mjs';
import {
  chunksOf,
  firstModules,
  frame,
  loadFirstPages,
  moduleOf,
  scriptsOf,
} from './first-pages.ts';

// `npm run build -w panel` builds the panel into `panel/dist`, from which the service serves it at `/`. It does nothing if
// it is current. It fails if the first page loads too much.

const root = fileURLToPath(new URL('.', import.meta.url));
const mostKilobytes = 250;
/** What no page waits for. */
const loadedLater = new Set(['estimator', 'console']);

/** The kilobytes of JavaScript, compressed as browsers get it, that each page loads: the entry, the frame of all pages, and its own chunk. */
function weigh(output: readonly unknown[]): Map<string, number> {
  const chunks = chunksOf(output);
  // Almost all pages share files, whose compression takes a second each.
  const sizes = new Map(
    [...chunks].map(([name, { code }]) => [name, brotliCompressSync(code).length] as const),
  );
  const always = [...chunks.values()].filter((one) => one.isEntry || moduleOf(one) === frame);
  const pages = [...chunks.values()].filter(
    (one) => one.isDynamicEntry && !always.includes(one) && !loadedLater.has(one.name),
  );
  return new Map(
    pages.map((page) => {
      const parts = [...always, page].flatMap((one) => [...scriptsOf(one.fileName, chunks)]);
      const bytes = [...new Set(parts)].map((one) => sizes.get(one) ?? 0);
      const name = moduleOf(page) ?? page.fileName;
      return [name, Math.ceil(bytes.reduce((sum, one) => sum + one, 0) / 1000)];
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

interface Bundle {
  groups?: Rolldown.CodeSplittingGroup[];
  plugins?: Plugin[];
  options?: BuildOptions;
}

/** Makes files of the modules by `groups`. */
async function bundle({ groups = [], plugins = [], options = {} }: Bundle) {
  const names = 'assets/[name].[hash].js';
  const result = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [terminalStyles, ...plugins],
    build: {
      // The policy of the service forbids what Vite would insert, and modules are preloaded by all browsers.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // One file of all styles, almost all of which are those of the components: none of another page is waited for.
      cssCodeSplit: false,
      target: 'es2022',
      // `requireLight` limits what is loaded together.
      chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
      ...options,
      rolldownOptions: {
        onLog(level, log, report) {
          // Directives for servers that render components.
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
        },
        output: {
          codeSplitting: { groups },
          ...{ entryFileNames: names, chunkFileNames: names },
          assetFileNames: 'assets/[name].[hash][extname]',
        },
      },
    },
  });
  return (result as Rolldown.RolldownOutput).output;
}

async function buildPanel(): Promise<void> {
  // Only a bundle says what each page needs, because what nothing uses of the modules is left out of it.
  const first = firstModules(await bundle({ options: { write: false, minify: false } }));
  // Few files: small ones would compress less.
  const groups = [
    { name: 'first', test: (id: string) => first.has(id), priority: 1 },
    { name: 'shared', minShareCount: 6 },
  ];
  const output = await bundle({ groups, plugins: [loadFirstPages] });
  requireLight(weigh(output));
}

await rebuild('panel', buildPanel);
