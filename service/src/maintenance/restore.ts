import { counted } from '../lib/counted.ts';
import { defineNodeOperation, type NodeStepContext } from '../nodes/define-operation.ts';
import { done, fail, next } from '../operations/define.ts';
import { operationTitles } from '../operations/titles.ts';
import { setMemberState } from './member.ts';
import { type MovingState, moveServers, stayingSentence } from './moving.ts';
import { serversTakenFrom, setEvacuated } from './moving-queries.ts';

type Context = NodeStepContext<MovingState>;

/**
 * Makes Incus put a node back into service, and moves back the servers that its evacuation moved
 * away.
 */
export const restoreOperation = defineNodeOperation<MovingState>({
  kind: 'restore',
  title: operationTitles.restore,
  deadlineSeconds: 6 * 3600,
  first: 'engine',
  failures: ['engine_restore_failed', 'not_a_member', 'servers_left'],
  steps: {
    engine: { weight: 1, doing: 'putting it back into service', run: putIntoService },
    move: { weight: 9, doing: 'moving its servers back', run: move },
  },
  failed: async () => undefined,
});

async function putIntoService(context: Context) {
  const unlessDone = await setMemberState(context, 'restore');
  if (unlessDone) return unlessDone;
  await setEvacuated(context.db, context.node.id, false);
  return next<MovingState>('move');
}

async function move(context: Context) {
  const { db, node, operation } = context;
  // Somebody has taken it out of service meanwhile.
  if (node.evacuated) return next<MovingState>('engine');
  const servers = await serversTakenFrom(db, operation);
  const result = await moveServers(context, servers, { node: node.name });
  if ('waiting' in result) return result.waiting;
  const { left, moved } = result;
  if (left.some(({ hasFailed }) => hasFailed)) return fail('servers_left', stayingSentence(left));
  const back = `${counted(moved, 'server was', 'servers were')} moved back`;
  const staying = left.length > 0 ? ` ${stayingSentence(left)}` : '';
  return done(`The node ${node.name} was restored: ${back}.${staying}`, async () => undefined);
}
