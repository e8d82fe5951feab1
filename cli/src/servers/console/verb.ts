import { type ConsoleEnd, openConsole } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../../cli.ts';
import { Failure, usageFailure } from '../../errors/failure.ts';
import { type ExitStatus, exitStatuses } from '../../exit-statuses.ts';
import { clearScreen, rawTerminal, sizeOf } from './terminal.ts';

export const consoleVerb = (cli: Cli) =>
  new Command('console')
    .summary('Use the console of a server in this terminal')
    .description(
      'Use the console of a server in this terminal, as if a screen and a keyboard were connected to it. This works without its network. Ctrl-] leaves the console, and what runs there continues.',
    )
    .argument('<server>', 'its name or ID')
    .action(async (server) => {
      const { stdin, stdout, signal } = cli.io;
      if (!stdin.isTTY || !stdout.isTTY) {
        throw usageFailure(
          'A console needs a terminal: standard input or output is none.',
          'To run a command on the server in a script, use "berth server ssh".',
        );
      }
      const end = await useConsole(cli, server);
      signal.throwIfAborted();
      if (!end) return cli.note('You have left the console.');
      const { code, reason } = end;
      if (code === 1000) return cli.note(reason);
      throw new Failure(reason, {
        status: statuses[code] ?? exitStatuses.failed,
        hint: codesToTryAgain.has(code) ? 'Run the command again to go on.' : undefined,
      });
    });

/** The exit statuses of the codes with which the service closes a console. */
const statuses: Record<number, ExitStatus> = {
  1006: exitStatuses.unreachable,
  1011: exitStatuses.unreachable,
  4401: exitStatuses.not_signed_in,
  4404: exitStatuses.not_found,
  4409: exitStatuses.conflict,
  4429: exitStatuses.unreachable,
};
/** After which the console can be opened once more. */
const codesToTryAgain = new Set([1011, 4408, 4409, 4429]);

/** Returns why the console has ended, or undefined if somebody left it. */
async function useConsole(
  { io, berth, note }: Cli,
  server: string,
): Promise<ConsoleEnd | undefined> {
  const { stdout, signal } = io;
  const terminal = rawTerminal(io, {
    onInput: (bytes) => console.write(bytes),
    onLeave: () => console.close(),
  });
  const resized = () => console.resize(sizeOf(stdout));
  let wasConnected = false;
  let isLost = false;
  const console = openConsole(berth(), server, {
    ...{ size: sizeOf(stdout), signal },
    onOutput: (bytes) => {
      stdout.write(bytes);
    },
    onState(state) {
      if (state === 'connected') {
        // The last output is sent again.
        if (wasConnected) stdout.write(clearScreen);
        else note('Ctrl-] leaves the console. If nothing is shown, press Enter.');
        wasConnected = true;
        isLost = false;
        terminal.enter();
      } else if (wasConnected && !isLost) {
        isLost = true;
        note('\nThe connection was lost, and is tried again. Ctrl-] ends this.');
      }
    },
  });
  stdout.on('resize', resized);
  try {
    return await console.ended;
  } finally {
    stdout.off('resize', resized);
    terminal.leave();
  }
}
