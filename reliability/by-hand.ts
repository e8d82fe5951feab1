import type { Drift } from '@berth/contract/drift';
import type { IncusClient } from '../service/src/incus/client.ts';
import type { Devices, NewInstance } from '../service/src/incus/instances.ts';
import { createTestToken } from '../service/src/testing/app.ts';
import { until } from '../service/src/testing/until.ts';
import { type Laboratory, openLaboratory, project } from './laboratory.ts';

/** How often the laboratory looks at the instances. */
export const sweepMilliseconds = 200;

export const size = { 'limits.cpu': '1', 'limits.memory': '512MiB' };
export const root = { type: 'disk', path: '/', pool: 'berth', size: '3GiB' };
export const nicWith = (ip: string) => ({
  ...{ type: 'nic', network: 'berthbr0', 'ipv4.address': ip },
});

/** A laboratory for instances that were made by hand in Incus. */
export interface ByHand {
  laboratory: Laboratory;
  /** Of an administrator. */
  headers: Record<string, string>;
  /** Makes an instance that runs, with a file by which its disk is known. */
  make(name: string, devices: Devices, config?: Record<string, string>): Promise<void>;
  /** The record of an instance without a server, by default of the Incus project of the location. */
  listed(name: string, kind?: Drift['kind']): Promise<Drift | undefined>;
  found(name: string, kind?: Drift['kind']): Promise<Drift>;
  /** Requests the adoption of an instance, once it is found. */
  adopt(
    name: string,
    body?: object,
    kind?: Drift['kind'],
  ): Promise<Awaited<ReturnType<Laboratory['post']>>>;
}

export async function openByHand(): Promise<ByHand> {
  const laboratory = await openLaboratory({ sweepMilliseconds, stopTimeoutSeconds: 1 });
  const { client, simulator } = laboratory;
  const { headers } = await createTestToken(laboratory.database.db, { scopes: ['admin'] });
  const listed: ByHand['listed'] = async (name, kind = 'unknown_instance') => {
    const list = await laboratory.ask(`/drift?q=${name}&kind=${kind}`, headers);
    return (list as unknown as Drift[])[0];
  };
  const found: ByHand['found'] = (name, kind) =>
    until(`${name} is found`, () => listed(name, kind));
  return {
    ...{ laboratory, headers, listed, found },
    async make(name, devices, config = size) {
      await createIn(client, {
        ...{ name, type: 'container', config, devices, profiles: [] },
        source: { type: 'image', alias: 'berth-debian-12' },
      });
      const file = { type: 'file', uid: 0, gid: 0, mode: 0o644, content: 'ran\n' } as const;
      await client.files.push(name, '/root/ran', file);
      simulator.administrator.start(project, name);
    },
    async adopt(name, body = {}, kind) {
      const { id } = await found(name, kind);
      const wanted = { os_id: laboratory.place.osId, ...body };
      return await laboratory.post(`/drift/${id}/adopt`, headers, wanted);
    },
  };
}

export async function createIn(incus: IncusClient, wanted: NewInstance): Promise<void> {
  const { id } = await incus.instances.create(wanted);
  await incus.operations.wait(id, { timeoutSeconds: 60 });
}
