import type { Instance } from '../../incus/instances.ts';
import { counted } from '../../lib/counted.ts';
import { done, fail, next, type StepResult } from '../../operations/define.ts';
import type { OperationRow } from '../../operations/queries.ts';
import { operationTitles } from '../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import { isRunning } from '../engine/engine.ts';
import {
  isSame,
  type Sizes,
  setLimits,
  setSize,
  sizeHeld,
  takeBackDeferred,
} from '../engine/size.ts';
import type { ServerSize } from '../queries.ts';
import { showEngineStatus } from '../truth.ts';
import {
  setNotResized,
  setPartlyResized,
  setServerMoved,
  setServerResized,
} from '../worker-queries.ts';
import {
  busy,
  detailsOf,
  find,
  isFinal,
  isHeld,
  isThere,
  type MoveRequest,
  type MoveState,
  missing,
  moveFailures,
  recovery,
  startAgain,
  startThere,
  stepsToMove,
} from './move.ts';

/** The initial state of a resize: its sizes, and those of a move if it moves to another node for that. */
export type ResizeRequest = Reserved & (({ moves: true } & MoveRequest) | { moves: false });

interface Reserved {
  sizes: Sizes;
  /** Whether it took over what an earlier resize had reserved, of which it was not seen how it ended. */
  isUnsettled?: boolean;
}

/** What belongs to a move is only there if it moves. */
interface ResizeState extends MoveState, Reserved {
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
  cancel: ({ server_id: id, state }) =>
    state.isUnsettled
      ? undefined
      : {
          during: ['look'],
          undo: (trx) => setNotResized(trx, id),
          words: ', and the server keeps its size',
        },
  async failed(trx, operation) {
    const { held } = operation.state as Partial<ResizeState>;
    // Otherwise the comparison with the engine records it.
    if (held) await setPartlyResized(trx, operation.server_id, held);
    await showEngineStatus(trx, operation);
  },
});

/**
 * Whether a resize may have begun to move its server. Any other can be superseded at any time: the comparison with the
 * engine records what it has changed (`reconcilers/truth.ts`).
 */
export const mayBeMoving = ({ kind, state, step }: OperationRow): boolean =>
  kind === resizeOperation.kind && state.moves === true && step !== resizeOperation.first;

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
  const where = `It was moved from ${from.name} to ${to.name} for that.`;
  const words = [newSize(sizes.wanted), where, ...detailsOf(context)];
  const state = isRunning(there.status) ? 'started' : 'stopped';
  const moved = { nodeId: to.id, evacuatedFrom: null, size: sizes.wanted };
  return done(words.join(' '), (trx) => setServerMoved(trx, server.id, state, moved));
}

/**
 * Gives the instance its cores and memory back, and starts it again if it was running. A disk that has grown stays. The
 * records follow what it then has, for which there is room in any case.
 */
async function recover(context: Context): Result {
  const { failure, held, moves, sizes, to } = context.operation.state;
  if (await isHeld(context)) return busy;
  const found = await find(context);
  if (!held) {
    return { outcome: 'wait', seconds: 0, patch: { held: await putBack(context, found) } };
  }
  if (!found) return fail(failure.code, failure.message);
  const words = [
    failure.message,
    isSame(held, sizes.before) ? 'The server keeps its size.' : newSize(held),
    ...(moves && isThere(context, found) ? [`It is on the node ${to.name} now.`] : []),
  ];
  return await startAgain(context, { ...failure, message: words.join(' ') });
}

/**
 * Returns the size that the server then has. If its guest now uses more memory than it had before, or the engine refuses,
 * that is not the one before.
 */
async function putBack(context: Context, found: Instance | null): Promise<ServerSize> {
  const { operation, log } = context;
  const { sizes } = operation.state;
  if (!found) return sizes.before;
  try {
    await takeBackDeferred(context, found, sizes);
    await setLimits(context, found, sizes.before);
  } catch (error) {
    if (!isFinal(error, operation)) throw error;
    log.warn(
      { err: error },
      'A server could not be given its size back after a resize that failed.',
    );
  }
  return sizeHeld((await find(context)) ?? found, sizes);
}

const newSize = ({ cpu, ramMb, diskGb }: ServerSize) =>
  `The server now has ${counted(cpu, 'core')}, ${ramMb} MiB of memory and ${diskGb} GiB of disk.`;
