import { sql } from 'kysely';
import type { Config } from './config.ts';
import type { HealthCheck } from './health/checks.ts';
import type { App } from './http/app-types.ts';
import { createHttpServer } from './http/server.ts';
import { createIdentityProvider } from './identities/provider.ts';
import { listAllLocations } from './locations/queries.ts';
import { createWaiter } from './operations/waiter.ts';
import { routes } from './routes.ts';
import type { Foundation } from './workers.ts';

type ApiFoundation = Omit<Foundation, 'config'> & { config: Pick<Config, 'publicUrl' | 'oidc'> };

/** The HTTP API on a foundation, ready to listen. */
export async function createApi(foundation: ApiFoundation): Promise<App> {
  const { config, db, log, notifications, secretKey, stopping } = foundation;
  return await createHttpServer({
    deps: {
      db,
      secretKey,
      publicUrl: config.publicUrl,
      identityProvider: config.oidc && createIdentityProvider(config.oidc),
      healthChecks: await healthChecks(foundation),
      untilEnded: createWaiter(db, notifications, stopping),
    },
    routes,
    log,
  });
}

async function healthChecks({
  db,
  engines,
}: Pick<Foundation, 'db' | 'engines'>): Promise<HealthCheck[]> {
  const locations = await listAllLocations(db);
  return [
    { name: 'database', check: async () => void (await sql`select 1`.execute(db)) },
    ...locations.map((location) => ({
      name: `location ${location.name}`,
      check: async () => void (await engines.of(location).server.info()),
    })),
  ];
}
