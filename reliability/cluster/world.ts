import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Node } from '@berth/contract/nodes';
import type { Operation } from '@berth/contract/operations';
import type { ServerStatusRecord } from '@berth/contract/servers';
import { isServiceRunning, type Service, startService } from '../../e2e/service.ts';
import { createIncusClient, type IncusClient } from '../../service/src/incus/client.ts';
import { eventually } from '../../service/src/testing/until.ts';
import { type Machine, plugIn, startDaemon } from './machine.ts';
import type { Requests } from './requests.ts';

/** A cluster of machines with Berth, and the requests that were accepted so far. */
export interface World {
  machines: Machine[];
  services: Service[];
  requests: Requests;
  /** The client of the first machine. */
  client: IncusClient;
  /** The directory of the database. */
  directory: string;
  pool: string;
  /** The instances of servers that run all the time, by server id. */
  servers: Map<number, string>;
  /** Everything that was accepted. */
  accepted: { servers: Set<number>; operations: Set<number> };
}

const wholeSeconds = 60;
const size = { cpu: 1, ram: 256, disk: 2 };

/** Creates a server, and returns its id once it is accepted. */
export async function create({ requests, accepted }: World, name: string, group?: string) {
  const { status, body } = await requests.insist<{ id: number; uuid: string }>('POST', '/servers', {
    ...{ name, location_id: 1, os_id: 1, password: 'correct horse', ...size },
    initialCommands: ['echo ran >> /root/ran'],
    ...(group !== undefined && { group }),
  });
  assert.equal(status, 201, JSON.stringify(body));
  accepted.servers.add(body.id);
  return { id: body.id, instance: `srv-${body.uuid}` };
}

/** Checks that exactly those nodes are offline for administrators, and the others online. */
export async function areOffline({ requests }: World, away: readonly Machine[]): Promise<void> {
  const nodes = await requests.get<Node[]>('/nodes');
  const offline = nodes.filter(({ state }) => state === 'offline').map(({ name }) => name);
  const online = nodes.filter(({ state }) => state === 'online');
  assert.deepEqual(offline.sort(), away.map(({ name }) => name).sort());
  assert.equal(online.length, nodes.length - away.length, 'the others are online');
}

export async function realStatus({ requests }: World, id: number): Promise<string> {
  return (await requests.get<ServerStatusRecord>(`/servers/${id}/status`)).real_status;
}

export async function latestOperation({ requests }: World, id: number): Promise<Operation> {
  const [latest] = await requests.get<Operation[]>(`/operations?server_id=${id}&limit=1&sort=-id`);
  assert.ok(latest, `an operation of the server ${id}`);
  return latest;
}

/** Returns the seconds until a check passes. After `seconds`, throws its last error. */
export async function secondsUntil(seconds: number, check: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await eventually(check, seconds);
  return (performance.now() - began) / 1000;
}

/** The ids of those servers that run all the time, by the name of their member. */
export async function serversByMember(
  { servers }: World,
  client: IncusClient,
): Promise<Map<string, number[]>> {
  const listed = new Map((await client.instances.list()).map((i) => [i.name, i.location]));
  const byMember = new Map<string, number[]>();
  for (const [id, instance] of servers) {
    const member = listed.get(instance);
    assert.ok(member, `the server ${id} has an instance`);
    byMember.set(member, [...(byMember.get(member) ?? []), id]);
  }
  return byMember;
}

export async function isStarted(world: World, id: number): Promise<void> {
  const { requests } = world;
  const { status, error } = await requests.get<{ status: string; error: string | null }>(
    `/servers/${id}`,
  );
  const { message } = await latestOperation(world, id);
  assert.equal(status, 'started', `${id}: ${error ?? message}`);
}

/** The operations in progress in Incus, for an error message after a long wait. */
export async function shownUnderWay({ client }: World): Promise<string> {
  const operations = await client.operations.listOfAllProjects().catch((error) => error);
  return inspect(operations, { depth: 4 });
}

/** All servers that run all the time are shown as running, and their nodes as online. */
export async function truthIsBack(world: World): Promise<void> {
  await areOffline(world, []);
  for (const id of world.servers.keys()) assert.equal(await realStatus(world, id), 'started');
}

/**
 * Returns the seconds until each member forwards requests to each other one. Incus forwards them to a member that is
 * back only after its next heartbeat; heartbeats are 10 s apart.
 */
export async function passedOnAgain({ machines }: World): Promise<number> {
  const clients = machines.map(({ socketPath }) =>
    createIncusClient({ socketPath, project: 'default' }),
  );
  try {
    return await secondsUntil(wholeSeconds, async () => {
      for (const { server } of clients) {
        for (const { name } of machines) await server.info(name, { timeoutSeconds: 2 });
      }
    });
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

const truthSeconds = 60;

/** Seconds from the return of a part until everything was correct. Throws if that took too long. */
export async function returned(world: World): Promise<Record<string, number>> {
  const [truth, passedOn] = await Promise.all([
    secondsUntil(truthSeconds, () => truthIsBack(world)),
    passedOnAgain(world),
  ]);
  return { truth, 'requests forwarded again': passedOn };
}

/** The machine whose member is the leader of the cluster's database. */
export async function leaderOf({ client, machines }: World): Promise<Machine> {
  const members = await client.server.members();
  const leading = members.find(({ roles }) => roles.includes('database-leader'));
  const machine = machines.find(({ name }) => name === leading?.server_name);
  assert.ok(machine, 'the cluster has a leader');
  return machine;
}

/** Restarts everything that a scenario has stopped. */
export async function makeWhole({ machines, services }: World): Promise<void> {
  for (const machine of machines) plugIn(machine);
  await Promise.all(machines.map(startDaemon));
  for (const service of services) if (!isServiceRunning(service)) await startService(service);
}
