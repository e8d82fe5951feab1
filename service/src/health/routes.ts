import { Health } from '@berth/contract/health';
import type { App, Deps } from '../http/app-types.ts';
import { runChecks } from './checks.ts';

export function healthRoutes(app: App, { healthChecks }: Deps): void {
  app.get(
    '/health',
    {
      config: { scope: 'public' },
      schema: {
        operationId: 'health_view',
        summary: 'See whether the service works',
        description:
          'Needs no token. Answers 503, naming what fails, while the service cannot serve.',
        tags: ['Health'],
        response: { 200: Health, 503: Health },
      },
    },
    async (request, reply) => {
      const { errors, ...health } = await runChecks(healthChecks);
      for (const error of errors) request.log.warn({ err: error }, 'A health check failed.');
      return reply.code(health.status === 'ok' ? 200 : 503).send(health);
    },
  );
}
