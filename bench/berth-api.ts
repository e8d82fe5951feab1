import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatingSystem } from '@berth/contract/operating-systems';
import type { Server, ServerStatusRecord } from '@berth/contract/servers';
import type { Stack } from '../e2e/stack.ts';
import { guest, type Side } from './guest.ts';

const pollMs = 50;

/** The guest created by Berth: `POST /v1/servers`, then `status` until no operation is in progress. */
export async function berthApi({ service }: Stack): Promise<Side> {
  const call = caller(service);
  const systems = await call<OperatingSystem[]>('GET', '/v1/operating-systems');
  const osId = systems.find(({ slug }) => slug === guest.os)?.id;
  let server: Server | undefined;
  const created = () => {
    if (!server) throw new Error('No server was created.');
    return server;
  };
  return {
    async create() {
      server = await call<Server>('POST', '/v1/servers', {
        name: guest.hostname,
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
    },
    instance: () => `srv-${created().uuid}`,
    remove: () => call('DELETE', `/v1/servers/${created().id}`),
  };
}

function caller({ url, token }: Stack['service']) {
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
      // A removal that is still in progress would slow down the next round.
      ...(method === 'DELETE' && { prefer: 'wait=60' }),
    };
    const init = { method, headers, body: body ? JSON.stringify(body) : null };
    const response = await fetch(`${url}${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as T;
  };
}
