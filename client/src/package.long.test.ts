import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writePackage } from '../build.ts';
import { readmeProgram, root } from '../testing/readme.ts';

/** Mistakes that the types must detect, after the program of the README. */
const mistakes = `
// @ts-expect-error It needs an id.
await berth.GET('/v1/servers/{id}');
// @ts-expect-error There is no such path.
await berth.GET('/v1/machines');
// @ts-expect-error There is no such parameter.
await berth.GET('/v1/servers', { params: { query: { state: ['started'] } } });
// @ts-expect-error There is no such status.
items(berth, '/v1/servers', { params: { query: { status: ['running'] } } });
// @ts-expect-error It is no list.
items(berth, '/v1/servers/{id}', { params: { path: { id: 1 } } });
// @ts-expect-error It needs the id of a project.
items(berth, '/v1/projects/{id}/members');
// @ts-expect-error There is no such field.
console.log(server.no_such_field);
// @ts-expect-error It needs more fields.
await berth.POST('/v1/servers', { body: { name: 'web-1' } });
`;

const tsconfig = {
  compilerOptions: {
    ...{ target: 'es2024', module: 'nodenext', lib: ['es2024', 'dom'], types: ['node'] },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ skipLibCheck: false, noEmit: true },
  },
  include: ['*.ts'],
};

/** Installs the package in a project, as the README says. Its other packages are those of this repository. */
async function projectWithPackage(directory: string): Promise<void> {
  const [dist, project] = [join(directory, 'dist'), join(directory, 'project')];
  await writePackage(dist);
  execFileSync('npm', ['pack', '--silent', dist], { cwd: directory });
  const [archive] = readdirSync(directory).filter((name) => name.endsWith('.tgz'));
  const installed = join(project, 'node_modules/@berth/client');
  mkdirSync(installed, { recursive: true });
  const from = join(directory, String(archive));
  execFileSync('tar', ['-xzf', from, '-C', installed, '--strip-components=1']);
  for (const name of ['@types', 'openapi-fetch', 'openapi-typescript-helpers']) {
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(tsconfig));
}

test('the types of the built package accept the examples of the README, and detect mistakes', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-client-'));
  t.after(() => rmSync(directory, { recursive: true }));
  await projectWithPackage(directory);
  const project = join(directory, 'project');
  writeFileSync(join(project, 'program.ts'), readmeProgram() + mistakes);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
  assert.equal(stdout, '');
  const program =
    "import { createBerth } from '@berth/client';\nconsole.log(typeof createBerth);\n";
  writeFileSync(join(project, 'program.mjs'), program);
  const ran = execFileSync(process.execPath, ['program.mjs'], { cwd: project, encoding: 'utf8' });
  assert.equal(ran, 'function\n');
});
