import { inspect } from 'node:util';
import type { Cli } from '../cli.ts';
import { printable, styleFor } from '../output/style.ts';
import { withCommands } from './commands.ts';
import { explain } from './explain.ts';
import { Reported } from './failure.ts';

/**
 * Prints an error for people, and returns the exit status.
 *
 * @param about one of several things that was being changed, which the error may not name
 */
export function report(cli: Pick<Cli, 'io' | 'command'>, error: unknown, about = ''): number {
  const { io, command } = cli;
  if (error instanceof Reported) return error.status;
  const explained = explain(error, command);
  const style = styleFor(io.stderr, io.env);
  if (!explained) {
    io.stderr.write(`${style('red', 'berth failed unexpectedly:')}\n${inspect(error)}\n`);
    return 1;
  }
  const { message, hints, status } = explained;
  const isNamed = message.split(/[^\w.-]+/).some((word) => word.replace(/\.$/, '') === about);
  const whose = about === '' || isNamed ? '' : `${about}: `;
  io.stderr.write(`${style('red', 'Error:')} ${printable(whose + withCommands(message))}\n`);
  for (const hint of hints) io.stderr.write(`${printable(withCommands(hint))}\n`);
  return status;
}
