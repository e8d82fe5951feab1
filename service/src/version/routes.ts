import { Version } from '@berth/contract/version';
import type { App } from '../callers/app-types.ts';
import { readBuild } from './build.ts';

export function versionRoutes(app: App): void {
  app.get(
    '/version',
    {
      config: { scope: 'servers:read' },
      schema: {
        operationId: 'version_view',
        summary: 'Show which release of Berth answers',
        description:
          'Behind a load balancer each service may answer another one while an upgrade is under way.',
        tags: ['Health'],
        response: { 200: Version },
      },
    },
    readBuild,
  );
}
