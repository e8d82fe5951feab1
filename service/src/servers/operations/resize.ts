import { EngineError } from '../../incus/transport/errors.ts';
import { counted } from '../../lib/counted.ts';
import { done, fail, next, type StepResult } from '../../operations/define.ts';
import { operationTitles } from '../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import { isRunning } from '../engine/engine.ts';
import { type Sizes, setLimits, setSize, sizeHeld, takeBackDeferred } from '../engine/size.ts';
import { showEngineStatus } from '../truth.ts';
import { type ServerSize, setServerMoved, setServerResized } from '../worker-queries.ts';
import {
  busy,
  detailsOf,
  find,
  isHeld,
  isThere,
  type MoveRequest,
  type MoveState,
  maxAttempts,
  missing,
  moveFailures,
  recovery,
  startAgain,
  startThere,
  stepsToMove,
} from './move.ts';

/** The initial state of a resize: its sizes, and those of a move if it moves to another node for that. */
export type ResizeRequest = { sizes: Sizes } & (({ moves: true } & MoveRequest) | { moves: false });

/** What belongs to a move is only there if it moves. */
interface ResizeState extends MoveState {
  sizes: Sizes;
  moves: boolean;
  /** After a failure: the size that it has in the engine. */
  held: ServerSize;
}

type Context = ServerStepContext<ResizeState>;
type Result = Promise<StepResult<ResizeState>>;

const { look, ...otherSteps } = stepsToMove('size');

/**
 * Gives a server another size, running or not. If it moves for that, it gets the size where it arrives. The records
 * follow when the engine has confirmed it.
 */
export const resizeOperation = defineServerOperation<ResizeState>({
  kind: 'resize',
  title: operationTitles.resize,
  deadlineSeconds: 10 * 60,
  first: 'look',
  failures: [...moveFailures, 'memory_in_use', 'server_not_stopped'],
  steps: {
    look: {
      ...look,
      run: async (context) =>
        context.operation.state.moves ? await look.run(context) : next('size'),
    },
    ...otherSteps,
    size: { weight: 2, doing: 'setting its new size', run: size },
    start: { weight: 3, doing: 'starting it there', run: start },
    recover: { weight: 0, doing: 'bringing it back to how it was', run: recover },
  },
  recovery,
  async failed(trx, operation) {
    const { held } = operation.state as Partial<ResizeState>;
    await setServerResized(trx, operation.server_id, held);
    await showEngineStatus(trx, operation);
  },
});

async function size(context: Context): Result {
  const { operation } = context;
  const { moves, sizes } = operation.state;
  const found = await find(context);
  if (!found) return missing;
  const failure = await setSize(context, found, sizes);
  if (failure) return failure;
  if (moves) return next('start');
  return done(newSize(sizes.wanted), async (trx) => {
    await setServerResized(trx, operation.server_id, sizes.wanted);
    await showEngineStatus(trx, operation);
  });
}

async function start(context: Context): Result {
  const { operation, server } = context;
  const { from, to, sizes } = operation.state;
  const there = await startThere(context);
  if ('outcome' in there) return there;
  const moved = `It was moved from ${from.name} to ${to.name} for that.`;
  const words = [newSize(sizes.wanted), moved, ...detailsOf(context)];
  const state = isRunning(there.status) ? 'started' : 'stopped';
  return done(words.join(' '), async (trx) => {
    // In this order, its project is locked before its nodes, as in a create.
    await setServerResized(trx, server.id, sizes.wanted);
    await setServerMoved(trx, server.id, state, { nodeId: to.id, evacuatedFrom: null });
  });
}

/**
 * Gives the instance its cores and memory back, and starts it again if it was running. A disk that has grown stays. The
 * records follow what it then has, for which there is room in any case.
 */
async function recover(context: Context): Result {
  const { failure, held, moves, sizes, to } = context.operation.state;
  if (await isHeld(context)) return busy;
  const found = await find(context);
  if (!found) return fail(failure.code, failure.message);
  if (!held) {
    await putBack(context, found);
    const after = (await find(context)) ?? found;
    return { outcome: 'wait', seconds: 0, patch: { held: sizeHeld(after, sizes) } };
  }
  const words = [
    failure.message,
    isSame(held, sizes.before) ? 'The server keeps its size.' : newSize(held),
    ...(moves && isThere(context, found) ? [`It is on the node ${to.name} now.`] : []),
  ];
  return await startAgain(context, { ...failure, message: words.join(' ') });
}

/** If its guest now uses more memory than it had before, it keeps what it has. */
async function putBack(context: Context, found: Parameters<typeof setLimits>[1]): Promise<void> {
  const { operation, log } = context;
  const { before } = operation.state.sizes;
  try {
    await takeBackDeferred(context, found, before);
    await setLimits(context, found, before);
  } catch (error) {
    if (!(error instanceof EngineError) || operation.attempts < maxAttempts) throw error;
    log.warn(
      { err: error },
      'A server could not be given its size back after a resize that failed.',
    );
  }
}

const isSame = (one: ServerSize, other: ServerSize) =>
  one.cpu === other.cpu && one.ramMb === other.ramMb && one.diskGb === other.diskGb;

const newSize = ({ cpu, ramMb, diskGb }: ServerSize) =>
  `The server now has ${counted(cpu, 'core')}, ${ramMb} MiB of memory and ${diskGb} GiB of disk.`;
