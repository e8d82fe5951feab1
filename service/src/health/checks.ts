import type { Health, HealthReason } from '@berth/contract/health';

/** Resolves when the part works; rejects with what a person should know when it does not. */
export interface HealthCheck {
  name: string;
  check: () => Promise<void>;
  /** What a person should know of it while it works; anybody may read it. */
  note?: () => Promise<Note | undefined>;
  /** Its engine. The service can serve while another location works, and no other service is better off. */
  isLocation?: boolean;
}

export interface Note {
  reason: HealthReason;
  detail: string;
}

/** What a check throws whose words are for anybody. */
export class Unwell extends Error {
  readonly reason: HealthReason;

  constructor(reason: HealthReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The same of what keeps nobody from the rest. */
export class Degraded extends Unwell {}

/** What there is to check may change. */
export type HealthChecks = () => Promise<HealthCheck[]>;

const timeoutMilliseconds = 2000;

/** Said of what works, where there is nothing else to say of it. */
const works: Note = { reason: 'ok', detail: 'It works.' };

/** By the name of the check. */
type Errors = Map<string, unknown>;

/** All at once. One that takes over 2 s counts as failing. */
async function runChecks(checks: HealthCheck[]): Promise<Health & { errors: Errors }> {
  const errors: Errors = new Map();
  const results = await Promise.all(checks.map((part) => runCheck(part, errors)));
  const healthy = canServe(checks.map((part, at) => ({ ...part, status: results[at]?.status })));
  const isDegraded = results.some(({ status }) => status === 'degraded');
  const served = isDegraded ? 'degraded' : 'ok';
  return { status: healthy ? served : 'failing', checks: results, errors };
}

/** One location that is away keeps nobody from the others. */
function canServe(parts: { isLocation?: boolean; status: string | undefined }[]): boolean {
  const failing = parts.filter(({ status }) => status === 'failing');
  if (failing.some(({ isLocation }) => !isLocation)) return false;
  const locations = parts.filter(({ isLocation }) => isLocation);
  return locations.length === 0 || failing.length < locations.length;
}

/**
 * Runs the checks when they are asked for, once for all who ask while they run and for a second after: who
 * asks very often must not have the engine asked as often. `tell` gets how each ended; one that took too long has no error.
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
