import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Io } from '../io.ts';

/** All of standard input. Ctrl-C ends the reading. */
export const readStdin = ({ stdin, signal }: Io): Promise<Buffer> =>
  buffer(addAbortSignal(signal, stdin as Readable));
