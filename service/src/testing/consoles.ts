import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { consoleProtocol } from '@berth/contract/consoles';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { startSimulator } from '../../../incus-sim/src/simulator.ts';
import { createCredentialCache } from '../callers/credential-cache.ts';
import { type ConsoleTimes, createConsoles } from '../consoles/hub.ts';
import { consoleRoutes } from '../consoles/routes.ts';
import { listenForNotifications } from '../db/notifications.ts';
import type { ServerStatus } from '../db/schema/schema.ts';
import { createIncusClient } from '../incus/client.ts';
import { instanceName } from '../instances/labels.ts';
import { createLimiter, type Limiter } from '../limits/limiter.ts';
import { sessionRoutes } from '../sessions/routes.ts';
import { createTestApp, createTestToken, generousLimits } from './app.ts';
import { keptLog } from './canaries.ts';
import { type Installation, installation } from './fixtures.ts';
import { inject } from './inject.ts';
import { createTestDatabase } from './postgres.ts';
import { enterServer } from './servers.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { until } from './until.ts';

const names = { project: 'berth', pool: 'berth', network: 'berthbr0' };

/** A simulated engine with running servers, and services that show their consoles. */
export async function startConsoleServices() {
  const { db, connectionString, close } = await createTestDatabase();
  after(close);
  const place = await installation(db);
  const directory = temporaryDirectory('consoles');
  const simulator = await startSimulator({ listen: { socketPath: join(directory, 'socket') } });
  after(async () => {
    await simulator.close();
    rmSync(directory, { recursive: true, force: true });
  });
  simulator.plant({ ...names, imageAliases: ['debian'] });
  const { socketPath } = simulator;
  const incus = createIncusClient({ socketPath, project: names.project });
  after(() => incus.close());
  const { log, lines } = keptLog('info');

  async function startService(
    times: Partial<ConsoleTimes> = {},
    limiter: Limiter = createLimiter(generousLimits),
  ) {
    const notifications = listenForNotifications(connectionString, pino({ enabled: false }));
    const credentials = createCredentialCache(notifications);
    const engineOf = async () => incus;
    const consoles = createConsoles({
      ...{ db, credentials, notifications, engineOf, log },
      times: { lingerMs: 200, lookMs: 200, ...times },
    });
    const routes = [consoleRoutes, sessionRoutes];
    const app = await createTestApp(db, routes, { credentials, consoles, log, limiter });
    const url = await app.listen();
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= app.close().then(() => notifications.close());
      return stopped;
    };
    after(stop);
    return { app, url, stop };
  }

  const own = await createTestToken(db, { scopes: ['servers:write'] });
  const service = await startService();
  const servers = await serversOn({ db, place, incus });

  interface Opening {
    headers?: Record<string, string>;
    at?: typeof service;
  }

  /** Requests the console of a server. */
  async function request(id: number, headers: Record<string, string> = own.headers, at = service) {
    return await inject(at.app, {
      method: 'POST',
      url: `/v1/servers/${id}/console`,
      headers: { host: new URL(at.url).host, ...headers },
    });
  }

  /** Requests the console of a server, and opens it. */
  async function open(id: number, { headers, at }: Opening = {}) {
    const answer = await request(id, headers, at);
    assert.equal(answer.statusCode, 201, answer.body);
    return await openConsole(answer.json().url);
  }

  return {
    ...{ db, place, simulator, incus, lines, own, service, startService, request, open },
    ...servers,
  };
}

interface Grounds {
  db: Awaited<ReturnType<typeof createTestDatabase>>['db'];
  place: Installation;
  incus: ReturnType<typeof createIncusClient>;
}

async function serversOn({ db, place, incus }: Grounds) {
  const nameOf = async (id: number) => {
    const query = db.selectFrom('servers').select('uuid').where('id', '=', id);
    return instanceName((await query.executeTakeFirstOrThrow()).uuid);
  };
  const settle = async (call: Promise<{ id: string }>) =>
    await incus.operations.wait((await call).id, { timeoutSeconds: 60 });

  return {
    nameOf,
    /** A server whose instance is running. */
    async startServer(): Promise<number> {
      const id = await enterServer(db, place);
      const name = await nameOf(id);
      const root = { type: 'disk', path: '/', pool: names.pool };
      const source = { type: 'image', alias: 'debian' } as const;
      const empty = { config: {}, profiles: [] };
      await settle(
        incus.instances.create({ name, type: 'container', source, ...empty, devices: { root } }),
      );
      await settle(incus.instances.updateState(name, { action: 'start' }));
      return id;
    },
    /** Stops its instance, as an operation does that has set the status. */
    async stopServer(id: number, status: ServerStatus): Promise<void> {
      await db.updateTable('servers').set({ status }).where('id', '=', id).execute();
      const name = await nameOf(id);
      await settle(incus.instances.updateState(name, { action: 'stop', force: true }));
    },
  };
}

/** Somebody who watches a console. */
export interface Watcher {
  socket: WebSocket;
  /** All that was shown. */
  text(): string;
  type(text: string): void;
  send(message: unknown): void;
  /** Waits until the text matches. */
  shows(pattern: RegExp): Promise<void>;
  closed: Promise<{ code: number; reason: string }>;
}

interface OpeningOptions {
  origin?: string;
  protocol?: string;
  /** The certificate of the authority that has signed that of the server, as PEM. */
  ca?: string;
  /** Whether it reads nothing until `socket.resume()`. */
  isPaused?: boolean;
}

/** Opens the URL of a console. Rejects with the HTTP status if it is refused. */
export async function openConsole(
  url: string,
  { origin, protocol = consoleProtocol, ca, isPaused = false }: OpeningOptions = {},
): Promise<Watcher> {
  const socket = new WebSocket(url, protocol, {
    perMessageDeflate: false,
    ...(origin !== undefined && { origin }),
    ...(ca !== undefined && { ca }),
  });
  after(() => socket.terminate());
  const parts: Buffer[] = [];
  socket.on('message', (data: Buffer) => parts.push(data));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => {
      if (isPaused) socket.pause();
      resolve();
    });
    socket.on('error', reject);
  });
  const text = () => Buffer.concat(parts).toString();
  return {
    socket,
    text,
    type: (typed) => socket.send(Buffer.from(typed)),
    send: (message) => socket.send(JSON.stringify(message)),
    async shows(pattern) {
      await until(`the console shows ${pattern}`, text, (seen) => pattern.test(seen));
    },
    closed,
  };
}
