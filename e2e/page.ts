import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The commands of a page in `docs/`: its `sh` blocks, in order. Output is in `console` or `text` blocks. */
export function commandsOf(page: string): string[] {
  const path = fileURLToPath(new URL(`../docs/${page}`, import.meta.url));
  const blocks = readFileSync(path, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms);
  return Array.from(blocks, ([, block = '']) => block);
}

interface Shell {
  /** The working directory and home of the commands. */
  directory: string;
  url: string;
  token: string;
  env?: Record<string, string>;
}

// As in docs/requests.md, except that an error ends the block.
const beginning = `set -euo pipefail
API=$URL/v1
api() { curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" "$@"; }
`;

/** Runs a block with the `api` of docs/requests.md and `$API`. Returns its output; throws if it fails. */
export async function runBlock(block: string, shell: Shell): Promise<string> {
  const { directory, url, token, env } = shell;
  const child = spawn('bash', ['-c', beginning + block], {
    cwd: directory,
    env: { ...process.env, HOME: directory, URL: url, TOKEN: token, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 170_000,
  });
  const ended = once(child, 'exit');
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  if (code === 0) return output;
  throw new Error(`A block ended with ${code}:\n${block}\n${output}${errors}`);
}
