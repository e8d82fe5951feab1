import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
export const serviceFolder = 'service/src';

/** A file of the product, by its path in the repository, and the files of the product that it imports. */
export interface Module {
  file: string;
  imports: { file: string; typesOnly: boolean }[];
}

interface Cruise {
  modules: {
    source: string;
    dependencies: { resolved: string; dependencyTypes: string[] }[];
  }[];
}

const isProduct = (file: string) =>
  /^(contract|service)\/src\//.test(file) &&
  !/\.test\.ts$|\/test-[a-z]+\.ts$|^service\/src\/testing\//.test(file);

/** The files of the product and their imports, as dependency-cruiser finds them. Tests and their helpers are left out. */
export function findModules(): Module[] {
  const bin = fileURLToPath(new URL('../node_modules/.bin/depcruise', import.meta.url));
  const folders = ['contract/src', serviceFolder];
  const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders];
  const { stdout } = spawnSync(bin, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return (JSON.parse(stdout) as Cruise).modules
    .filter(({ source }) => isProduct(source))
    .map(({ source, dependencies }) => ({
      file: source,
      imports: dependencies
        .filter(({ resolved }) => isProduct(resolved))
        .map(({ resolved, dependencyTypes }) => ({
          file: resolved,
          typesOnly: dependencyTypes.includes('type-only'),
        })),
    }));
}

/**
 * The folder of a file of the service, relative to `service/src/`; `.` for files that are in no
 * folder. Or `contract`.
 */
export const folderOf = (file: string) =>
  file.startsWith('contract/') ? 'contract' : dirname(file).slice(serviceFolder.length + 1) || '.';
