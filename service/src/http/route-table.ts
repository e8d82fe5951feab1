import type { FastifyInstance, RouteOptions } from 'fastify';

/** A registered route, which can be found by the path of a request. */
export interface KnownRoute {
  pattern: RegExp;
  options: RouteOptions;
}

/** Records every route that is registered from now on. */
export function collectRoutes(app: FastifyInstance): KnownRoute[] {
  const routes: KnownRoute[] = [];
  app.addHook('onRoute', (options) => {
    routes.push({ pattern: pathPattern(options.url), options });
  });
  return routes;
}

/** Converts `/servers/:id` to a regular expression for its paths. */
function pathPattern(url: string): RegExp {
  const parts = url.replace(/\/+$/, '').split('/');
  const sources = parts.map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${sources.join('/')}/?$`);
}

/** The routes for the path of a request, with any method. */
export function routesOf(routes: KnownRoute[], url: string): RouteOptions[] {
  const [path = ''] = url.split('?');
  return routes.filter(({ pattern }) => pattern.test(path)).map(({ options }) => options);
}

/** The methods that a path supports, for `Allow`; empty for an unknown path. */
export function methodsOf(routes: KnownRoute[], url: string): string[] {
  const methods = new Set(routesOf(routes, url).flatMap(({ method }) => method));
  return methods.size === 0 ? [] : [...methods, 'OPTIONS'].sort();
}
