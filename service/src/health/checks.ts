import type { Health } from '@berth/contract/health';

/** Resolves when the part works; rejects with what a person should know when it does not. */
export interface HealthCheck {
  name: string;
  check: () => Promise<void>;
  /** What a person should know of it while it works; anybody may read it. */
  note?: () => Promise<string | undefined>;
  /** Its engine. The service can serve while another location works, and no other service is better off. */
  isLocation?: boolean;
}

/** What a check throws whose words are for anybody. */
export class Unwell extends Error {}

/** The same of what keeps nobody from the rest. */
export class Degraded extends Unwell {}

/** What there is to check may change. */
export type HealthChecks = () => Promise<HealthCheck[]>;

const timeoutMilliseconds = 2000;

/** Said of what works, where there is nothing else to say of it. */
export const works = 'It works.';

/** All at once. One that takes over 2 s counts as failing. */
async function runChecks(checks: HealthCheck[]): Promise<Health & { errors: unknown[] }> {
  const errors: unknown[] = [];
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
 * asks very often must not have the engine asked as often. `tell` gets each error of a run.
 */
export function shareChecks(
  checks: HealthChecks,
  tell: (error: unknown) => void,
  keptMs = 1000,
): () => Promise<Health> {
  let shared: Promise<Health> | undefined;

  async function run(): Promise<Health> {
    const { errors, ...health } = await runChecks(await checks());
    for (const error of errors) tell(error);
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

async function runCheck({ name, check, note }: HealthCheck, errors: unknown[]) {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), timeoutMilliseconds);
  const run = async () => {
    await check();
    return (await note?.()) ?? works;
  };
  try {
    const detail = await Promise.race([run(), late.promise]);
    if (detail === null) return failing(name, 'There was no answer within 2 seconds.');
    return { name, status: 'ok' as const, detail };
  } catch (error) {
    if (error instanceof Degraded) {
      return { name, status: 'degraded' as const, detail: error.message };
    }
    errors.push(error);
    if (error instanceof Unwell) return failing(name, error.message);
    return failing(name, 'The check failed. The log has the reason.');
  } finally {
    clearTimeout(timer);
  }
}

function failing(name: string, detail: string) {
  return { name, status: 'failing' as const, detail };
}
