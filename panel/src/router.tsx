import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { administrationOf } from './admin/routes.tsx';
import { readAuditSearch } from './audit/search.ts';
import { readAuthorizeSearch } from './authorize/code.ts';
import { inBackground } from './background.ts';
import { readEventSearch } from './events/search.ts';
import { readOperationSearch } from './operations/search.ts';
import { prefetchServers } from './servers/list/queries.ts';
import { readSearch } from './servers/list/search.ts';
import { readUsageSearch } from './servers/one/usage/span.ts';
import { methodsQuery } from './session/methods.ts';
import { returnTo } from './session/return-to.ts';
import { sessionQuery } from './session/session.ts';
import { setupQuery } from './setup/setup.ts';
import { Failure, Loading } from './shell/messages.tsx';
import { NotFound } from './shell/not-found.tsx';
import { readStatementSearch } from './statement/search.ts';
import { readDeliverySearch } from './webhooks/deliveries.ts';

interface Context {
  queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

/** Where somebody is taken back to. */
function readFrom({ from }: Record<string, unknown>): { from?: string } {
  const to = returnTo(from);
  return to === '/servers' ? {} : { from: to };
}

/** `failed` is why a sign-in at the OpenID provider has failed, which the service says. */
function readSignInSearch(search: Record<string, unknown>): { from?: string; failed?: string } {
  const { failed } = search;
  return { ...readFrom(search), ...(typeof failed === 'string' && { failed }) };
}

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  validateSearch: readFrom,
  beforeLoad: async ({ context: { queries }, search }) => {
    if (await queries.ensureQueryData(sessionQuery))
      throw redirect({ href: returnTo(search.from), replace: true });
    await queries.ensureQueryData(setupQuery);
  },
  component: lazyRouteComponent(() => import('./setup/page.tsx'), 'SetupPage'),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readSignInSearch,
  beforeLoad: async ({ context: { queries }, search }) => {
    const session = await queries.ensureQueryData(sessionQuery);
    if (session) throw redirect({ href: returnTo(search.from), replace: true });
    // Nobody can sign in yet.
    const isOpen = await queries.ensureQueryData(setupQuery);
    if (isOpen) throw redirect({ to: '/setup', search: readFrom(search), replace: true });
    // Without them, the page still has the password.
    await queries.prefetchQuery(methodsQuery);
  },
  component: lazyRouteComponent(() => import('./session/sign-in.tsx'), 'SignInPage'),
});

/** Pages for people who are signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    const search = readFrom({ from: location.href });
    if (!session) throw redirect({ to: '/sign-in', search, replace: true });
  },
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
});

export type SignedIn = typeof signedIn;

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
  loaderDeps: ({ search }) => search,
  // It begins while the page itself is loaded.
  loader: ({ context: { queries }, deps }) => inBackground(prefetchServers(queries, deps)),
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

const serverConsole = createRoute({
  getParentRoute: () => signedIn,
  path: '/servers/$id/console',
  component: lazyRouteComponent(() => import('./servers/console/page.tsx'), 'ConsolePage'),
});

const creation = createRoute({
  getParentRoute: () => signedIn,
  path: '/servers/$id/creation',
  component: lazyRouteComponent(() => import('./servers/create/progress/page.tsx'), 'CreationPage'),
});

const serverOverview = createRoute({
  getParentRoute: () => server,
  path: '/',
  component: lazyRouteComponent(() => import('./servers/one/page.tsx'), 'ServerOverview'),
});

const serverSettings = createRoute({
  getParentRoute: () => server,
  path: '/settings',
  component: lazyRouteComponent(() => import('./servers/one/settings/page.tsx'), 'ServerSettings'),
});

const sshKeys = createRoute({
  getParentRoute: () => signedIn,
  path: '/ssh-keys',
  component: lazyRouteComponent(() => import('./ssh-keys/list.tsx'), 'SshKeysPage'),
});

const newSshKey = createRoute({
  getParentRoute: () => signedIn,
  path: '/ssh-keys/new',
  component: lazyRouteComponent(() => import('./ssh-keys/new.tsx'), 'NewSshKeyPage'),
});

const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./tokens/list.tsx'), 'TokensPage'),
});

const newToken = createRoute({
  getParentRoute: () => signedIn,
  path: '/tokens/new',
  component: lazyRouteComponent(() => import('./tokens/new.tsx'), 'NewTokenPage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('./account/page.tsx'), 'AccountPage'),
});

const authorize = createRoute({
  getParentRoute: () => signedIn,
  path: '/authorize',
  validateSearch: readAuthorizeSearch,
  component: lazyRouteComponent(() => import('./authorize/page.tsx'), 'AuthorizePage'),
});

const operations = createRoute({
  getParentRoute: () => signedIn,
  path: '/operations',
  validateSearch: readOperationSearch,
  component: lazyRouteComponent(() => import('./operations/page.tsx'), 'OperationsPage'),
});

const operation = createRoute({
  getParentRoute: () => signedIn,
  path: '/operations/$id',
  component: lazyRouteComponent(() => import('./operations/one.tsx'), 'OperationPage'),
});

const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks/list.tsx'), 'WebhooksPage'),
});

const newWebhook = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/new',
  component: lazyRouteComponent(() => import('./webhooks/new.tsx'), 'NewWebhookPage'),
});

const webhook = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/$id',
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(() => import('./webhooks/one.tsx'), 'WebhookPage'),
});

const editWebhook = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/$id/edit',
  component: lazyRouteComponent(() => import('./webhooks/edit.tsx'), 'EditWebhookPage'),
});

const events = createRoute({
  getParentRoute: () => signedIn,
  path: '/events',
  validateSearch: readEventSearch,
  component: lazyRouteComponent(() => import('./events/page.tsx'), 'EventsPage'),
});

const members = createRoute({
  getParentRoute: () => signedIn,
  path: '/members',
  component: lazyRouteComponent(() => import('./members/list.tsx'), 'MembersPage'),
});

const newMember = createRoute({
  getParentRoute: () => signedIn,
  path: '/members/new',
  component: lazyRouteComponent(() => import('./members/new.tsx'), 'NewMemberPage'),
});

const quota = createRoute({
  getParentRoute: () => signedIn,
  path: '/quota',
  component: lazyRouteComponent(() => import('./quota/page.tsx'), 'QuotaPage'),
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./audit/page.tsx'), 'AuditPage'),
});

const statement = createRoute({
  getParentRoute: () => signedIn,
  path: '/statement',
  validateSearch: readStatementSearch,
  component: lazyRouteComponent(() => import('./statement/page.tsx'), 'StatementPage'),
});

const routes = root.addChildren([
  setup,
  signIn,
  signedIn.addChildren([
    ...[start, servers, newServer, creation, serverConsole, operations, operation],
    server.addChildren([serverOverview, serverSettings]),
    ...[sshKeys, newSshKey, tokens, newToken, account, authorize],
    ...[webhooks, newWebhook, webhook, editWebhook, events],
    ...[members, newMember, quota, audit, statement],
    administrationOf(signedIn),
  ]),
]);

export function createPanelRouter(queries: QueryClient) {
  const router = createRouter({
    routeTree: routes,
    context: { queries },
    defaultPreload: 'intent',
    // Without it, pages would get what is in the URL, beside what they have understood of it.
    search: { strict: true },
    scrollRestoration: true,
    defaultPendingComponent: Loading,
    defaultErrorComponent: ({ error, reset }) => (
      <Failure title="This page cannot be shown" error={error} retry={reset} />
    ),
    defaultNotFoundComponent: NotFound,
  });
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    // What had the focus may be gone with the page that it was on.
    if (fromLocation && pathChanged && document.activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true });
  });
  return router;
}
