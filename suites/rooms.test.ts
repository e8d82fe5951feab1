import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

// The rooms of the service: its folders and what they import of each other. CONTRIBUTING.md says why.

/** Pairs of folders that may import each other. */
const exceptions: Record<string, string> = {
  'db <-> db/embedded':
    'opening the database starts an embedded one, which the rest of db connects to',
  'projects <-> projects/members': 'who may see a project follows from who its members are',
  'servers <-> servers/actions': 'the routes of servers enter actions, and actions read servers',
};
const mostFiles = 15;

interface Module {
  source: string;
  dependencies: { resolved: string }[];
}
let modules: Module[] = [];

const root = fileURLToPath(new URL('..', import.meta.url));
const source = 'service/src';
const isProduct = (file: string) =>
  file.startsWith(`${source}/`) &&
  !/\.test\.ts$|\/test-[a-z]+\.ts$|^service\/src\/testing\//.test(file);
const folderOf = (file: string) => dirname(file).slice(source.length + 1) || '.';

before(() => {
  const bin = fileURLToPath(new URL('../node_modules/.bin/depcruise', import.meta.url));
  const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', source];
  const { stdout } = spawnSync(bin, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  modules = (JSON.parse(stdout) as { modules: Module[] }).modules.filter((one) =>
    isProduct(one.source),
  );
  assert.ok(modules.length > 300, `${modules.length} files were found.`);
});

test('no folder imports one that imports it', () => {
  const imports = new Set<string>();
  for (const { source: file, dependencies } of modules) {
    for (const { resolved } of dependencies.filter((one) => isProduct(one.resolved))) {
      imports.add(`${folderOf(file)} > ${folderOf(resolved)}`);
    }
  }
  const mutual = [...imports]
    .map((one) => one.split(' > ') as [string, string])
    .filter(([from, to]) => from < to && imports.has(`${to} > ${from}`))
    .map(([from, to]) => `${from} <-> ${to}`);
  assert.deepEqual(mutual.sort(), Object.keys(exceptions).sort());
});

test(`no folder has more than ${mostFiles} files of the product`, () => {
  const files = Map.groupBy(modules, ({ source: file }) => folderOf(file));
  const large = [...files].filter(([, found]) => found.length > mostFiles);
  assert.deepEqual(
    large.map(([folder, found]) => `${folder}: ${found.map((one) => basename(one.source))}`),
    [],
  );
});
