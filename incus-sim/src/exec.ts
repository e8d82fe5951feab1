import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { started } from './answers.ts';
import { terminalOf } from './console.ts';
import type { Engine } from './engine.ts';
import { execute, machineOf } from './guest.ts';
import { askedInstance, operationOn } from './inventory.ts';
import type { Instance } from './model.ts';
import type { Work } from './operations.ts';
import { guestPowersOff, reportAct, shownStatus } from './power.ts';
import { refuse } from './refusal.ts';
import { jsonBody, type Routes } from './router.ts';
import type { Run } from './runs.ts';
import { setHashes } from './shadow.ts';
import { programs } from './shell.ts';

/** The connections of a program that runs in an instance, by their secrets. */
export interface Session {
  /** The function that takes over a connection; undefined for an unknown secret. */
  takerOf(secret: string): ((socket: WebSocket) => void) | undefined;
}

interface Asked {
  command: string[];
  'wait-for-websocket'?: boolean;
  interactive?: boolean;
  environment?: Record<string, string>;
}

/** Incus waits so long for the connections. */
const connectMs = 5000;
const notFound = 127;
const killed = 137;

export function execRoutes(engine: Engine): Routes {
  return {
    'POST /1.0/instances/:name/exec': async (call) => {
      const instance = askedInstance(engine, call);
      const asked = await jsonBody<Asked>(call);
      if (shownStatus(instance) === 'Stopped') refuse('Instance is not running', 400);
      if (instance.status === 'Frozen') refuse('Instance is frozen', 400);
      if (!asked['wait-for-websocket'] || asked.interactive) {
        refuse('The simulator only runs programs with three websockets', 400);
      }
      const pipes = openPipes();
      const { command, environment = {}, interactive = false } = asked;
      const operation = engine.operations.start(
        {
          ...operationOn(instance, 'Executing command', call),
          class: 'websocket',
          metadata: { command, environment, interactive, fds: pipes.secrets },
        },
        (work) => runIn(engine, work, instance, { command, pipes }),
      );
      engine.sessions.set(operation.id, pipes);
      void pipes.closed.then(() => engine.sessions.delete(operation.id));
      return started(operation);
    },
  };
}

type Pipes = ReturnType<typeof openPipes>;

function openPipes() {
  const names = ['0', '1', '2', 'control'];
  const secrets = Object.fromEntries(names.map((name) => [name, randomBytes(16).toString('hex')]));
  const sockets = new Map<string, WebSocket>();
  const connected = Promise.withResolvers<void>();
  const input = Promise.withResolvers<string>();
  const left = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let text = '';

  function take(name: string, socket: WebSocket): void {
    sockets.set(name, socket);
    if (name === '0') {
      // A text message ends the input.
      socket.on('message', (data, isBinary) => {
        if (isBinary) text += String(data);
        else input.resolve(text);
      });
    }
    // Incus kills a program whose output nobody reads.
    if (name === '1') socket.on('close', () => left.resolve());
    if (['0', '1', '2'].every((one) => sockets.has(one))) connected.resolve();
  }

  return {
    secrets,
    connected: connected.promise,
    input: input.promise,
    left: left.promise,
    closed: closed.promise,
    /** Prints without an end, as long as somebody reads it. */
    flood(): void {
      const socket = sockets.get('1');
      const chunk = Buffer.from('y\n'.repeat(2 ** 14));
      const print = () => {
        if (socket?.readyState !== socket?.OPEN) return;
        socket?.send(chunk, () => setImmediate(print));
      };
      print();
    },
    takerOf(secret: string) {
      const name = names.find((one) => secrets[one] === secret && !sockets.has(one));
      return name === undefined ? undefined : (socket: WebSocket) => take(name, socket);
    },
    close() {
      for (const socket of sockets.values()) socket.close();
      closed.resolve();
    },
  };
}

/** Halfway, the program has not begun. */
async function runIn(
  engine: Engine,
  work: Work,
  instance: Instance,
  { command, pipes }: { command: string[]; pipes: Pipes },
): Promise<void> {
  try {
    const late = sleep(connectMs, 'late', { ref: false });
    const isLate = (await work.until(Promise.race([pipes.connected, late]))) === 'late';
    if (isLate) refuse('Timed out waiting for websockets to connect');
    work.reach('half');
    const { run } = instance;
    if (!run) return refuse('Failed to retrieve PID of executing child process');
    reportAct(engine, instance, 'instance-exec', { context: { command } });
    const ended = runProgram(command, pipes, { engine, instance, run });
    const ends = [ended, pipes.left.then(() => killed), run.ended.then(() => killed)];
    const status = await work.until(Promise.race(ends));
    work.metadata({ return: status });
    if (status === notFound) refuse('Command not found', 400);
  } finally {
    pipes.close();
  }
}

interface Place {
  engine: Engine;
  instance: Instance;
  run: Run;
}

/** Runs one of a few programs. Returns its exit status. */
async function runProgram(
  command: string[],
  pipes: Pipes,
  { engine, instance, run }: Place,
): Promise<number> {
  const [program = '', option] = command;
  const text = ['cat', 'chpasswd'].includes(program) ? await pipes.input : '';
  const { programs: fault } = engine.faults.ofGuest(instance.name);
  const floods = fault === 'floods' || program === 'yes';
  if (floods) pipes.flood();
  if (floods || fault === 'hangs') await new Promise(() => {});
  if (fault === 'fails') return 1;
  if (fault === 'missing') return notFound;
  if (fault === 'killed') return killed;
  if (program === 'cat') return 0;
  if (program === 'stty') return setSize(command, run);
  if (program === 'chpasswd') return option === '-e' && setHashes(instance.files, text) ? 0 : 1;
  if (!programs.includes(basename(program))) return notFound;
  const { status, power } = await execute(command, machineOf(instance, run));
  if (power) void guestPowersOff(engine, instance);
  return status;
}

/** `stty -F /dev/console cols COLUMNS rows ROWS` */
function setSize([, , device, ...settings]: string[], run: Run): number {
  const [columns, rows] = ['cols', 'rows'].map((name) => settings[settings.indexOf(name) + 1]);
  if (device !== '/dev/console' || !columns || !rows) return 1;
  Object.assign(terminalOf(run), { columns: Number(columns), rows: Number(rows) });
  return 0;
}
