import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { before, test } from 'node:test';
import { findModules, folderOf, type Module, serviceFolder } from './imports.ts';

// Tests the folders of the service, and their imports of each other. ARCHITECTURE.md describes the folders.

/** Pairs of folders that may import each other. */
const exceptions: Record<string, string> = {
  'db <-> db/embedded':
    'opening the database starts an embedded one, which the rest of db connects to',
  'projects <-> projects/members': 'who may see a project follows from who its members are',
  'servers <-> servers/actions':
    'what a server shows has its allowed actions, and actions read servers',
};
const mostFiles = 15;

let modules: Module[] = [];
const isOfService = ({ file }: { file: string }) => file.startsWith(`${serviceFolder}/`);

before(() => {
  modules = findModules().filter(isOfService);
  assert.ok(modules.length > 300, `${modules.length} files were found.`);
});

test('no folder imports one that imports it', () => {
  const imports = new Set<string>();
  for (const { file, imports: imported } of modules) {
    for (const one of imported.filter(isOfService)) {
      imports.add(`${folderOf(file)} > ${folderOf(one.file)}`);
    }
  }
  const mutual = [...imports]
    .map((one) => one.split(' > ') as [string, string])
    .filter(([from, to]) => from < to && imports.has(`${to} > ${from}`))
    .map(([from, to]) => `${from} <-> ${to}`);
  assert.deepEqual(mutual.sort(), Object.keys(exceptions).sort());
});

test(`no folder has more than ${mostFiles} files of the product`, () => {
  const files = Map.groupBy(modules, ({ file }) => folderOf(file));
  const large = [...files].filter(([, found]) => found.length > mostFiles);
  assert.deepEqual(
    large.map(([folder, found]) => `${folder}: ${found.map(({ file }) => basename(file))}`),
    [],
  );
});
