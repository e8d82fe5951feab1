import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startBerth } from './berth.ts';
import { cleanUpWith } from './setup.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = join(root, 'node_modules');

/** Mistakes that the types of the API must detect. */
const mistakes = `
// @ts-expect-error There is no such code.
if (created.error?.code === 'no_such_code') process.exit();
// @ts-expect-error A stop can't fail with this code.
if (stopped.error?.code === 'no_address_left') process.exit();
// @ts-expect-error There is no such field.
console.log(created.data?.no_such_field);
// @ts-expect-error This parameter no longer exists.
if (!created) await berth.POST('/v1/servers', { body: wanted, params: { query: { dry_run: true } } });
// @ts-expect-error It needs a name.
if (!created) await berth.POST('/v1/servers', { body: { ...wanted, name: undefined } });
`;

/** The compiler options of the page, and two that many projects add. */
function stricter(tsconfig: string): object {
  const { compilerOptions } = JSON.parse(tsconfig);
  const more = { noUncheckedIndexedAccess: true, verbatimModuleSyntax: true };
  return { compilerOptions: { ...compilerOptions, ...more } };
}

/** The script of docs/client.md, in a folder with the generated client. */
async function writeScript(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-client-'));
  cleanUpWith(() => rmSync(folder, { recursive: true }));
  const page = readFileSync(join(root, 'docs/client.md'), 'utf8');
  const [, script] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  assert.ok(script, 'docs/client.md has a script');
  const [, options] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  assert.ok(options, 'docs/client.md has a tsconfig.json');
  writeFileSync(join(folder, 'script.ts'), script);
  writeFileSync(join(folder, 'mistakes.ts'), script + mistakes);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(stricter(options)));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  symlinkSync(modules, join(folder, 'node_modules'));
  const document = join(root, 'contract/openapi.json');
  await run(folder, 'openapi-typescript/bin/cli.js', document, '-o', join(folder, 'berth.ts'));
  return folder;
}

/** Returns its output. If it fails, the error has the output. */
async function run(folder: string, program: string, ...args: string[]): Promise<string> {
  const options = { cwd: folder, timeout: 120_000 };
  const command = [join(modules, program), ...args];
  const ran = await promisify(execFile)(process.execPath, command, options).catch((error) => error);
  assert.equal(ran.code ?? 0, 0, `${program}: ${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

describe('a client generated from the OpenAPI document', () => {
  it('type-checks a whole script, finds its mistakes, and runs it', async () => {
    const folder = await writeScript();
    await run(folder, 'typescript/bin/tsc', '-p', '.');
    const { url, token } = await startBerth();
    const env = { ...process.env, BERTH_URL: url, BERTH_TOKEN: token };
    const options = { cwd: folder, env, timeout: 120_000 };
    const { stdout } = await promisify(execFile)(process.execPath, ['script.ts'], options);
    assert.deepEqual(stdout.trim().split('\n'), [
      stdout.split('\n')[0],
      'web-1 is started; 0 of 2 commands failed.',
      '1 web-1 started',
      'web-1 is deleted.',
    ]);
    assert.match(stdout, /^It would run on \S+\.\n/);
  });
});
