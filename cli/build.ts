import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

// `npm run build -w cli` writes the package that people install into `cli/dist`. It is JavaScript, because Node.js does
// not run TypeScript in `node_modules`, and has no dependencies.

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Writes the package. Libraries that few commands need are files of their own, which are loaded late. */
export async function writePackage(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const bundle = await rolldown({ input: { main: fileOf('src/main.ts') }, platform: 'node' });
  await bundle.write({ dir: directory, minify: true, chunkFileNames: 'chunks/[name]-[hash].js' });
  await bundle.close();
  // They are read next to the chunk of `completion`.
  cpSync(fileOf('src/completion/scripts'), join(directory, 'chunks/scripts'), { recursive: true });
  const program = readFileSync(fileOf('bin/berth.mjs'), 'utf8');
  const mode = 0o755;
  writeFileSync(join(directory, 'berth.mjs'), program.replace('../src/main.ts', './main.js'), {
    mode,
  });
  cpSync(fileOf('../LICENSE'), join(directory, 'LICENSE'));
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function manifest() {
  const { name, version, description, type, license, engines } = JSON.parse(
    readFileSync(fileOf('package.json'), 'utf8'),
  );
  return { name, version, description, type, license, engines, bin: { berth: 'berth.mjs' } };
}

if (import.meta.main) await writePackage(fileOf('dist'));
