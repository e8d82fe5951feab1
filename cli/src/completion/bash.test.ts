import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { signedIn } from '../../testing/signed-in.ts';

const { berth, home, url, token } = await signedIn();
const program = fileURLToPath(new URL('../../bin/berth.mjs', import.meta.url));
const bin = join(home, 'bin');
mkdirSync(bin);
symlinkSync(program, join(bin, 'berth'));

/** What a bash that has read the script of `berth completion bash` offers for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const all = ['berth', ...words];
  const script = `
    source <(berth completion bash)
    COMP_WORDS=(${all.map((word) => `'${word}'`).join(' ')})
    COMP_CWORD=${all.length - 1}
    COMP_LINE='${all.join(' ')}'
    COMP_POINT=\${#COMP_LINE}
    __berth_complete
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { HOME: home, PATH: path, BERTH_URL: url, BERTH_TOKEN: token };
  const run = promisify(execFile);
  const { stdout, stderr } = await run('bash', ['--norc', '-c', script], { env });
  assert.equal(stderr, '');
  return stdout.split('\n').flatMap((line) => line.trim() || []);
}

test('bash offers nouns, verbs and the names of servers', async () => {
  const size = ['--os', 'debian-12', '--cpu', '1', '--ram', '512', '--disk', '5'];
  await berth(['server', 'create', 'web-1', ...size, '--generate-password', '--no-wait']);
  assert.deepEqual(await offered('ser'), ['server']);
  assert.deepEqual(await offered('server', 'resi'), ['resize']);
  assert.deepEqual(await offered('server', 'show', 'we'), ['web-1']);
});
