import type { Health, HealthReason } from '@berth/contract/health';

/** A health check. `check` resolves if the component works, and otherwise rejects with the reason. */
export interface HealthCheck {
  name: string;
  check: () => Promise<void>;
  /** Further information about a working component. Anybody can read it. */
  note?: () => Promise<Note | undefined>;
  /**
   * Whether the component is the engine of a location. If it fails, the service can still serve the other locations,
   * and other replicas could not serve it either.
   */
  isLocation?: boolean;
}

export interface Note {
  reason: HealthReason;
  detail: string;
}

/** The error of a check whose message anybody can read. */
export class Unwell extends Error {
  readonly reason: HealthReason;

  constructor(reason: HealthReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** An error with which the service still works, apart from the component. */
export class Degraded extends Unwell {}

/** Lists the checks, which may change. */
export type HealthChecks = () => Promise<HealthCheck[]>;

const timeoutMilliseconds = 2000;

/** The note of a working component without further information. */
const works: Note = { reason: 'ok', detail: 'It works.' };

/** The errors by the names of the checks. */
type Errors = Map<string, unknown>;

/** Runs all checks concurrently. A check that takes over 2 s counts as failing. */
async function runChecks(checks: HealthCheck[]): Promise<Health & { errors: Errors }> {
  const errors: Errors = new Map();
  const results = await Promise.all(checks.map((part) => runCheck(part, errors)));
  const healthy = canServe(checks.map((part, at) => ({ ...part, status: results[at]?.status })));
  const isDegraded = results.some(({ status }) => status === 'degraded');
  const served = isDegraded ? 'degraded' : 'ok';
  return { status: healthy ? served : 'failing', checks: results, errors };
}

/** Whether requests can be served: nothing fails except locations, and not all locations fail. */
function canServe(parts: { isLocation?: boolean; status: string | undefined }[]): boolean {
  const failing = parts.filter(({ status }) => status === 'failing');
  if (failing.some(({ isLocation }) => !isLocation)) return false;
  const locations = parts.filter(({ isLocation }) => isLocation);
  return locations.length === 0 || failing.length < locations.length;
}

/**
 * Runs the checks on request. Requests share the result while the checks run and for a second afterwards, so that
 * frequent requests do not cause as many calls to the engine. `tell` receives the result of each check; a check that
 * timed out has no error.
 */
export function shareChecks(
  checks: HealthChecks,
  tell: (check: string, failed: boolean, error: unknown) => void,
  keptMs = 1000,
): () => Promise<Health> {
  let shared: Promise<Health> | undefined;

  async function run(): Promise<Health> {
    const { errors, ...health } = await runChecks(await checks());
    for (const { name, status } of health.checks)
      tell(name, status === 'failing', errors.get(name));
    setTimeout(() => {
      shared = undefined;
    }, keptMs).unref();
    return health;
  }

  return () => {
    shared ??= run();
    return shared;
  };
}

async function runCheck({ name, check, note }: HealthCheck, errors: Errors) {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), timeoutMilliseconds);
  const run = async () => {
    await check();
    return (await note?.()) ?? works;
  };
  try {
    const found = await Promise.race([run(), late.promise]);
    if (found === null) return failing(name, 'timeout', 'There was no answer within 2 seconds.');
    return { name, status: 'ok' as const, ...found };
  } catch (error) {
    if (error instanceof Degraded) {
      return { name, status: 'degraded' as const, reason: error.reason, detail: error.message };
    }
    errors.set(name, error);
    if (error instanceof Unwell) return failing(name, error.reason, error.message);
    return failing(name, 'failed', 'The check failed. The log has the reason.');
  } finally {
    clearTimeout(timer);
  }
}

function failing(name: string, reason: HealthReason, detail: string) {
  return { name, status: 'failing' as const, reason, detail };
}
