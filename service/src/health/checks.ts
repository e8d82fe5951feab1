import type { Health } from '@berth/contract/health';

/** Resolves when the part works; rejects with what a person should know when it does not. */
export interface HealthCheck {
  name: string;
  check: () => Promise<void>;
}

const timeoutMilliseconds = 2000;

/** Runs all checks at once. One that takes over 2 s counts as failing. */
export async function runChecks(checks: HealthCheck[]): Promise<Health & { errors: unknown[] }> {
  const errors: unknown[] = [];
  const results = await Promise.all(checks.map((part) => runCheck(part, errors)));
  const healthy = results.every((result) => result.status === 'ok');
  return { status: healthy ? 'ok' : 'failing', checks: results, errors };
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
