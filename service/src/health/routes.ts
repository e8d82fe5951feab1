import { Health } from '@berth/contract/health';
import type { App, Deps } from '../http/app-types.ts';
import { shareChecks } from './checks.ts';

export function healthRoutes(app: App, { healthChecks }: Deps): void {
  const check = shareChecks(healthChecks, (error) =>
    app.log.warn({ err: error }, 'A health check failed.'),
  );
  app.get(
    '/health',
    {
      config: { scope: 'public' },
      schema: {
        operationId: 'health_view',
        summary: 'See whether the service works',
        description:
          'Needs no token. Answers 503, naming what fails, while the service cannot serve. ' +
          'What was found is answered again for a second.',
        tags: ['Health'],
        response: { 200: Health, 503: Health },
      },
    },
    async (_request, reply) => {
      const health = await check();
      return reply.code(health.status === 'ok' ? 200 : 503).send(health);
    },
  );
}
