import { Health, type HealthReason } from '@berth/contract/health';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import type { App, Deps } from '../callers/app-types.ts';
import { createOutage, type Outage } from '../lib/outage.ts';
import { type HealthChecks, shareChecks, Unwell } from './checks.ts';

const stopping: Health = {
  status: 'failing',
  checks: [
    { name: 'service', status: 'failing', reason: 'stopping', detail: 'The service is stopping.' },
  ],
};

/** The dependencies of the routes of the health, in addition to those of all routes. */
export interface HealthDeps extends Deps {
  healthChecks: HealthChecks;
  /** Aborted when the service is asked to stop, some time before it does. */
  draining?: AbortSignal;
}

/** The code that finds the database or Incus unreachable logs it: see `createSharedOutage`. */
const loggedElsewhere = new Set<HealthReason>([
  'database_unreachable',
  'incus_unreachable',
  'incus_unusable',
]);

/** Logs a failing check at once, then once a minute, and when it succeeds again. */
function logsChecks(log: Logger) {
  const outages = new Map<string, Outage>();
  const words = { failed: 'A health check failed.', works: 'A health check succeeds again.' };
  return (check: string, hasFailed: boolean, error: unknown): void => {
    const outage = outages.get(check) ?? createOutage(log.child({ check }), words);
    outages.set(check, outage);
    if (!hasFailed) outage.worked();
    if (error === undefined || (error instanceof Unwell && loggedElsewhere.has(error.reason)))
      return;
    outage.failed(error);
  };
}

export function healthRoutes(app: App, { healthChecks, draining }: HealthDeps): void {
  const tell = logsChecks(app.log as Logger);
  const share = (checks: HealthChecks) => shareChecks(checks, tell);
  const view = share(healthChecks);
  const ready = share(async () => (await healthChecks()).filter(({ isLocation }) => !isLocation));

  async function answer(check: () => Promise<Health>, reply: FastifyReply): Promise<Health> {
    const health = draining?.aborted ? stopping : await check();
    reply.code(health.status === 'failing' ? 503 : 200);
    return health;
  }

  app.get(
    '/health',
    {
      config: { scope: 'public', answersAnyHost: true },
      schema: {
        operationId: 'health_view',
        summary: 'Get the health of the service',
        description:
          'Returns whether the service can handle requests, and the state of each of its components. The status code is 503 ' +
          'if it cannot. The result is cached for a second.',
        tags: ['Health'],
        response: { 200: Health, 503: Health },
      },
    },
    (_request, reply) => answer(view, reply),
  );
  app.get(
    '/health/ready',
    {
      config: { scope: 'public', answersAnyHost: true },
      schema: {
        operationId: 'health_ready',
        summary: 'Get the readiness of this service',
        description:
          'Returns whether a load balancer should send requests to this service. The status code is 503 while the service is ' +
          'stopping, cannot reach its database, or cannot write to it, for example because the disk is full. Locations are not ' +
          'checked, because all services share them.',
        tags: ['Health'],
        response: { 200: Health, 503: Health },
      },
    },
    (_request, reply) => answer(ready, reply),
  );
}
