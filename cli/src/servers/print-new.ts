import type { Cli } from '../cli.ts';
import { printDone } from '../output/print.ts';
import type { Schemas } from '../schemas.ts';
import { primaryAddress, serverColumns } from './columns.ts';

/** A server, with what programs cannot read of it later. */
type NewServer = Schemas['Server'] & { operation?: Schemas['OperationOutcome']; password?: string };

/** Prints a server that has just come to be, with its address. `state` says what has become of it, such as "is created". */
export async function printNew(cli: Cli, server: NewServer, state: string): Promise<void> {
  const address = primaryAddress(server);
  const where = address ? `: ${address}` : '';
  const sentence = `Server ${server.hostname} (${server.id}) ${state}${where}.`;
  await printDone(cli, serverColumns, server, sentence);
}
