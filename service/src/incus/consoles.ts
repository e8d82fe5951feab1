import type { WebSocket } from 'ws';
import { type Api, type CallOptions, errorOf } from './transport/api.ts';
import type { IncusConnection } from './transport/connection.ts';
import { EngineError } from './transport/errors.ts';
import { openOperationSockets } from './transport/operation-sockets.ts';
import type { WireResponse } from './transport/transport.ts';

/** The console of an instance, to which nobody else is connected. */
export interface EngineConsole {
  /** The operation of Incus, which ends with the connection. */
  operation: string;
  /** Binary messages are what the guest prints, and what is typed. Paused until the caller reads it. */
  data: WebSocket;
  resize(size: ConsoleSize): void;
  close(): void;
}

export interface ConsoleSize {
  columns: number;
  rows: number;
}

export type ConsoleCalls = ReturnType<typeof consoleCalls>;

const what = 'The connection to a console';

export function consoleCalls(api: Api, connection: IncusConnection) {
  const path = (instance: string) => ['instances', instance, 'console'];
  return {
    /**
     * Connects to the console of a running instance, and ends the connection of whoever has it: Incus allows one at a
     * time. Throws `busy` if the instance is not running, and `invalid` if it is frozen.
     */
    async open(instance: string, options: CallOptions): Promise<EngineConsole> {
      const request = {
        method: 'POST' as const,
        path: path(instance),
        query: { project: api.project },
        // Without `force`, Incus refuses the second one (API extension `console_force`).
        json: { type: 'console', force: true },
      };
      const { id, metadata } = await api.startOperation(request, options);
      const { fds } = metadata as { fds: Record<string, string> };
      const secrets = [fds['0'], fds.control];
      const { signal } = options;
      const sockets = { id, secrets, what, isPaused: true, signal } as const;
      const [data, control] = await openOperationSockets(connection, sockets);
      if (!data || !control) throw new EngineError('failed', 'Incus named no connections');
      control.resume();
      return {
        operation: id,
        data,
        resize({ columns, rows }) {
          const args = { width: String(columns), height: String(rows) };
          if (control.readyState === control.OPEN)
            control.send(JSON.stringify({ command: 'window-resize', args }));
        },
        close() {
          data.terminate();
          control.terminate();
        },
      };
    },

    /**
     * Returns the last bytes that a running container has printed on its console. Incus keeps a few hundred KiB of them,
     * and none of virtual machines, for which it throws.
     */
    log: (instance: string, most: number, options: CallOptions): Promise<Buffer> =>
      api.read(
        { method: 'GET', path: path(instance), query: { project: api.project } },
        options,
        (response) => readEnd(response, most),
      ),
  };
}

/** The guest determines the length, so no more than the end is kept in memory. */
async function readEnd(response: WireResponse, most: number): Promise<Buffer> {
  if (response.statusCode >= 400) throw await errorOf(response);
  let end = Buffer.alloc(0);
  for await (const chunk of response.body) end = Buffer.concat([end, chunk]).subarray(-most);
  return end;
}
