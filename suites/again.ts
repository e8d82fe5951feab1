import { say } from '../setup/commands.mjs';
import { type Outcome, play } from './play.ts';

/** These files must pass every time, so they are never repeated. */
const neverAgain =
  /access|attacks|authentication|confirmation|credential|isolation|limits|network-policy|secret/;
/** The timeout for one file with its environment, such as a separate Incus. */
const endSeconds = 600;

/**
 * Runs each file of a part that failed once more, by itself. A file that passes then counts as passed, and its earlier
 * failures as flaky.
 */
export async function playAgain(outcome: Outcome): Promise<void> {
  const { part } = outcome;
  const ended = new Set(outcome.files.map(({ file }) => file));
  const files = new Set(outcome.failures.map(({ file }) => file).filter((file) => ended.has(file)));
  for (const file of files) {
    if (neverAgain.test(file)) continue;
    say(`\n== ${part.name}: ${file} failed, and is run again alone`);
    const again = await play(part, { files: [file], endSeconds });
    outcome.seconds += again.seconds;
    if (again.failures.length > 0) continue;
    const isOfFile = (failure: { file: string }) => failure.file === file;
    outcome.unsteady.push(...outcome.failures.filter(isOfFile));
    outcome.failures = outcome.failures.filter((failure) => !isOfFile(failure));
  }
}
