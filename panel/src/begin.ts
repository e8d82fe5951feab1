import type { QueryClient } from '@tanstack/react-query';
import { inBackground } from './background.ts';
import type { createPanelRouter } from './router.tsx';
import { sessionQuery } from './session/session.ts';

/** Requests the session and the files of the page at once, of which the router requests one after the other. */
export function beginToLoad(
  router: ReturnType<typeof createPanelRouter>,
  queries: QueryClient,
): void {
  inBackground(queries.prefetchQuery(sessionQuery));
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const route of routes) inBackground(Promise.resolve(router.loadRouteChunk(route)));
}
