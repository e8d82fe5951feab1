import type { Health } from '@berth/contract/health';

/** Resolves when the part works; rejects with what a person should know when it does not. */
export interface HealthCheck {
  name: string;
  check: () => Promise<void>;
  /** The same for every service of the database: while it fails, another one is no better off. */
  isShared?: boolean;
}

const timeoutMilliseconds = 2000;

/** All at once. One that takes over 2 s counts as failing. */
async function runChecks(checks: HealthCheck[]): Promise<Health & { errors: unknown[] }> {
  const errors: unknown[] = [];
  const results = await Promise.all(checks.map((part) => runCheck(part, errors)));
  const healthy = results.every((result) => result.status === 'ok');
  return { status: healthy ? 'ok' : 'failing', checks: results, errors };
}

/**
 * Runs the checks when they are asked for, once for all who ask while they run and for a second after: who
 * asks very often must not have the engine asked as often. `tell` gets each error of a run.
 */
export function shareChecks(
  checks: HealthCheck[],
  tell: (error: unknown) => void,
  keptMs = 1000,
): () => Promise<Health> {
  let shared: Promise<Health> | undefined;

  async function run(): Promise<Health> {
    const { errors, ...health } = await runChecks(checks);
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

async function runCheck({ name, check }: HealthCheck, errors: unknown[]) {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), timeoutMilliseconds);
  try {
    const outcome = await Promise.race([check(), late.promise]);
    if (outcome === 'late') return failing(name, 'It did not answer within 2 seconds.');
    return { name, status: 'ok' as const, detail: 'It works.' };
  } catch (error) {
    errors.push(error);
    return failing(name, 'It does not work; the log says why.');
  } finally {
    clearTimeout(timer);
  }
}

function failing(name: string, detail: string) {
  return { name, status: 'failing' as const, detail };
}
