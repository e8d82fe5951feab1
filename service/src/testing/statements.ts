import { routes } from '../routes.ts';
import { createTestApp, createTestToken } from './app.ts';
import { installation } from './fixtures.ts';
import { inject } from './inject.ts';
import { createDatabaseWithClock } from './postgres.ts';

/** The whole API on a database with a movable clock (`clock.ts`). */
export async function createAppWithClock() {
  const database = await createDatabaseWithClock();
  const { db } = database;
  const place = await installation(db);
  const app = await createTestApp(db, [...routes]);
  const { headers } = await createTestToken(db, { scopes: ['servers:read'] });

  /** Uses the headers of a token by default. */
  const ask = (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    { body, ...more }: { body?: object } & Record<string, unknown> = {},
  ) =>
    inject(app, {
      method,
      url: `/v1${path}`,
      headers: { ...headers, ...more },
      ...(body && { payload: body }),
    });

  async function close(): Promise<void> {
    await app.close();
    await database.close();
  }

  return { db, place, ask, close };
}
