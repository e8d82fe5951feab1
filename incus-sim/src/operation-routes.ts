import { later, sync } from './answers.ts';
import type { Engine } from './engine.ts';
import { part, type Routes } from './router.ts';

export function operationRoutes({ operations }: Engine): Routes {
  return {
    'GET /1.0/operations': ({ project, query }) =>
      sync(operations.list(query.get('all-projects') === 'true' ? undefined : project)),
    'GET /1.0/operations/:id': (call) => sync(operations.get(part(call, 'id'))),
    'GET /1.0/operations/:id/wait': (call) =>
      later(operations.wait(part(call, 'id'), Number(call.query.get('timeout') ?? -1))),
  };
}
