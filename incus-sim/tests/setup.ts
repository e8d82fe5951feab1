import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createIncusClient, type IncusClient } from '../../service/src/incus/client.ts';
import { type IncusEvent, watchEvents } from '../../service/src/incus/events.ts';
import type { Operation } from '../../service/src/incus/transport/api.ts';
import { temporaryDirectory } from '../../service/src/testing/temporary-directory.ts';
import type { EngineOptions } from '../src/engine.ts';
import { type Simulator, startSimulator } from '../src/simulator.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Undone after the test. */
export function cleanUpWith(undo: () => unknown): void {
  cleanups.push(undo);
}

export const project = 'servers';
const image = 'debian';

export interface Simulated {
  simulator: Simulator;
  client: IncusClient;
}

/** A simulator with a project, a pool, a network and an image, which is closed after the test. */
export async function simulated(options: EngineOptions = {}): Promise<Simulated> {
  const directory = temporaryDirectory('simulated');
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const socketPath = join(directory, 'socket');
  const simulator = await startSimulator({ ...options, listen: { socketPath } });
  cleanups.push(() => simulator.close());
  simulator.plant({ project, pool: 'disks', network: 'bridge', imageAliases: [image] });
  const client = createIncusClient({ socketPath, project, timeoutSeconds: 2 });
  cleanups.push(() => client.close());
  return { simulator, client };
}

/**
 * Sends a request to the administrator of a simulator, as a test in another process does. Returns
 * the status.
 */
export async function askSimulator(
  socketPath: string,
  method: 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<number | undefined> {
  const asked = request({ socketPath, method, path: `/sim/${path}` });
  asked.end(body && JSON.stringify(body));
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}

export function definition(name: string) {
  return {
    name,
    type: 'container' as const,
    source: { type: 'image' as const, alias: image },
    profiles: [],
    config: { 'limits.memory': '256MiB' },
    devices: {
      root: { type: 'disk', path: '/', pool: 'disks', size: '2GiB' },
      eth0: { type: 'nic', name: 'eth0', network: 'bridge' },
    },
  };
}

/** Waits for the operation that a request starts. Throws its error if it fails. */
export async function settled(client: IncusClient, call: Promise<Operation>) {
  const { id } = await call;
  return await client.operations.wait(id, { timeoutSeconds: 10 });
}

export const create = ({ client }: Simulated, name: string, target?: string) =>
  settled(client, client.instances.create(definition(name), target));

export const start = ({ client }: Simulated, name: string) =>
  settled(client, client.instances.updateState(name, { action: 'start' }));

export const statusOf = async ({ client }: Simulated, name: string) =>
  (await client.instances.get(name))?.status ?? null;

export async function hasDisk({ client }: Simulated, name: string): Promise<boolean> {
  return (await client.storage.listVolumes('disks')).some((volume) => volume.name === name);
}

/** Counts events by action, and connections, from now on. */
export async function follow({ simulator }: Simulated) {
  const seen: IncusEvent[] = [];
  const connections: number[] = [];
  const stopping = new AbortController();
  const watching = watchEvents(
    { socketPath: simulator.socketPath },
    {
      types: ['lifecycle'],
      project,
      signal: stopping.signal,
      onEvent: (event) => seen.push(event),
      onConnect: () => connections.push(Date.now()),
      onDisconnect() {},
    },
  );
  cleanups.push(async () => {
    stopping.abort();
    await watching;
  });
  await until(() => connections.length > 0);
  const actions = () => seen.flatMap((event) => (event.type === 'lifecycle' ? [event.action] : []));
  return { actions, connections };
}

/** Waits at most a minute, since a busy machine is slow. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('The condition was not true within a minute.');
    await sleep(10);
  }
}
