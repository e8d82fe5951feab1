import assert from 'node:assert/strict';
import { type Logger, pino } from 'pino';
import type { Routes } from '../callers/app-types.ts';
import { createCredentialCache } from '../callers/credential-cache.ts';
import { listenForNotifications } from '../db/notifications.ts';
import type { ServerStatus } from '../db/schema/schema.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { finishOperation } from '../operations/lease-queries.ts';
import { createWaiter } from '../operations/waiter.ts';
import { type AllDeps, routes as allRoutes } from '../routes.ts';
import { setServerState } from '../servers/worker-queries.ts';
import { createTestApp, createTestToken } from './app.ts';
import { installation, type Sizes } from './fixtures.ts';
import { inject } from './inject.ts';
import { createTestDatabase } from './postgres.ts';
import { operationUnderWay, serverBody } from './servers.ts';

interface WholeApp extends Sizes {
  log?: Logger;
  /** The routes. The default is all of them; a few start faster. */
  routes?: readonly Routes<AllDeps>[];
}

/** The whole API on a separate database, without workers. */
export async function createWholeApp({ log, routes = allRoutes, ...sizes }: WholeApp = {}) {
  const { db, pool, connectionString, close } = await createTestDatabase();
  const place = await installation(db, sizes);
  const notifications = listenForNotifications(connectionString, pino({ enabled: false }));
  const untilEnded = createWaiter(db, notifications, new AbortController().signal);
  const credentials = createCredentialCache(notifications);
  const metrics = createMetrics({ db, pools: { requests: pool } }, { ofServers: true });
  const app = await createTestApp(db, [...routes], {
    untilEnded,
    credentials,
    metrics,
    ...(log && { log }),
  });
  const { headers } = await createTestToken(db, { scopes: ['servers:write', 'metrics:read'] });

  /** `ask('GET', '/servers')`, with the headers of a token unless others are given, and from an address. */
  async function ask(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    {
      body,
      from,
      ...more
    }: { body?: unknown; from?: string; prefix?: string } & Record<string, unknown> = {},
  ) {
    const { prefix = '/v1', ...others } = more;
    return await inject(app, {
      method,
      url: prefix + path,
      headers: { ...headers, ...others },
      ...(from !== undefined && { remoteAddress: from }),
      ...(body !== undefined && { payload: body as object }),
    });
  }

  const create = (more = {}, headers = {}) =>
    ask('POST', '/servers', { body: serverBody(place, more), ...headers });

  /** Ends the operation on a server like its worker. */
  async function finish(serverId: number, status: ServerStatus): Promise<void> {
    const lease = await operationUnderWay(db, serverId);
    await db.transaction().execute(async (trx) => {
      assert.ok(await finishOperation(trx, lease, { status: 'succeeded', message: 'It is done.' }));
      await setServerState(trx, serverId, { status });
    });
  }

  /** Ends the operation on a server with a failure, like its worker. */
  async function failOperation(serverId: number, code: string, message: string): Promise<void> {
    const operation = await operationUnderWay(db, serverId);
    const { kind } = operation;
    await db.transaction().execute(async (trx) => {
      const ending = { status: 'failed', error: { code, message } } as const;
      const words = { message: `The ${kind} failed: ${message}`, keepSecrets: kind === 'create' };
      assert.ok(await finishOperation(trx, operation, { ...ending, ...words }));
      if (kind === 'create')
        await setServerState(trx, serverId, { status: 'error', error: message });
    });
  }

  async function closeAll(): Promise<void> {
    await app.close();
    await notifications.close();
    await close();
  }

  return {
    ...{ app, db, connectionString, place, headers, ask, create, finish },
    fail: failOperation,
    close: closeAll,
  };
}
