import { globSync } from 'node:fs';
import { Stryker } from '@stryker-mutator/core';
import type { Lines } from './changed.ts';
import { type Mutant, mutantOf } from './mutant.ts';
import { sandboxes } from './options.ts';
import type { Room } from './rooms.ts';
import type { Sample } from './sampler.ts';

/** Not mutated: texts for people, and names of columns, whose changes fail at once. */
const leftOut = ['StringLiteral', 'Regex'];

/** The files of a room, without its tests. */
export function codeOf({ code }: Room): string[] {
  return globSync(code)
    .filter((file) => !file.endsWith('.test.ts'))
    .sort();
}

/**
 * Makes changes to a room's code, or to these lines of it, one at a time, and runs the tests that
 * cover each until one fails. Returns the changes in the sample. Throws if the tests fail without
 * any change.
 */
export async function mutate(room: Room, sample: Sample, lines?: Lines[]): Promise<Mutant[]> {
  const places = lines?.map(({ file, from, to }) => `${file}:${from}-${to}`) ?? codeOf(room);
  const stryker = new Stryker({
    mutate: places,
    mutator: { excludedMutations: leftOut },
    testRunner: 'tap',
    tap: {
      testFiles: room.tests,
      nodeArgs: [
        '--test-reporter=tap',
        '--test-timeout=180000',
        '-r',
        '{{hookFile}}',
        '{{testFile}}',
      ],
    },
    plugins: ['@stryker-mutator/tap-runner', import.meta.resolve('./sampler.ts')],
    reporters: ['sampler', 'progress-append-only'],
    sample,
    coverageAnalysis: 'perTest',
    disableTypeChecks: false,
    // A test that detects a mutant often waits until its timeout, which takes no processor time.
    concurrency: 9,
    // The tests beside it make each much slower. A test that waits in vain fails by its own timeout.
    timeoutMS: 300_000,
    timeoutFactor: 20,
    dryRunTimeoutMinutes: 30,
    allowEmpty: true,
    tempDirName: sandboxes,
    cleanTempDir: 'always',
    ignorePatterns: [
      '*',
      '!package.json',
      '!client/**',
      '!contract/**',
      '!service/**',
      '!setup/**',
      '!incus-sim/**',
    ],
    allowConsoleColors: false,
    logLevel: 'error',
  } as ConstructorParameters<typeof Stryker>[0] & { sample: Sample });
  return (await stryker.runMutationTest()).map(mutantOf);
}
