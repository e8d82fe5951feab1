import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startReaper } from '../service/src/testing/reaper.ts';
import type { Part } from './parts.ts';
import { type Failure, type Results, readResults, resultsVariable } from './results.ts';

export interface Outcome {
  part: Part;
  files: Results['files'];
  tests: number;
  seconds: number;
  failures: Failure[];
  /** Tests that failed, and passed when their file was run again by itself. */
  unsteady: Failure[];
}

/** Runs a part to its end, and reports what was still running if that took longer than `endSeconds`. */
export async function play(
  part: Part,
  { files, endSeconds }: { files?: readonly string[]; endSeconds: number },
): Promise<Outcome> {
  const began = performance.now();
  await using stack = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'berth-suite-'));
  const path = join(directory, 'results');
  const end = await run(part.command(files, directory), {
    env: { [resultsVariable]: path },
    endSeconds,
    // It does nothing once the directory is gone.
    begun: (group) => stack.defer(startReaper(reaper, directory, String(group))),
  });
  const results = readResults(path);
  rmSync(directory, { recursive: true });
  const failures = [...results.failures];
  const message = problemOf(part, results, { end, endSeconds });
  if (message !== undefined) failures.push({ file: part.name, test: part.about, message });
  return {
    part,
    files: results.files,
    tests: part.hasFiles ? results.tests : 1,
    seconds: (performance.now() - began) / 1000,
    failures,
    unsteady: [],
  };
}

/** The exit status of `node --test` if tests have failed. */
const testsFailed = 1;

/**
 * What went wrong besides tests that failed: otherwise, tests that were not run would count as passed once those that
 * failed have passed when they were run again.
 */
function problemOf(
  part: Part,
  { files, running, failures }: Results,
  { end, endSeconds }: { end: number | string; endSeconds: number },
): string | undefined {
  const names = running.join(', ');
  if (end === 'too late')
    return `It had not ended after ${Math.round(endSeconds)} s. Still running: ${names}`;
  const isOfTests = part.hasFiles && end === testsFailed && failures.length > 0;
  if (end !== 0 && !isOfTests) return `It ended with ${end}; its output says why.`;
  if (running.length > 0) return `It ended before these files had: ${names}`;
  if (part.hasFiles && files.length === 0) return 'It ended without having run a file.';
  return undefined;
}

/** How long the processes of a part may take to clean up. */
export const graceMs = 120_000;
/** Compiled code, which `npm start` uses, too: half of the time of many files is the loading of the same modules. */
const compiled = fileURLToPath(new URL('../node_modules/.cache/berth-compiled', import.meta.url));
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Ends a part if this process is killed, and so can't. */
const reaper = new URL('play-reaper.ts', import.meta.url);

interface RunOptions {
  env: Record<string, string>;
  endSeconds: number;
  /** Is called with the id of the process group. */
  begun(group: number): void;
}

/**
 * Resolves with the exit status or the signal. After the timeout the processes are ended. A signal to this process is
 * passed on only once: a terminal and npm both send one, and a second one would interrupt the cleanup.
 */
async function run(
  [program = '', ...args]: string[],
  { env, endSeconds, begun }: RunOptions,
): Promise<number | string> {
  // It runs in a separate process group, so that all of its processes can be ended.
  const child = spawn(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
    env: { NODE_COMPILE_CACHE: compiled, ...process.env, ...env },
  });
  if (child.pid !== undefined) begun(child.pid);
  let isLate = false;
  let isEnding = false;
  const kill = (name: NodeJS.Signals) => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (child.pid !== undefined && !hasEnded) process.kill(-child.pid, name);
  };
  const endIt = (name: NodeJS.Signals) => {
    if (isEnding) return;
    isEnding = true;
    kill(name);
    setTimeout(() => kill('SIGKILL'), graceMs).unref();
  };
  const end = setTimeout(() => {
    isLate = true;
    endIt('SIGTERM');
  }, endSeconds * 1000);
  for (const name of endingSignals) process.on(name, endIt);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, name) => resolve(isLate ? 'too late' : (code ?? name ?? 1)));
    });
  } finally {
    clearTimeout(end);
    for (const name of endingSignals) process.off(name, endIt);
  }
}
