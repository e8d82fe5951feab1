import { say } from '../setup/commands.mjs';
import { graceSeconds, longest } from './limits.ts';
import { type Outcome, play } from './play.ts';

/**
 * These files must pass every time, so they are never repeated. That nothing is left is known only where the other files
 * have run.
 */
const neverAgain = [
  'access',
  'attacks',
  'authentication',
  'callers/',
  'confirmation',
  'consoles/connections',
  'consoles/routes',
  'credential',
  'db/project',
  'device-authorizations/',
  'e2e/first-start',
  'events/revoked',
  'hostile',
  'identities/',
  'isolation',
  '/keys/',
  '/left/',
  'limits',
  'network-policy',
  'passkeys/',
  'projects/',
  'rules-first',
  'secret',
  'sessions/',
  'tokens/',
  'users/',
  'webhooks/addresses',
];

/** More failures than that do not come from a busy machine. */
const mostFiles = 5;
/** The timeout for one file with its environment, such as a separate Incus. */
const endSeconds = longest.long + 5 * graceSeconds;

export const isRunAgain = (file: string): boolean =>
  !neverAgain.some((part) => file.includes(part));

/**
 * Runs each file of a part that failed once more, by itself. A file that passes then counts as passed, and its earlier
 * failures as flaky. Not if many have failed, and only while there are seconds left.
 */
export async function playAgain(
  outcome: Outcome,
  secondsLeft = () => Number.POSITIVE_INFINITY,
): Promise<void> {
  const { part } = outcome;
  const ended = new Set(outcome.files.map(({ file }) => file));
  const failed = new Set(outcome.failures.map(({ file }) => file));
  const files = [...failed].filter((file) => ended.has(file) && isRunAgain(file));
  if (files.length > mostFiles) return;
  for (const file of files) {
    const left = secondsLeft();
    if (left <= 0) return;
    say(`\n== ${part.name}: ${file} failed, and is run again alone`);
    const again = await play(part, { files: [file], endSeconds: Math.min(endSeconds, left) });
    outcome.seconds += again.seconds;
    if (again.failures.length > 0) continue;
    const isOfFile = (failure: { file: string }) => failure.file === file;
    outcome.unsteady.push(...outcome.failures.filter(isOfFile));
    outcome.failures = outcome.failures.filter((failure) => !isOfFile(failure));
  }
}
