import type { Cli } from '../cli.ts';
import { Failure } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';
import { canAsk } from '../io.ts';
import { ask } from '../prompts/ask.ts';

/**
 * Asks before something destructive. Without a terminal nobody may ever answer, so it is refused there.
 *
 * @param what what will happen, as a sentence
 * @param alsoMissing what else the command lacks without a terminal, as a sentence
 */
export async function confirm(
  cli: Cli,
  what: string,
  isConfirmed: boolean | undefined,
  alsoMissing?: string,
) {
  if (isConfirmed) return;
  const status = exitStatuses.not_confirmed;
  if (!canAsk(cli.io)) {
    const message = `${what} This needs confirmation, and nobody can be asked here.`;
    const hint = ['To confirm it, add --yes.', alsoMissing].filter(Boolean).join('\n');
    throw new Failure(message, { hint, status });
  }
  const isWanted = await ask(cli.io, ({ confirm }, context) =>
    confirm({ message: `${what} Continue?`, default: false }, context),
  );
  if (!isWanted) throw new Failure('Nothing was changed.', { status });
}
