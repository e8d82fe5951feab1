import { createRoute, lazyRouteComponent, notFound, redirect } from '@tanstack/react-router';
import type { SignedIn } from '../router.tsx';
import { sessionQuery } from '../session/session.ts';
import { readDriftSearch } from './drift/search.ts';
import { readNodeSearch } from './nodes/search.ts';

/** The pages about the whole installation, which exist only for administrators. */
export function administrationOf(parent: SignedIn) {
  const admin = createRoute({
    getParentRoute: () => parent,
    path: '/admin',
    beforeLoad: async ({ context }) => {
      const session = await context.queries.ensureQueryData(sessionQuery);
      if (!session?.user.is_admin) throw notFound();
    },
    component: lazyRouteComponent(() => import('./frame.tsx'), 'Administration'),
  });
  const getParentRoute = () => admin;

  const start = createRoute({
    getParentRoute,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/admin/nodes', replace: true });
    },
  });

  const nodes = createRoute({
    getParentRoute,
    path: '/nodes',
    validateSearch: readNodeSearch,
    component: lazyRouteComponent(() => import('./nodes/page.tsx'), 'NodesPage'),
  });

  /** The page of a server of any project, which becomes the chosen one. */
  const server = createRoute({
    getParentRoute,
    path: '/servers/$id',
    beforeLoad: async ({ context, params, preload }) => {
      if (preload) return;
      const { enterProjectOf } = await import('./server-project.ts');
      await enterProjectOf(context.queries, Number(params.id));
      throw redirect({ to: '/servers/$id', params, replace: true });
    },
  });

  const health = createRoute({
    getParentRoute,
    path: '/health',
    component: lazyRouteComponent(() => import('./health/page.tsx'), 'HealthPage'),
  });

  const projects = createRoute({
    getParentRoute,
    path: '/projects',
    component: lazyRouteComponent(() => import('./projects/list.tsx'), 'ProjectsPage'),
  });

  const newProject = createRoute({
    getParentRoute,
    path: '/projects/new',
    component: lazyRouteComponent(() => import('./projects/new.tsx'), 'NewProjectPage'),
  });

  const project = createRoute({
    getParentRoute,
    path: '/projects/$id',
    component: lazyRouteComponent(() => import('./projects/one.tsx'), 'ProjectPage'),
  });

  const users = createRoute({
    getParentRoute,
    path: '/users',
    component: lazyRouteComponent(() => import('./users/list.tsx'), 'UsersPage'),
  });

  const newUser = createRoute({
    getParentRoute,
    path: '/users/new',
    component: lazyRouteComponent(() => import('./users/new.tsx'), 'NewUserPage'),
  });

  const user = createRoute({
    getParentRoute,
    path: '/users/$id',
    component: lazyRouteComponent(() => import('./users/one.tsx'), 'UserPage'),
  });

  const drift = createRoute({
    getParentRoute,
    path: '/drift',
    validateSearch: readDriftSearch,
    component: lazyRouteComponent(() => import('./drift/page.tsx'), 'DriftPage'),
  });

  const locations = createRoute({
    getParentRoute,
    path: '/locations',
    component: lazyRouteComponent(() => import('./locations/list.tsx'), 'LocationsPage'),
  });

  const location = createRoute({
    getParentRoute,
    path: '/locations/$id',
    component: lazyRouteComponent(() => import('./locations/one.tsx'), 'LocationPage'),
  });

  const addressPools = createRoute({
    getParentRoute,
    path: '/address-pools',
    component: lazyRouteComponent(() => import('./address-pools/list.tsx'), 'AddressPoolsPage'),
  });

  const newAddressPool = createRoute({
    getParentRoute,
    path: '/address-pools/new',
    component: lazyRouteComponent(() => import('./address-pools/new.tsx'), 'NewAddressPoolPage'),
  });

  const systems = createRoute({
    getParentRoute,
    path: '/operating-systems',
    component: lazyRouteComponent(() => import('./operating-systems/list.tsx'), 'SystemsPage'),
  });

  const newSystem = createRoute({
    getParentRoute,
    path: '/operating-systems/new',
    component: lazyRouteComponent(() => import('./operating-systems/new.tsx'), 'NewSystemPage'),
  });

  const system = createRoute({
    getParentRoute,
    path: '/operating-systems/$id',
    component: lazyRouteComponent(() => import('./operating-systems/one.tsx'), 'SystemPage'),
  });

  const sizes = createRoute({
    getParentRoute,
    path: '/sizes',
    component: lazyRouteComponent(() => import('./sizes/list.tsx'), 'SizesPage'),
  });

  const newSize = createRoute({
    getParentRoute,
    path: '/sizes/new',
    component: lazyRouteComponent(() => import('./sizes/new.tsx'), 'NewSizePage'),
  });

  const size = createRoute({
    getParentRoute,
    path: '/sizes/$id',
    component: lazyRouteComponent(() => import('./sizes/one.tsx'), 'SizePage'),
  });

  const settings = createRoute({
    getParentRoute,
    path: '/settings',
    component: lazyRouteComponent(() => import('./settings/page.tsx'), 'SettingsPage'),
  });

  return admin.addChildren([
    ...[start, nodes, server, health, projects, newProject],
    ...[project, users, newUser, user, drift, locations],
    ...[location, addressPools, newAddressPool, systems, newSystem, system],
    ...[sizes, newSize, size, settings],
  ]);
}
