import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Server } from '@berth/contract/servers';
import { dataDirectory, type Service } from '../e2e/service.ts';
import { fastifyOn } from './fastify.ts';
import { withSimulated } from './simulated.ts';
import { compare, conclude } from './statistics.ts';
import { type Load, load } from './wrk.ts';

const defaultRounds = 3;
const servers = 100;
const seconds = 4;
const startedWithinMs = 300_000;

/** A request, and its acceptable ratio to Fastify with one prepared query. */
interface Read {
  title: string;
  path: string;
  /** A file for wrk that chooses the paths instead. */
  script?: string;
  clients: number;
  least?: number;
  most?: number;
  figure(of: Load): number;
}

const eachServer = fileURLToPath(new URL('each-server.lua', import.meta.url));

const reads: readonly Read[] = [
  {
    title: 'GET /v1/servers/{id}, 32 clients, requests per second',
    path: '/v1/servers',
    script: eachServer,
    clients: 32,
    least: 0.5,
    figure: (of: Load) => of.perSecond,
  },
  {
    title: 'GET /v1/servers/{id}, 1 client, median in milliseconds',
    path: '/v1/servers',
    script: eachServer,
    clients: 1,
    most: 2.5,
    figure: (of: Load) => of.p50Milliseconds,
  },
  {
    title: 'GET /v1/servers?limit=100, 32 clients, requests per second',
    path: '/v1/servers?limit=100',
    clients: 32,
    least: 0.4,
    figure: (of: Load) => of.perSecond,
  },
];

/**
 * Compares reads of an installation with 100 servers to Fastify with one prepared query for the
 * same rows.
 */
export async function benchReads(rounds = defaultRounds): Promise<boolean> {
  return await withSimulated({}, async (service) => {
    await fill(service);
    const socket = `${dataDirectory(service.directory)}/postgres-socket`;
    const url = `postgresql://berth@/berth?host=${encodeURIComponent(socket)}`;
    await using fastify = await fastifyOn(url);
    let held = true;
    for (const { title, path, script, clients, figure, ...limits } of reads) {
      const sides: { baseline: number[]; measured: number[] } = { baseline: [], measured: [] };
      for (let round = 0; round <= rounds; round += 1) {
        const of = figure(await load(`${fastify.url}${path}`, { clients, seconds, script }));
        const { token } = service;
        const at = figure(await load(`${service.url}${path}`, { token, clients, seconds, script }));
        // The first round is a warm-up for both.
        if (round === 0) continue;
        sides.baseline.push(of);
        sides.measured.push(at);
      }
      const result = compare(sides.baseline, sides.measured);
      const names = { baseline: 'Fastify with one query', measured: 'Berth' };
      const isMet = conclude(title, names, result, { of: 'ratio', ...limits });
      held &&= isMet;
    }
    return held;
  });
}

async function fill(service: Service): Promise<void> {
  for (let number = 1; number <= servers; number += 1) {
    await call(service, 'POST', '/v1/servers', {
      ...{
        name: `server-${number}`,
        location_id: 1,
        os_id: 1,
        password: 'password-of-a-benchmark',
      },
      ...{ initialCommands: [], cpu: 1, ram: 256, disk: 2 },
    });
  }
  const end = Date.now() + startedWithinMs;
  for (;;) {
    const all = await call<Server[]>(service, 'GET', '/v1/servers');
    if (all.every(({ status }) => status === 'started')) return;
    if (Date.now() > end) throw new Error('Not all servers were started.');
    await sleep(500);
  }
}

async function call<T>({ url, token }: Service, method: string, path: string, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body ? JSON.stringify(body) : null,
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json()) as T;
}
