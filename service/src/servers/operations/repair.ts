import { EngineError } from '../../incus/transport/errors.ts';
import { instanceName } from '../../instances/labels.ts';
import { done, fail, next, type StepResult, wait } from '../../operations/define.ts';
import { operationTitles } from '../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../define-operation.ts';
import { type Difference, differencesOf } from '../engine/drift.ts';
import { findInstance, renameInstance, withDiskHeadroom } from '../engine/engine.ts';
import { calledOtherwise, putBack } from '../engine/repair.ts';
import { setLimits } from '../engine/size.ts';
import { engineStatus, showEngineStatus } from '../truth.ts';
import { endDriftOf, setServerState } from '../worker-queries.ts';

type Context = ServerStepContext<Record<string, never>>;
type Result = Promise<StepResult<Record<string, never>>>;

/** Gives the instance of a server what the records say, after somebody has changed it in Incus. */
export const repairOperation = defineServerOperation<Record<string, never>>({
  kind: 'repair',
  title: operationTitles.repair,
  deadlineSeconds: 10 * 60,
  first: 'name',
  failures: ['drift_left', 'instance_missing', 'memory_in_use', 'server_not_stopped'],
  steps: {
    name: { weight: 1, doing: 'finding its instance', run: name },
    set: { weight: 3, doing: 'putting its configuration back', run: set },
  },
  failed: showEngineStatus,
});

/** An instance that was renamed gets its name back. */
async function name(context: Context): Result {
  const { incus, server, signal } = context;
  const wanted = instanceName(server.uuid);
  if (await findInstance(incus, wanted, { signal })) return next('set');
  const [renamed, ...copies] = await calledOtherwise(incus, server.uuid, { signal });
  if (!renamed || copies.length > 0) return missing;
  if (renamed.status !== 'Stopped') return fail('server_not_stopped', stopIt(renamed.name));
  await renameInstance(incus, renamed.name, wanted, { signal });
  return next('set');
}

async function set(context: Context): Result {
  const { incus, server, settings, signal } = context;
  const { installationId } = settings;
  const found = await find(context);
  if (!found) return missing;
  if (found.status === 'Error') return notYet;
  const before = differencesOf(server, found, installationId);
  const { cpu, ramMb, diskGb } = server;
  const failure = await setLimits(context, found, { cpu, ramMb, diskGb });
  if (failure) return failure;
  if (before.length > 0) {
    await withDiskHeadroom(context, found, () =>
      putBack(incus, server, installationId, { signal }),
    );
  }
  const after = await find(context);
  if (!after) return missing;
  const left = differencesOf(server, after, installationId);
  if (left.length > 0) return unlessRefused(left);
  const status = engineStatus(after.status);
  if (status === undefined || status === 'error' || status === 'not_exists') return notYet;
  return done(repaired(before, status !== 'stopped'), async (trx) => {
    await endDriftOf(trx, server.id);
    await setServerState(trx, server.id, { status, realStatus: status, error: null });
  });
}

const find = ({ incus, server, signal }: Context) =>
  findInstance(incus, instanceName(server.uuid), { signal });

const notYet = wait(2, 'waiting for the engine to say how it is');

const missing = fail(
  'instance_missing',
  'Its instance no longer exists in the engine. Rebuild the server, or delete it.',
);

const stopIt = (name: string) =>
  `Its instance is called ${name} in the engine, and can be renamed only while it is stopped. Stop it there, then repair ` +
  'the server again.';

/** What Berth does not put back by itself, and what to do instead. */
const byHand: Record<string, string> = {
  'devices.root.pool': 'Move its disk back to the storage pool in Incus.',
  'devices.root.size':
    'Its disk is larger than recorded, and is not made smaller. Resize the server to at least that size.',
};

/** Fails with what is to be done by hand. Something else that is left was changed again, so it is tried again. */
function unlessRefused(left: Difference[]): StepResult<never> {
  const other = left.find(({ path }) => !(path in byHand));
  if (other) throw new EngineError('failed', `${other.path} still differs after it was set.`);
  const words = left.map(
    ({ path, expected, found }) => `${path} is ${found}, not ${expected}. ${byHand[path]}`,
  );
  return fail('drift_left', words.join(' '));
}

/** Keys of which a running container gets a new value only when it is started. */
const atStart = /^config\.security\./;

function repaired(before: Difference[], runs: boolean): string {
  if (before.length === 0) return 'The server is as recorded.';
  const paths = before.map(({ path }) => path).join(', ');
  const later = runs && before.some(({ path }) => atStart.test(path));
  return `The server is as recorded again: ${paths}.${later ? ` ${fromStart}` : ''}`;
}

const fromStart = 'What is about its security applies from its next start on.';
