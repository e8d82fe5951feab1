import { readFile, writeFile } from 'node:fs/promises';
import { pino } from 'pino';
import { noCredentialCache } from '../callers/credential-cache.ts';
import { loadConfig } from '../config/config.ts';
import { createConsoles } from '../consoles/hub.ts';
import { createDb, createPool } from '../db/connection.ts';
import { noNotifications } from '../db/notifications.ts';
import { createEventFeed } from '../events/feed.ts';
import { createHttpServer } from '../http/server.ts';
import { newKey } from '../keys/key-file.ts';
import { createKeyring } from '../keys/keyring.ts';
import { createLimiter } from '../limits/limiter.ts';
import { lookups, routes } from '../routes.ts';
import { isCancellable } from '../servers/cancellation/cancellable.ts';
import { strictTargets } from '../webhooks/url.ts';

const file = new URL('../../../contract/openapi.json', import.meta.url);

/** Builds the application only for its OpenAPI document. The pool never connects, and the server does not listen. */
async function openApiDocument(): Promise<string> {
  const db = createDb(createPool('postgresql://nowhere'));
  const untilEnded = async () => undefined;
  const publicUrl = new URL('https://berth.example');
  const key = newKey();
  const log = pino({ enabled: false });
  const nowhere = { db, credentials: noCredentialCache, notifications: noNotifications, log };
  const deps = {
    db,
    secretKey: createKeyring({ keys: [key], current: key, sealing: 'bound' }),
    publicUrl,
    credentials: noCredentialCache,
    imageServers: [],
    healthChecks: async () => [],
    untilEnded,
    isCancellable,
    webhookTargets: strictTargets,
    events: createEventFeed(nowhere),
    consoles: createConsoles({
      ...nowhere,
      engineOf: () => Promise.reject(new Error('There is no engine.')),
    }),
  };
  const limiter = createLimiter(loadConfig({}).limits);
  const metrics = {
    answered: () => undefined,
    largeAnswerRefused: () => undefined,
    eventStreamRefused: () => undefined,
    connectionClosed: () => undefined,
    async *write() {
      yield '';
    },
  };
  const app = await createHttpServer({ deps, routes, lookups, limiter, metrics });
  const document = app.swagger();
  await app.close();
  await db.destroy();
  return `${JSON.stringify(document, null, 2)}\n`;
}

const document = await openApiDocument();
if (!process.argv.includes('--check')) {
  await writeFile(file, document);
} else if ((await readFile(file, 'utf8')) !== document) {
  console.error('contract/openapi.json is not what the routes say. Run: npm run openapi');
  process.exitCode = 1;
}
