import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import { started } from './answers.ts';
import type { Engine } from './engine.ts';
import { askedInstance, operationOn } from './inventory.ts';
import type { Work } from './operations.ts';
import { shownStatus } from './power.ts';
import { refuse } from './refusal.ts';
import { jsonBody, type Routes } from './router.ts';
import type { Run } from './runs.ts';
import { createTerminal, type Terminal } from './terminal.ts';

interface Asked {
  type?: string;
  force?: boolean;
}

const terminals = new WeakMap<Run, Terminal>();
/** The connection to the console of a run. */
const connections = new WeakMap<Run, Connection>();

/** The console of a guest, from its start to its end. */
export function terminalOf(run: Run): Terminal {
  const known = terminals.get(run);
  if (known) return known;
  const terminal = createTerminal(run.guestName);
  terminals.set(run, terminal);
  void run.ended.then(terminal.disconnect);
  return terminal;
}

export function consoleRoutes(engine: Engine): Routes {
  return {
    'GET /1.0/instances/:name/console': (call) => {
      const { run, type } = askedInstance(engine, call);
      if (type !== 'container') refuse('Log type is only supported by containers', 400);
      return {
        status: 200,
        headers: { 'content-type': 'application/octet-stream' },
        body: run ? terminalOf(run).log() : Buffer.alloc(0),
      };
    },
    'POST /1.0/instances/:name/console': async (call) => {
      const instance = askedInstance(engine, call);
      const { force } = await jsonBody<Asked>(call);
      const { run } = instance;
      if (shownStatus(instance) === 'Stopped' || !run) refuse('Instance is not running', 400);
      if (instance.status === 'Frozen') refuse('Instance is frozen', 400);
      const held = connections.get(run);
      if (held && !force) {
        refuse('This console is already connected. Force is required to take it over.');
      }
      held?.close();
      const connection = openConnection(run);
      connections.set(run, connection);
      const operation = engine.operations.start(
        {
          ...operationOn(instance, 'Showing console', call),
          class: 'websocket',
          metadata: { fds: connection.secrets },
        },
        (work) => showIn(work, run, connection),
      );
      engine.sessions.set(operation.id, connection);
      void connection.closed.then(() => engine.sessions.delete(operation.id));
      return started(operation);
    },
  };
}

type Connection = ReturnType<typeof openConnection>;

/** Lasts until the client leaves, even if the guest has stopped meanwhile. */
async function showIn(work: Work, run: Run, connection: Connection): Promise<void> {
  try {
    await work.until(connection.closed);
  } finally {
    connection.close();
    if (connections.get(run) === connection) connections.delete(run);
  }
}

function openConnection(run: Run) {
  const terminal = terminalOf(run);
  const names = ['0', 'control'];
  const secrets = Object.fromEntries(names.map((name) => [name, randomBytes(32).toString('hex')]));
  const sockets = new Map<string, WebSocket>();
  const closed = Promise.withResolvers<void>();

  function take(name: string, socket: WebSocket): void {
    sockets.set(name, socket);
    // Incus ends the session when the client closes either.
    socket.on('close', () => closed.resolve());
    socket.on('message', (data: Buffer) => {
      // Incus passes on a size that the control connection sets only if it comes before the guest is connected.
      if (name !== '0') return;
      // Incus notices the end of a guest only when it cannot pass something on to it.
      if (run.isOver()) closed.resolve();
      else terminal.type(data);
    });
    if (name === '0') terminal.connect((bytes) => sent(socket, bytes));
  }

  return {
    secrets,
    closed: closed.promise,
    takerOf(secret: string) {
      const name = names.find((one) => secrets[one] === secret && !sockets.has(one));
      return name === undefined ? undefined : (socket: WebSocket) => take(name, socket);
    },
    close() {
      if (sockets.has('0')) terminal.disconnect();
      for (const socket of sockets.values()) socket.close();
      closed.resolve();
    },
  };
}

/** Resolves when the client has room for more, or is gone. */
function sent(socket: WebSocket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.send(bytes, { binary: true }, () => resolve());
  });
}
