import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

// `npm run build -w client` writes the package that programs install into `client/dist`: one file of JavaScript for
// browsers and for Node.js, and its types.

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Node.js prints an error with the name of its class. */
const kept = { class: true, function: false };

/** Writes `index.js`, which includes openapi-fetch. */
export async function writeBundle(directory: string): Promise<void> {
  const bundle = await rolldown({
    input: fileOf('src/index.ts'),
    platform: 'browser',
    transform: { target: 'es2022' },
  });
  await bundle.write({
    file: join(directory, 'index.js'),
    minify: { compress: { keepNames: kept }, mangle: { keepNames: kept } },
    postBanner: '/*! @berth/client, Apache-2.0. Contains openapi-fetch, MIT, by Drew Powers. */',
  });
  await bundle.close();
}

/** Writes the package. */
export async function writePackage(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  await writeBundle(directory);
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const project = fileOf('tsconfig.build.json');
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', directory], { stdio: 'inherit' });
  cpSync(fileOf('README.md'), join(directory, 'README.md'));
  cpSync(fileOf('../LICENSE'), join(directory, 'LICENSE'));
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

/** openapi-fetch is a dependency because of its types. */
function manifest() {
  const { name, version, description, type, license, engines, dependencies } = JSON.parse(
    readFileSync(fileOf('package.json'), 'utf8'),
  );
  const exports = { '.': { types: './index.d.ts', default: './index.js' } };
  const own = { name, version, description, type, license, engines };
  return { ...own, sideEffects: false, exports, dependencies };
}

if (import.meta.main) await writePackage(fileOf('dist'));
