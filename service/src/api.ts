import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config.ts';
import type { HealthCheck, HealthChecks } from './health/checks.ts';
import type { App } from './http/app-types.ts';
import { createCredentialCache } from './http/credential-cache.ts';
import { exchangeTakings } from './http/limits/exchange.ts';
import { createLimiter, type Limits } from './http/limits/limiter.ts';
import { createHttpServer } from './http/server.ts';
import type { ShellSettings } from './http/shell/settings.ts';
import { openTls } from './http/shell/tls.ts';
import { createIdentityProvider } from './identities/provider.ts';
import { findLocation, type LocationRow, listAllLocations } from './locations/queries.ts';
import { createWaiter } from './operations/waiter.ts';
import { routes } from './routes.ts';
import type { Foundation } from './workers.ts';

/** How long a check waits for the list of locations. */
const listingMs = 500;
/** Of a check, for an engine to answer. Less than a check may take. */
const patienceMs = 1500;
const answerSeconds = 5;

interface ApiSettings {
  limits: Limits;
  shell: ShellSettings;
}

type ApiFoundation = Omit<Foundation, 'config' | 'workers' | 'leases'> & {
  config: Pick<Config, 'publicUrl' | 'oidc' | 'imageServers'>;
};

/** The HTTP API on a foundation, ready to listen. */
export async function createApi(
  foundation: ApiFoundation,
  { limits, shell }: ApiSettings,
): Promise<App> {
  const { config, db, log, metrics, notifications, secretKey, stopping } = foundation;
  const tls = shell.tls && (await openTls(shell.tls, log));
  return await createHttpServer({
    deps: {
      db,
      secretKey,
      publicUrl: config.publicUrl,
      credentials: createCredentialCache(notifications),
      identityProvider: config.oidc && createIdentityProvider(config.oidc),
      imageServers: config.imageServers,
      healthChecks: await healthChecks(foundation),
      draining: foundation.draining,
      untilEnded: createWaiter(db, notifications, stopping),
    },
    routes,
    limiter: exchangeTakings(createLimiter(limits), { db, notifications, log }),
    metrics,
    shell,
    tls,
    log,
  });
}

async function healthChecks({
  db,
  engines,
}: Pick<Foundation, 'db' | 'engines'>): Promise<HealthChecks> {
  let locations = await listAllLocations(db);
  return async () => {
    const listed = listAllLocations(db).then((found) => {
      locations = found;
    });
    const late = sleep(listingMs, undefined, { ref: false });
    // Where the database fails, its own check says so, and the others are those of before.
    await Promise.race([listed.catch(() => undefined), late]);
    return [{ name: 'database', check: () => listed }, ...locations.map(locationCheck)];
  };

  function locationCheck(location: LocationRow): HealthCheck {
    return {
      name: `location ${location.name}`,
      isLocation: true,
      async check() {
        const finding = findLocation(db, location.id);
        const asking = engines
          .of(location)
          .server.info(undefined, { timeoutSeconds: answerSeconds });
        // One that takes its time may only be slow: whether it is away, its watcher finds out.
        await Promise.race([asking, sleep(patienceMs, undefined, { ref: false })]);
        const known = await finding;
        if (!known?.isReachable) throw new Error(known?.unreachable_reason ?? 'Nobody watches it.');
      },
    };
  }
}
