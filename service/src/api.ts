import type { App } from './callers/app-types.ts';
import { createCredentialCache } from './callers/credential-cache.ts';
import type { Config } from './config/config.ts';
import { createConsoles } from './consoles/hub.ts';
import type { ShellSettings } from './edge/settings.ts';
import { openTls } from './edge/tls.ts';
import { createEventFeed } from './events/feed.ts';
import { createRoomCheck } from './health/room.ts';
import { serviceChecks } from './health/service-checks.ts';
import { createHttpServer } from './http/server.ts';
import { createIdentityProvider } from './identities/provider.ts';
import type { UnreadableSecrets } from './keys/unreadable.ts';
import { shareLimits } from './limits/exchange.ts';
import { createLimiter, type Limits } from './limits/limiter.ts';
import { rememberLocations } from './locations/remembered.ts';
import { createWaiter } from './operations/waiter.ts';
import { lookups, routes } from './routes.ts';
import { isCancellable } from './servers/cancellation/cancellable.ts';
import type { Foundation } from './workers.ts';

/** `npm run check` fails if it does not match the routes. */
const openApi = new URL('../../contract/openapi.json', import.meta.url);
/** `npm run docs` builds it. */
export const helpSite = new URL('../../site/dist/', import.meta.url);
/** `npm start` builds it. */
const panelSite = new URL('../../panel/dist/', import.meta.url);

interface ApiSettings {
  limits: Limits;
  shell: ShellSettings;
}

type ApiFoundation = Omit<
  Foundation,
  'config' | 'workers' | 'leases' | 'unreadable' | 'databaseOutage'
> & {
  unreadable?: Pick<UnreadableSecrets, 'count'>;
  config: Pick<
    Config,
    'publicUrl' | 'oidc' | 'imageServers' | 'webhooks' | 'dataDir' | 'databaseUrl'
  >;
};

/** The HTTP API on a foundation, ready to listen. */
export async function createApi(
  foundation: ApiFoundation,
  { limits, shell }: ApiSettings,
): Promise<App> {
  const { config, db, engines, log, metrics, notifications } = foundation;
  const { refusedRoom, secretKey, stopping, unreadable } = foundation;
  const tls = shell.tls && (await openTls(shell.tls, log));
  if (tls) metrics.presents(() => String(tls.context().cert));
  const events = createEventFeed({ db, notifications, log, observer: metrics.events });
  const credentials = createCredentialCache(notifications);
  const locationOf = rememberLocations(db, notifications);
  const consoles = createConsoles({
    ...{ db, credentials, notifications, log },
    engineOf: async (id) => engines.of(await locationOf(id)),
  });
  return await createHttpServer({
    deps: {
      db,
      secretKey,
      publicUrl: config.publicUrl,
      credentials,
      identityProvider: config.oidc && createIdentityProvider(config.oidc),
      imageServers: config.imageServers,
      healthChecks: await serviceChecks(foundation.health.db, {
        engines,
        requireRoom: createRoomCheck(config, refusedRoom),
        countUnreadable: unreadable?.count ?? (() => 0),
      }),
      draining: foundation.draining,
      untilEnded: createWaiter(db, notifications, stopping),
      isCancellable,
      events,
      consoles,
      webhookTargets: config.webhooks,
    },
    routes,
    lookups,
    limiter: shareLimits(createLimiter(limits), { db, notifications, log }),
    metrics,
    openApi,
    helpSite,
    panelSite,
    shell,
    tls,
    log,
  });
}
