import type { Answer, Operation } from '@berth/client';
import type { Cli } from '../cli.ts';
import { operationColumns } from '../operations/columns.ts';
import { printDone, printList } from '../output/print.ts';
import { printable } from '../output/style.ts';
import { each } from './each.ts';
import { follow, type Waiting } from './follow.ts';

/** The response to a request that starts an operation. */
export interface Started {
  message: string;
  operation: { id: number };
}

interface Settling extends Waiting {
  /** What is true when the operation has succeeded. */
  sentence(name: string): string;
}

interface Settled {
  operation: Operation;
  sentence: string;
}

/** Starts an operation, and waits for it unless `--no-wait` is given. */
export async function settle(
  cli: Cli,
  name: string,
  start: (name: string) => Promise<Answer<Started>>,
  { wait, timeout, sentence }: Settling,
): Promise<Settled> {
  const { data } = await start(name);
  const { id } = data.operation;
  if (wait) {
    const operation = await follow(cli, id, name, { timeout });
    return { operation, sentence: sentence(name) };
  }
  const shown = await cli
    .berth()
    .GET('/v1/operations/{id}', { params: { path: { id: String(id) } } });
  return { operation: shown.data, sentence: `${name}: ${data.message}` };
}

/** Does this for several names, and prints a sentence for each, or their operations. */
export async function settleAll(
  cli: Cli,
  names: readonly string[],
  start: (name: string) => Promise<Answer<Started>>,
  settling: Settling,
): Promise<void> {
  const { done, finish } = await each(cli, names, (name) => settle(cli, name, start, settling));
  const [first] = done;
  if (names.length === 1 && first) {
    await printDone(cli, operationColumns, first.operation, first.sentence);
  } else if (cli.globals.output === 'table') {
    cli.print(done.map(({ sentence }) => printable(sentence)).join('\n'));
  } else {
    await printList(
      cli,
      operationColumns,
      done.map(({ operation }) => operation),
    );
  }
  finish();
}
