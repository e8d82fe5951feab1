import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

// `npm run build -w cli` writes the package that people install into `cli/dist`. It is JavaScript, because Node.js does
// not run TypeScript in `node_modules`, and has no dependencies.

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Writes the package. Libraries that few commands need are files of their own, which are loaded late. */
export async function writePackage(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const bundle = await rolldown({
    ...{ input: { main: fileOf('src/main.ts') }, platform: 'node', plugins: [lightBuiltins] },
    // What is not used of a module of Node.js is not read.
    treeshake: { propertyReadSideEffects: false },
  });
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

const mark = '\0';

/**
 * Takes from the modules of Node.js only what is used. An `import` reads each export of such a module, also those that load
 * others when they are read, such as WebCrypto and workers. This takes a third of the time in which a command starts.
 */
const lightBuiltins: Plugin = {
  name: 'light-builtins',
  resolveId: (id) => (id.startsWith('node:') ? `${mark}${id}` : null),
  load(id) {
    if (!id.startsWith(`${mark}node:`)) return null;
    const name = id.slice(mark.length);
    const names = Object.keys(process.getBuiltinModule(name) as object);
    const exported = names.filter((one) => one !== 'default' && /^[a-z]\w*$/i.test(one));
    return [
      `const all = /* @__PURE__ */ process.getBuiltinModule('${name}');`,
      'export default all;',
      ...exported.map((one) => `const of_${one} = all.${one};\nexport { of_${one} as ${one} };`),
    ].join('\n');
  },
};

function manifest() {
  const { name, version, description, type, license, engines } = JSON.parse(
    readFileSync(fileOf('package.json'), 'utf8'),
  );
  return { name, version, description, type, license, engines, bin: { berth: 'berth.mjs' } };
}

if (import.meta.main) await writePackage(fileOf('dist'));
