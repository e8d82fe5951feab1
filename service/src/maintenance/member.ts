import { isUnderWay } from '../incus/operations.ts';
import { EngineError, isEngineError, nullIfUnreachable } from '../incus/transport/errors.ts';
import { askPatiently } from '../incus/transport/patience.ts';
import type { MemberAction } from '../incus/transport/server.ts';
import type { NodeStepContext } from '../nodes/define-operation.ts';
import { type StepResult, wait } from '../operations/define.ts';
import { awaitOperation } from '../servers/engine/engine.ts';

/** Others' instances are taken along, of which there may be many. */
const actionSeconds = 3600;
/** Of what the engine fails at, for a reason that may pass. */
const mostTries = 5;

/** Incus's words for its operations on a member. */
const description = /^(Evacuating|Restoring) cluster/;

type Context = NodeStepContext<unknown>;

/**
 * Has Incus evacuate or restore the member of a node. Undefined once it is so; else how the step ends.
 * It moves what is not ours, and knows from then on that the member is out of service, or in it.
 */
export async function changeMember(
  context: Context,
  action: MemberAction,
): Promise<StepResult<never> | undefined> {
  const { incus, node, operation, signal } = context;
  const members = await incus.server.members({ signal });
  const member = members.find(({ server_name }) => server_name === node.member);
  if (!member) return notAMember(node.name);
  if (await isChanging(context)) return wait(1);
  const isEvacuated = member.status === 'Evacuated';
  if (isEvacuated === (action === 'evacuate')) return undefined;
  try {
    // Not to be aborted: the engine would go on all the same, unseen by who comes next.
    const call = incus.server.changeMember(member.server_name, action);
    await awaitOperation(incus, call, { signal, timeoutSeconds: actionSeconds });
    return wait(0.1);
  } catch (error) {
    if (!(error instanceof EngineError) || operation.attempts < mostTries) throw error;
    const message = `Incus could not ${action} its member: ${error.message}`;
    return { outcome: 'fail', code: `engine_${action}_failed`, message };
  }
}

/** For Incus to tell others of it, and to look after what the member had. */
const forgetSeconds = 60;

/**
 * Has Incus forget a member, by force: with its instances, and without asking it. Not one that answers,
 * which would go on running what Incus no longer knows.
 */
export async function forgetMember({
  incus,
  node,
  signal,
}: Context): Promise<'forgotten' | 'answers' | 'there'> {
  const members = await incus.server.members({ signal });
  if (!members.some(({ server_name }) => server_name === node.member)) return 'forgotten';
  const name = node.member ?? '';
  // One that is only slow answers, too.
  const asked = askPatiently((options) => incus.server.info(name, options), signal);
  if ((await nullIfUnreachable(asked, signal)) !== null) return 'answers';
  const call = incus.server.forgetMember(name, { signal, timeoutSeconds: forgetSeconds });
  await call.catch(unlessForgotten);
  return 'there';
}

/** By somebody who was quicker. */
function unlessForgotten(error: unknown): void {
  if (!isEngineError(error, 'not_found')) throw error;
}

/** By us, an administrator, or a worker that has died since. */
async function isChanging({ incus, node, signal }: Context) {
  const operations = await incus.operations.listOfAllProjects({ signal });
  return operations.some(
    (o) => o.location === node.member && description.test(o.description) && isUnderWay(o),
  );
}

function notAMember(name: string): StepResult<never> {
  const message = `The node ${name} is no longer a member of its cluster.`;
  return { outcome: 'fail', code: 'not_a_member', message };
}
