import {
  BerthError,
  ConnectionFailedError,
  type Operation,
  WaitTimeoutError,
  waitForOperation,
} from '@berth/client';
import type { Cli } from '../cli.ts';
import { Failure } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';

export interface Waiting {
  wait: boolean;
  timeout?: number | undefined;
}

/** Waits for an operation, and shows its progress in words and as a bar. */
export async function follow(
  cli: Cli,
  id: number | string,
  what: string,
  { timeout }: Pick<Waiting, 'timeout'> = {},
): Promise<Operation> {
  const line = cli.progress.start(what);
  const bar = cli.io.stderr.isTTY ? await drawBar() : () => '';
  try {
    return await waitForOperation(cli.berth(), id, {
      onProgress: ({ message, progress }) => line.say(`${what}  ${bar(progress)}  ${message}`),
      signal: cli.io.signal,
      timeoutMs: timeout === undefined ? undefined : timeout * 1000,
    });
  } catch (error) {
    if (cli.io.signal.aborted || isOfRequest(error)) {
      line.end();
      cli.note(
        `The operation continues. Follow it with "berth operation watch ${id}", or end it with "berth operation cancel ${id}".`,
      );
    }
    if (!(error instanceof WaitTimeoutError)) throw error;
    const hint = `Wait for it with "berth operation watch ${id}".`;
    throw new Failure(error.detail, { hint, status: exitStatuses.timeout, cause: error });
  } finally {
    line.end();
  }
}

/** Whether the state of the operation could not be read. If the operation itself fails, its error has no status. */
const isOfRequest = (error: unknown) =>
  error instanceof ConnectionFailedError ||
  // After 404, there is no such operation.
  (error instanceof BerthError && error.status !== undefined && error.status !== 404);

async function drawBar(): Promise<(progress: number) => string> {
  const { default: cliProgress } = await import('cli-progress');
  const options = {
    barsize: 20,
    barCompleteString: '█'.repeat(20),
    barIncompleteString: '░'.repeat(20),
    barGlue: '',
  };
  return (progress) =>
    `${cliProgress.Format.BarFormat(progress / 100, options)} ${String(progress).padStart(3)} %`;
}
