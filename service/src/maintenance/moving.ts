import { Project } from '../db/project.ts';
import type { Placement } from '../db/schema/schema.ts';
import { counted } from '../lib/counted.ts';
import type { NodeStepContext } from '../nodes/define-operation.ts';
import type { StepResult } from '../operations/define.ts';
import { Problem } from '../problems/problem.ts';
import { enterAction } from '../servers/actions/enter.ts';
import { moveAction, type WantedMove } from '../servers/actions/move.ts';
import { countMoves, type ServerToMove } from './moving-queries.ts';

/** The state of an operation that moves the servers of a node. */
export interface MovingState {
  /** The reasons why servers can't be moved now, by their ids. These are not tried again. */
  refused: Record<string, string>;
}

/** A server that was not moved, and why. */
export interface Left {
  id: number;
  hostname: string;
  reason: string;
  /** Whether its move has begun and failed. */
  hasFailed: boolean;
}

const betweenLooksSeconds = 1.5;

/**
 * Begins moves, a few at once, each as a separate operation. It waits for busy servers, and a server that can't be
 * moved does not prevent other moves. Returns how to wait, or, when there is nothing left to wait for, the servers that
 * stay.
 */
export async function moveServers(
  context: NodeStepContext<MovingState>,
  servers: ServerToMove[],
  wanted: Pick<WantedMove, 'node' | 'evacuates'>,
): Promise<{ waiting: StepResult<MovingState> } | { moved: number; left: Left[] }> {
  const { db, node, operation, settings, signal } = context;
  const { moved, underWay } = await countMoves(db, operation.id);
  const refused = { ...operation.state.refused };
  const left: Left[] = [];
  let free = settings.movesAtOnce - underWay;
  let awaited = 0;
  for (const server of servers) {
    const { id, hostname, isBusy, failure } = server;
    const reason = failure ?? refused[id];
    if (isBusy) awaited += 1;
    else if (reason) left.push({ id, hostname, reason, hasFailed: failure !== null });
    else {
      // The rest is started at a later poll.
      awaited += 1;
      if (free <= 0 || node.status === 'offline' || signal.aborted) continue;
      const refusal = await begin(context, server, wanted);
      if (refusal) refused[id] = refusal;
      else free -= 1;
    }
  }
  if (awaited === 0) return { moved, left };
  const total = moved + servers.length;
  const doing = `${moved} of ${counted(total, 'server is', 'servers are')} moved`;
  const why = node.status === 'offline' ? 'waiting for the node to answer' : doing;
  const fraction = moved / total;
  const patch = { refused };
  return { waiting: { outcome: 'wait', seconds: betweenLooksSeconds, why, fraction, patch } };
}

/** Returns why a server can't be moved. If another request was first, it is checked again later. */
async function begin(
  { db, operation }: NodeStepContext<MovingState>,
  { id, projectId }: ServerToMove,
  wanted: Pick<WantedMove, 'node' | 'evacuates'>,
): Promise<string | undefined> {
  try {
    await db.transaction().execute(async (trx) => {
      const project = new Project(trx, projectId);
      const parentId = operation.id;
      await enterAction({ trx, project }, id, moveAction, { ...wanted, parentId });
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return passes(error, wanted.node) ? undefined : error.message;
  }
}

/**
 * Whether the reason is temporary: the target node is unreachable, or was just put into service. A
 * lack of capacity is not.
 */
function passes({ code, members }: Problem, node: string | undefined): boolean {
  if (code === 'no_capacity' && node !== undefined) {
    const { excluded } = members as { excluded: Placement['excluded'] };
    return excluded.offline !== undefined || excluded.evacuated !== undefined;
  }
  return ['operation_in_progress', 'server_not_found', 'unavailable'].includes(code);
}

const shownLeft = 5;

/** For example "2 servers stay where they are. 42 web-1: No node …". */
export function stayingSentence(left: Left[]): string {
  const count = counted(left.length, 'server stays', 'servers stay');
  const named = left.slice(0, shownLeft).map(({ id, hostname, reason }) => {
    return `${id} ${hostname}: ${reason}`;
  });
  const more = left.length > shownLeft ? [`And ${left.length - shownLeft} more.`] : [];
  return [`${count} where ${left.length === 1 ? 'it is' : 'they are'}.`, ...named, ...more].join(
    ' ',
  );
}
