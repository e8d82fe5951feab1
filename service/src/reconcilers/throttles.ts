import type { Logger } from 'pino';
import { insertOwnEntries } from '../audit/entry-queries.ts';
import type { Instance } from '../incus/instances.ts';
import { type EngineError, lacksTrafficControl } from '../incus/transport/errors.ts';
import { instanceName, serverUuid } from '../instances/labels.ts';
import { type Direction, setLimitFailed } from '../locations/limit-queries.ts';
import { enterThrottle, type Throttle, throttlesOf } from '../traffic/allowance-queries.ts';
import { directions, isThrottledTo, setThrottle } from '../traffic/throttle.ts';
import { each } from '../usage/collect/each.ts';
import type { Subject } from './truth.ts';

export interface ThrottleContext extends Omit<Subject, 'client'> {
  client: Parameters<typeof setThrottle>[2];
  log: Logger;
}

/** Compares the limits of all instances with the recorded throttles, as part of each sweep. */
export async function reconcileThrottles(
  context: ThrottleContext,
  instances: Instance[],
): Promise<void> {
  const throttles = await throttlesOf(context.db, context.locationId);
  const tasks = instances.flatMap((instance): (() => Promise<void>)[] => {
    const { name, status } = instance;
    const uuid = serverUuid(name);
    // The state of an instance is unknown while its member is unreachable.
    if (!uuid || status === 'Error') return [];
    const throttle = throttles.get(uuid);
    const able = throttle ? ableOf(throttle) : directions;
    if (!isThrottledTo(throttle?.rate ?? null, able, instance)) {
      return [() => applyThrottle(context, name, throttle)];
    }
    return throttle ? [() => recordOutcome(context, throttle, new Map())] : [];
  });
  const [error] = await each(tasks, (work) => work(), context.signal);
  if (error) throw error;
}

/** Applies throttles with limited concurrency, because very many may have to be removed at the beginning of a month. */
export async function applyThrottles(
  context: ThrottleContext,
  throttles: Throttle[],
): Promise<void> {
  const work = (throttle: Throttle) =>
    applyThrottle(context, instanceName(throttle.uuid), throttle);
  const [error] = await each(throttles, work, context.signal);
  if (error) throw error;
}

const ableOf = ({ limits }: Throttle) => directions.filter((one) => limits[one] !== false);

type Failures = Map<Direction, EngineError>;

/** Applies a throttle. If there is none in the records, the limit of the instance is removed. */
async function applyThrottle(
  context: ThrottleContext,
  name: string,
  throttle: Throttle | undefined,
): Promise<void> {
  const { client, db, signal } = context;
  const able = throttle ? ableOf(throttle) : directions;
  const failures = await setThrottle(throttle?.rate ?? null, able, client, name, signal);
  if (!throttle) return;
  const { nodeId, rate } = throttle;
  const limits = { ...throttle.limits };
  if (rate !== null) {
    for (const [direction, error] of failures) {
      if (!lacksTrafficControl(error)) continue;
      await setLimitFailed(db, nodeId, direction);
      limits[direction] = false;
      failures.delete(direction);
    }
  }
  await recordOutcome(context, { ...throttle, limits }, failures);
}

/** Records the outcome of a throttle, and writes it to the log and the audit log if it is new. */
async function recordOutcome({ db, log }: ThrottleContext, throttle: Throttle, failures: Failures) {
  const { id, uuid, project_id: projectId, rate } = throttle;
  const outcome = outcomeOf(throttle, failures);
  // Usually nothing has changed, which avoids a transaction. The statement checks again.
  if (outcome.throttledTo === throttle.throttledTo && outcome.error === throttle.error) return;
  const hasChanged = await db.transaction().execute(async (trx) => {
    if (!(await enterThrottle(trx, throttle, outcome))) return false;
    const { throttledTo: throttled_to, error } = outcome;
    const details = { throttled_to, ...(error !== null && { throttle_error: error }) };
    await insertOwnEntries(trx, 'traffic_throttle', [{ projectId, serverId: id, details }]);
    return true;
  });
  if (!hasChanged) return;
  const about = { instance: instanceName(uuid), rate };
  if (outcome.error === null) log.info(about, 'The traffic rate limit of a server was changed.');
  else {
    const [failure] = failures.values();
    const reason = failure?.message ?? outcome.error;
    log.warn({ ...about, reason }, 'The traffic rate limit of a server could not be changed.');
  }
}

const words = { incoming: 'what a server receives', outgoing: 'what a server sends' };
const againSoon = 'Berth tries again each minute.';

function outcomeOf({ rate, limits, throttledTo }: Throttle, failures: Failures) {
  if (rate === null) {
    if (failures.size === 0) return { throttledTo: null, error: null };
    return { throttledTo, error: `The engine did not lift the limit. ${againSoon}` };
  }
  const unable = directions.filter((one) => limits[one] === false);
  const held = directions.filter((one) => !unable.includes(one) && !failures.has(one));
  if (held.length === directions.length) return { throttledTo: rate, error: null };
  const sentences = [
    ...(unable.length === 2 ? ['The kernel of its node cannot limit traffic.'] : []),
    ...(unable.length === 1
      ? unable.map((one) => `The kernel of its node cannot limit ${words[one]}.`)
      : []),
    ...[...failures.keys()].map((one) => `The engine did not limit ${words[one]}. ${againSoon}`),
    ...held.map((one) => `The rate of ${words[one]} is limited to ${rate} Mbit/s.`),
  ];
  return { throttledTo: null, error: sentences.join(' ') };
}
