import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Version } from '@berth/contract/version';
import { migrationNames } from '../db/migrate.ts';

const root = new URL('../../../', import.meta.url);

/** The version that all packages, the OpenAPI document and the changelog have. */
export const version: string = readJson('package.json').version;

let build: Promise<Version> | undefined;

/** The running version. It is read once: changes of the clone afterwards do not apply to it. */
export function readBuild(): Promise<Version> {
  build ??= Promise.all([migrationNames(), commit()]).then(([names, commit]) => ({
    version,
    commit,
    schema: names.at(-1) ?? '',
  }));
  return build;
}

/** The commit is in `release.json` of a release, or in `.git` of a clone. Null if there is neither, or no Git. */
async function commit(): Promise<string | null> {
  if (existsSync(new URL('release.json', root))) return readJson('release.json').commit;
  const git = fileURLToPath(new URL('.git', root));
  const asked = promisify(execFile)('git', ['--git-dir', git, 'rev-parse', 'HEAD']);
  return await asked.then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}

function readJson(name: string) {
  return JSON.parse(readFileSync(new URL(name, root), 'utf8'));
}
