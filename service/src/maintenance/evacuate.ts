import { counted } from '../lib/counted.ts';
import { defineNodeOperation, type NodeStepContext } from '../nodes/define-operation.ts';
import { done, fail, next } from '../operations/define.ts';
import { operationTitles } from '../operations/titles.ts';
import { setMemberState } from './member.ts';
import { type MovingState, moveServers, stayingSentence } from './moving.ts';
import { countMoves, serversOn, setEvacuated } from './moving-queries.ts';

type Context = NodeStepContext<MovingState>;

/**
 * Moves all servers away from a node, and then makes Incus take it out of service: see
 * docs/decisions/0008-an-evacuation-is-our-own.md.
 */
export const evacuateOperation = defineNodeOperation<MovingState>({
  kind: 'evacuate',
  title: operationTitles.evacuate,
  deadlineSeconds: 6 * 3600,
  first: 'move',
  failures: ['engine_evacuate_failed', 'not_a_member', 'servers_left'],
  steps: {
    move: { weight: 9, doing: 'moving its servers', run: move },
    engine: { weight: 1, doing: 'taking it out of service', run: takeOutOfService },
  },
  // The node stays cordoned. Another request continues with the rest.
  failed: async () => undefined,
});

async function move(context: Context) {
  const servers = await serversOn(context.db, context.operation);
  const result = await moveServers(context, servers, { evacuates: true });
  if ('waiting' in result) return result.waiting;
  const { left } = result;
  if (left.length === 0) return next<MovingState>('engine');
  const cordoned = context.node.cordoned ? ' The node stays cordoned.' : '';
  return fail('servers_left', `${stayingSentence(left)}${cordoned}`);
}

async function takeOutOfService(context: Context) {
  const { db, node, operation } = context;
  const unlessDone = await setMemberState(context, 'evacuate');
  if (unlessDone) return unlessDone;
  const { moved } = await countMoves(db, operation.id);
  const servers = `${counted(moved, 'server was', 'servers were')} moved`;
  return done(`The node ${node.name} was evacuated: ${servers}.`, (trx) =>
    setEvacuated(trx, node.id, true),
  );
}
