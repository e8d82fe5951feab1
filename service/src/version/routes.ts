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
        summary: 'Get the version',
        description:
          'Returns the release of Berth that this service runs. During an upgrade, services behind a load balancer may run ' +
          'different releases.',
        tags: ['Health'],
        response: { 200: Version },
      },
    },
    readBuild,
  );
}
