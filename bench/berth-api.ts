import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatingSystem } from '@berth/contract/operating-systems';
import type { Server, ServerStatusRecord } from '@berth/contract/servers';
import type { Stack } from '../e2e/stack.ts';
import type { StepTimes } from './create-steps.ts';
import { guest, type Side } from './guest.ts';
import { answersBySsh } from './ssh-banner.ts';

/** The interval of polls if a create takes longer than a request can wait. */
const pollMs = 50;

/** Guests made by Berth: `POST /v1/servers`, which waits for the end of the create. */
export async function berthApi({ service }: Stack, steps: StepTimes): Promise<Side> {
  const call = caller(service);
  const systems = await call<OperatingSystem[]>('GET', '/v1/operating-systems');
  const osId = systems.find(({ slug }) => slug === guest.os)?.id;
  return {
    async create(number) {
      const asked = now();
      const server = await call<Server>('POST', '/v1/servers', {
        name: `${guest.hostname}-${number}`,
        location_id: 1,
        os_id: osId,
        password: guest.password,
        initialCommands: [guest.command],
        cpu: guest.cpu,
        ram: guest.ramMb,
        disk: guest.diskGb,
      });
      const path = `/v1/servers/${server.id}/status`;
      while ((await call<ServerStatusRecord>('GET', path)).is_processing) await sleep(pollMs);
      const seen = now();
      await answersBySsh(ipv4Of(server));
      steps.note({ serverId: server.id, asked, seen, answered: now() });
      return {
        instance: `srv-${server.uuid}`,
        remove: () => call('DELETE', `/v1/servers/${server.id}`),
      };
    },
  };
}

/** Milliseconds of the wall clock, which PostgreSQL uses as well. */
const now = () => performance.timeOrigin + performance.now();

function ipv4Of({ ip_addresses: addresses }: Server): string {
  const found = addresses.find(({ ip }) => !ip.includes(':'));
  if (!found) throw new Error('The server has no IPv4 address.');
  return found.ip;
}

function caller({ url, token }: Stack['service']) {
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
      // A removal in progress would slow down the next round.
      ...(method !== 'GET' && { prefer: 'wait=60' }),
    };
    const init = { method, headers, body: body ? JSON.stringify(body) : null };
    const response = await fetch(`${url}${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as T;
  };
}
