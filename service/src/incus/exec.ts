import type { WebSocket } from 'ws';
import type { OperationCalls } from './operations.ts';
import type { Api } from './transport/api.ts';
import type { IncusConnection } from './transport/connection.ts';
import { EngineError } from './transport/errors.ts';
import { openOperationSockets } from './transport/operation-sockets.ts';

export interface ExecOptions {
  signal?: AbortSignal | undefined;
  /** The time after which the program is killed, and the call throws `timeout`. */
  timeoutSeconds: number;
}

/** The exit statuses of a shell, for which Incus has these errors (Incus 6.0, `driver_lxc_cmd.go`). */
const failedStarts: readonly (readonly [RegExp, number])[] = [
  [/^Command not found$/, 127],
  [/^Command not executable$/, 126],
];

/** How much a program may print before it is killed. */
const mostOutputBytes = 64 * 1024;
const what = 'The connection to a program';

export type ExecCalls = ReturnType<typeof execCalls>;

/**
 * Creates the calls that run programs in instances. Their arguments are in the log and in the events of Incus, and so
 * must not contain secrets. Their standard input is not.
 */
export function execCalls(api: Api, connection: IncusConnection, operations: OperationCalls) {
  return {
    /**
     * Runs a program as root in a running instance, gives it `input`, and waits for its end. Returns its exit status: 127
     * if there is no such program. What it prints is discarded, because the guest controls it, and a program that prints
     * more than 64 KiB is killed. Throws `busy` if the instance is not running, and `invalid` if it is frozen. The input
     * is not sent once `signal` is aborted.
     */
    async run(
      instance: string,
      command: readonly string[],
      input: string,
      options: ExecOptions,
    ): Promise<number> {
      const { signal, timeoutSeconds } = options;
      const how = { interactive: false, 'wait-for-websocket': true, environment: {} };
      const request = {
        method: 'POST' as const,
        path: ['instances', instance, 'exec'],
        query: { project: api.project },
        json: { command, ...how },
      };
      const { id, metadata } = await api.startOperation(request, { signal });
      const { fds } = metadata as { fds: Record<string, string> };
      const secrets = [fds['0'], fds['1'], fds['2']];
      const sockets = await openOperationSockets(connection, { id, secrets, what, signal });
      try {
        const [stdin] = sockets;
        limitOutput(sockets);
        signal?.throwIfAborted();
        stdin?.send(Buffer.from(input));
        // The end of the input.
        stdin?.send('');
        const ended = await operations.wait(id, { signal, timeoutSeconds });
        if (ended.outcome === 'vanished') throw new EngineError('failed', `${what} was lost`);
        const status = ended.operation.metadata?.return;
        if (typeof status === 'number') return status;
        throw new EngineError('failed', 'Incus did not say how a program ended');
      } catch (error) {
        return statusOf(error);
      } finally {
        // Incus kills a program that is still running.
        terminate(sockets);
      }
    },
  };
}

function statusOf(error: unknown): number {
  const [, status] =
    failedStarts.find(([words]) => error instanceof EngineError && words.test(error.message)) ?? [];
  if (status === undefined) throw error;
  return status;
}

function terminate(sockets: WebSocket[]): void {
  for (const socket of sockets) socket.terminate();
}

/** Ends the connections, and so the program, once it has printed too much. */
function limitOutput(sockets: WebSocket[]): void {
  let bytes = 0;
  for (const socket of sockets) {
    socket.on('message', (data: Buffer) => {
      bytes += data.length;
      if (bytes > mostOutputBytes) terminate(sockets);
    });
  }
}
