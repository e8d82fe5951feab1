import { isUnderWay } from '../incus/operations.ts';
import { EngineError, isEngineError, nullIfUnreachable } from '../incus/transport/errors.ts';
import { askPatiently } from '../incus/transport/patience.ts';
import type { MemberAction } from '../incus/transport/server.ts';
import type { NodeStepContext } from '../nodes/define-operation.ts';
import { type StepResult, wait } from '../operations/define.ts';
import { awaitOperation } from '../servers/engine/engine.ts';

/** A long timeout, because Incus also moves the instances of others, of which there may be many. */
const actionSeconds = 3600;
/** The attempts of a call that fails for a temporary reason. */
const maxAttempts = 5;

/** The descriptions of Incus's operations on a member. */
const description = /^(Evacuating|Restoring) cluster/;

type Context = NodeStepContext<unknown>;

/**
 * Makes Incus evacuate or restore the member of a node. Returns undefined when it is done, otherwise the result of the
 * step. Incus moves instances of others, and marks the member as out of service or in service.
 */
export async function setMemberState(
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
    // This is not aborted: the engine would continue anyway, and the next worker would not see it.
    const call = incus.server.changeMember(member.server_name, action);
    await awaitOperation(incus, call, { signal, timeoutSeconds: actionSeconds });
    return wait(0.1);
  } catch (error) {
    if (!(error instanceof EngineError) || operation.attempts < maxAttempts) throw error;
    const message = `Incus could not ${action} its member: ${error.message}`;
    return { outcome: 'fail', code: `engine_${action}_failed`, message };
  }
}

/** The time for Incus to notify other members, and to clean up. */
const forgetSeconds = 60;

/**
 * Makes Incus remove a member by force, with its instances, and without asking it. Refuses if the
 * member answers, because it would continue to run instances that Incus no longer knows.
 */
export async function forgetMember({
  incus,
  node,
  signal,
}: Context): Promise<'forgotten' | 'answers' | 'there'> {
  const members = await incus.server.members({ signal });
  if (!members.some(({ server_name }) => server_name === node.member)) return 'forgotten';
  const name = node.member ?? '';
  // A slow member answers, too.
  const asked = askPatiently((options) => incus.server.info(name, options), signal);
  if ((await nullIfUnreachable(asked, signal)) !== null) return 'answers';
  const call = incus.server.forgetMember(name, { signal, timeoutSeconds: forgetSeconds });
  await call.catch(unlessForgotten);
  return 'there';
}

/** Whether another worker, or an administrator, was first. */
function unlessForgotten(error: unknown): void {
  if (!isEngineError(error, 'not_found')) throw error;
}

/**
 * Whether an evacuation or restore is in progress, by us, an administrator, or a worker that has
 * died since.
 */
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
