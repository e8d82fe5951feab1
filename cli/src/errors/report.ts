import { inspect } from 'node:util';
import type { Cli } from '../cli.ts';
import { printable, styleFor } from '../output/style.ts';
import { withCommands } from './commands.ts';
import { explain } from './explain.ts';
import { Reported } from './failure.ts';

/** Prints an error for people, and returns the exit status. */
export function report({ io }: Pick<Cli, 'io'>, error: unknown): number {
  if (error instanceof Reported) return error.status;
  const explained = explain(error);
  const style = styleFor(io.stderr, io.env);
  if (!explained) {
    io.stderr.write(`${style('red', 'berth failed unexpectedly:')}\n${inspect(error)}\n`);
    return 1;
  }
  const { message, hints, status } = explained;
  io.stderr.write(`${style('red', 'Error:')} ${printable(withCommands(message))}\n`);
  for (const hint of hints) io.stderr.write(`${printable(withCommands(hint))}\n`);
  return status;
}
