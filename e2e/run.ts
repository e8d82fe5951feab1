import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { imageAlias } from '../service/src/images/images.ts';
import { limits, longest } from '../suites/limits.ts';
import { type Stack, withStack } from './stack.ts';

// Runs the end-to-end tests: all of them, or the files that are named, each on the same Incus and service.

/** The exit status if it was not a test that failed: for example, something was left behind. */
const otherFailure = 3;
const here = fileURLToPath(new URL('.', import.meta.url));
const reporter = new URL('../suites/reporter.ts', import.meta.url).href;
const nothingLeft = join(here, 'left/nothing-left.test.ts');

/** Runs the requested files, or all; then, on its own and in any case, the one that checks for leftovers. */
async function runTests(stack: Stack): Promise<number> {
  const asked = process.argv.slice(2);
  const all = globSync(join(here, '*.test.ts')).sort();
  const code = await nodeTest(asked.length > 0 ? asked : all, environment(stack));
  return (await nodeTest([nothingLeft], environment(stack))) || code;
}

function environment({ directory, names, service, socketPath }: Stack): Record<string, string> {
  return {
    BERTH_E2E_URL: service.url,
    BERTH_E2E_TOKEN: service.token,
    BERTH_E2E_DIR: directory,
    BERTH_E2E_INCUS_SOCKET: socketPath,
    BERTH_E2E_INCUS_PROJECT: names.project,
    BERTH_E2E_INCUS_POOL: names.pool,
    BERTH_E2E_INCUS_NETWORK: names.network,
    BERTH_TEST_INCUS_SOCKET: socketPath,
    BERTH_CONTRACT_INCUS_SOCKET: socketPath,
    BERTH_CONTRACT_INCUS_PROJECT: names.project,
    BERTH_CONTRACT_INCUS_POOL: names.pool,
    BERTH_CONTRACT_INCUS_NETWORK: names.network,
    BERTH_CONTRACT_INCUS_IMAGE: imageAlias('debian-12'),
  };
}

/** Runs one file after the other, because each uses all cores. */
async function nodeTest(files: string[], env: Record<string, string>): Promise<number> {
  const isLong = files.some((file) => /\.(long|incus)\.|contract\//.test(file));
  // A run whose settings make it larger takes longer.
  const ends = limits(Number(process.env.BERTH_E2E_SECONDS) || longest[isLong ? 'long' : 'gate']);
  const args = ['--test', '--test-concurrency=1', ...ends, `--test-reporter=${reporter}`, ...files];
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return await new Promise((resolve) => child.on('exit', (code) => resolve(code ?? otherFailure)));
}

try {
  process.exitCode = await withStack('e2e', runTests);
} catch (error) {
  console.error(error);
  process.exitCode = otherFailure;
}
