import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorBody, syncBody } from './answers.ts';
import type { Events } from './events.ts';
import type { OperationFault, Point } from './faults.ts';
import { isRefusal, refusal, refuse } from './refusal.ts';

/** Incus deletes an operation so long after its end. */
const keptMs = 5000;

const statusCodes = { Pending: 105, Running: 103, Success: 200, Failure: 400 } as const;

interface Operation {
  id: string;
  project: string;
  description: string;
  class: 'task' | 'websocket';
  resources: Record<string, string[]>;
  location: string;
  createdAt: Date;
  updatedAt: Date;
  status: keyof typeof statusCodes;
  metadata: Record<string, unknown> | null;
  failure?: { text: string; status: number };
  ended: Promise<void>;
}

/** An operation as Incus shows it. */
export type RenderedOperation = ReturnType<typeof render>;

export interface NewOperation {
  project: string;
  description: string;
  /** `websocket` if clients connect to it; the default is `task`. */
  class?: 'websocket';
  metadata?: Record<string, unknown>;
  /** URLs by kind, with their project. */
  resources?: Record<string, string[]>;
  location?: string;
  fault?: OperationFault | undefined;
}

/** The functions that the work of an operation can use. */
export interface Work {
  /** Waits. Never resolves if the daemon is killed meanwhile, so that the rest is never done. */
  pause(ms: number): Promise<void>;
  /** The same for another event. */
  until<T>(event: Promise<T>): Promise<T>;
  /** Fails here if a fault says so. */
  reach(point: Point): void;
  metadata(metadata: Record<string, unknown>): void;
}

export interface Operations {
  /** Starts an operation, and returns its initial state. */
  start(operation: NewOperation, run: (work: Work) => Promise<void>): RenderedOperation;
  get(id: string): RenderedOperation;
  /** The operations of a project, or of all projects, by status in lower case. */
  list(project: string | undefined): Record<string, RenderedOperation[]>;
  /** The body of the response to a wait; -1 waits forever. */
  wait(id: string, seconds: number): Promise<string>;
  /**
   * Simulates the end of the daemon: operations in progress stop where they are, and all are
   * deleted.
   */
  forgetAll(): void;
}

function render(operation: Operation) {
  const { id, description, createdAt, updatedAt, status, resources, metadata } = operation;
  return {
    id,
    class: operation.class,
    description,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    status,
    status_code: statusCodes[status] as number,
    resources,
    metadata,
    may_cancel: false,
    err: operation.failure?.text ?? '',
    location: operation.location,
  };
}

/** A new promise each time: waiters of a shared one would never be released. */
const never = () => new Promise<never>(() => {});

export function createOperations(events: Events): Operations {
  const operations = new Map<string, Operation>();
  let daemon = newDaemon();

  function report(operation: Operation): void {
    events.operation(operation.project, render(operation));
  }

  function workOf(operation: Operation, fault: OperationFault | undefined): Work {
    const { signal } = daemon;
    const until = async <T>(event: Promise<T>) => {
      const value = await event;
      return signal.aborted ? await never() : value;
    };
    return {
      until,
      // The end of the daemon interrupts it; `until` never resolves in that case.
      pause: (ms) => until(sleep(ms, undefined, { signal, ref: false }).catch(() => {})),
      reach(point) {
        if (fault?.at === point) throw refusal(fault.text, fault.status);
      },
      metadata(metadata) {
        operation.metadata = { ...operation.metadata, ...metadata };
        operation.updatedAt = new Date();
        report(operation);
      },
    };
  }

  async function carryOut(operation: Operation, run: () => Promise<void>): Promise<void> {
    try {
      await run();
      operation.status = 'Success';
    } catch (error) {
      if (!isRefusal(error)) throw error;
      operation.status = 'Failure';
      operation.failure = { text: error.message, status: error.status };
    }
    report(operation);
    setTimeout(() => operations.delete(operation.id), keptMs).unref();
  }

  const find = (id: string) => operations.get(id) ?? refuse('Operation not found', 404);

  return {
    start({ fault, ...given }, run) {
      const now = new Date();
      const operation: Operation = {
        class: 'task',
        resources: {},
        location: 'none',
        metadata: null,
        ...given,
        id: randomUUID(),
        createdAt: now,
        updatedAt: now,
        status: 'Pending',
        ended: never(),
      };
      operations.set(operation.id, operation);
      report(operation);
      operation.status = 'Running';
      const shown = render(operation);
      report(operation);
      const work = workOf(operation, fault);
      operation.ended = carryOut(operation, async () => {
        // Incus responds before the work has started.
        await work.pause(0);
        work.reach('begin');
        await run(work);
        work.reach('end');
      });
      return shown;
    },
    get: (id) => render(find(id)),
    list(project) {
      const wanted = [...operations.values()].filter((o) => (project ?? o.project) === o.project);
      return Object.groupBy(wanted.map(render), ({ status }) => status.toLowerCase()) as Record<
        string,
        RenderedOperation[]
      >;
    },
    wait(id, seconds) {
      const operation = find(id);
      return waitBody(operation, seconds);
    },
    forgetAll() {
      operations.clear();
      daemon.abort();
      daemon = newDaemon();
    },
  };
}

/** The end of the daemon also ends its work. */
function newDaemon(): AbortController {
  const daemon = new AbortController();
  setMaxListeners(0, daemon.signal);
  return daemon;
}

async function waitBody(operation: Operation, seconds: number): Promise<string> {
  const timer = new AbortController();
  // Aborted below, when nothing waits for it any more.
  const timeOver =
    seconds < 0
      ? never()
      : sleep(seconds * 1000, undefined, { ref: false, signal: timer.signal }).catch(() => {});
  await Promise.race([operation.ended, timeOver]);
  timer.abort();
  const { failure, status } = operation;
  if (failure) return errorBody(failure.text, failure.status);
  // In Incus 6.0 this looks the same as a failure of the operation itself.
  if (status !== 'Success') return errorBody('context deadline exceeded', 500);
  return syncBody(render(operation));
}
