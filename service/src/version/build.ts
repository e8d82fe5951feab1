import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Version } from '@berth/contract/version';
import { output } from '../../../setup/commands.mjs';
import { migrationNames } from '../db/migrate.ts';

const root = new URL('../../../', import.meta.url);

/** The version that all packages, the OpenAPI document and the changelog have. */
export const version: string = readJson('package.json').version;

let build: Promise<Version> | undefined;

/** The running version. It is read once: changes of the clone afterwards do not apply to it. */
export function readBuild(): Promise<Version> {
  build ??= migrationNames().then((names) => ({
    version,
    commit: commit(),
    schema: names.at(-1) ?? '',
  }));
  return build;
}

/** The commit is in `release.json` of a release, or in `.git` of a clone. */
function commit(): string | null {
  if (existsSync(new URL('release.json', root))) return readJson('release.json').commit;
  const git = fileURLToPath(new URL('.git', root));
  return output('git', ['--git-dir', git, 'rev-parse', 'HEAD'])?.trim() ?? null;
}

function readJson(name: string) {
  return JSON.parse(readFileSync(new URL(name, root), 'utf8'));
}
