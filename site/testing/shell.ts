import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../pages/repository.ts';
import type { Block } from './blocks.ts';

const scripts: Record<string, string> = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
).scripts;

/** The programs that the commands find: those of this clone, in the place of a directory of Berth. */
function writePrograms(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const write = (name: string, lines: string[]) => {
    const path = join(directory, name);
    writeFileSync(path, ['#!/bin/bash', ...lines, ''].join('\n'));
    chmodSync(path, 0o755);
  };
  const node = `exec '${process.execPath}'`;
  write('berth', [`${node} '${join(root, 'cli/bin/berth.mjs')}' "$@"`]);
  write('npx', ['[ "$1" = berth ] || exit 90', 'exec "$@"']);
  // Without what npm prints and prepares.
  const commands = Object.entries(scripts)
    .filter(([, script]) => /^node service\/src\/cli\/main\.ts/.test(script))
    .map(([name, script]) => `${name}) ${node} '${root}'/${script.slice('node '.length)} "$@" ;;`);
  write('npm', [
    ...['[ "$1" = run ] || exit 90', 'name=$2', 'shift 2', '[ "$1" = -- ] && shift'],
    ...['case $name in', ...commands, '*) exit 90 ;;', 'esac'],
  ]);
}

/** Where the commands run. */
interface Place {
  /** The address of the service, which replaces the one on the pages. */
  url: string;
  /** The directory and home of the commands, in the place of a directory of Berth. */
  home: string;
  env?: Record<string, string>;
}

/** Runs the blocks in one shell. The first command that fails ends it. */
export async function runBlocks(
  page: string,
  blocks: readonly Block[],
  place: Place,
): Promise<void> {
  const { url, home, env } = place;
  const bin = join(home, 'bin');
  writePrograms(bin);
  const code = blocks.map(({ code: lines, line }) => `echo '## ${page}:${line}'\n${lines}`);
  const own = code.join('\n').replaceAll('http://127.0.0.1:8080', url);
  const child = spawn('bash', ['-c', `set -euo pipefail\n${own}`], {
    cwd: home,
    env: {
      ...{ PATH: `${bin}:${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8' },
      // So that only the first command has to be compiled.
      XDG_CACHE_HOME: join(root, 'node_modules/.cache'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const [output, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  if (status === 0) return;
  throw new Error(`A command ended with ${status}:\n${output}\n${errors}`);
}
