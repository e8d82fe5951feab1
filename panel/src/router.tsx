import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { readSearch } from './servers/list/search.ts';
import { readUsageSearch } from './servers/one/usage/span.ts';
import { returnTo } from './session/return-to.ts';
import { sessionQuery } from './session/session.ts';
import { Failure, Loading } from './shell/messages.tsx';
import { NotFound } from './shell/not-found.tsx';

interface Context {
  queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ from }: Record<string, unknown>): { from?: string } => {
    const to = returnTo(from);
    return to === '/servers' ? {} : { from: to };
  },
  beforeLoad: async ({ context, search }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session) throw redirect({ href: returnTo(search.from), replace: true });
  },
  component: lazyRouteComponent(() => import('./session/sign-in.tsx'), 'SignInPage'),
});

/** Pages for people who are signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    const to = returnTo(location.href);
    const search = to === '/servers' ? {} : { from: to };
    if (!session) throw redirect({ to: '/sign-in', search, replace: true });
  },
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
});

const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/servers', replace: true });
  },
});

const servers = createRoute({
  getParentRoute: () => signedIn,
  path: '/servers',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./servers/list/page.tsx'), 'ServersPage'),
});

const newServer = createRoute({
  getParentRoute: () => signedIn,
  path: '/servers/new',
  component: lazyRouteComponent(() => import('./servers/create/page.tsx'), 'NewServerPage'),
});

const server = createRoute({
  getParentRoute: () => signedIn,
  path: '/servers/$id',
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(() => import('./servers/one/page.tsx'), 'ServerPage'),
});

const routes = root.addChildren([
  signIn,
  signedIn.addChildren([start, servers, newServer, server]),
]);

export function createPanelRouter(queries: QueryClient) {
  return createRouter({
    routeTree: routes,
    context: { queries },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: Loading,
    defaultErrorComponent: ({ error, reset }) => (
      <Failure title="This page cannot be shown" error={error} retry={reset} />
    ),
    defaultNotFoundComponent: NotFound,
  });
}
