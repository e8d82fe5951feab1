import { defineNodeOperation, type NodeStepContext } from '../nodes/define-operation.ts';
import { setForgotten } from '../nodes/lost-queries.ts';
import { done, fail, wait } from '../operations/define.ts';
import { operationTitles } from '../operations/titles.ts';
import { forgetMember } from './member.ts';

/** Makes Incus remove the member of a lost node, with all its records of instances. */
export const declareLostOperation = defineNodeOperation<Record<string, never>>({
  kind: 'declare_lost',
  title: operationTitles.declare_lost,
  deadlineSeconds: 3600,
  first: 'forget',
  failures: ['node_answers'],
  steps: { forget: { weight: 1, doing: 'having Incus forget it', run: forget } },
  // The node stays lost. Another request tries again.
  failed: async () => undefined,
});

async function forget(context: NodeStepContext<Record<string, never>>) {
  const { node } = context;
  const outcome = await forgetMember(context);
  if (outcome === 'answers') {
    const words = `The node ${node.name} answers again, so it was not removed from Incus. `;
    return fail('node_answers', `${words}Switch it off, and declare it lost again.`);
  }
  if (outcome === 'there') return wait(1);
  const words = `The node ${node.name} was declared lost. Its servers can be rebuilt or deleted.`;
  return done(words, (trx) => setForgotten(trx, node.id));
}
