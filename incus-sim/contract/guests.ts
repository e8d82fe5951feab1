import { setTimeout as sleep } from 'node:timers/promises';
import { networkConfig, userData } from '../../service/src/guests/cloud-init.ts';
import type { IncusClient } from '../../service/src/incus/client.ts';
import type { Devices, NewInstance } from '../../service/src/incus/instances.ts';
import type { Operation } from '../../service/src/incus/transport/api.ts';
import { isEngineError } from '../../service/src/incus/transport/errors.ts';
import { cleanUpWith, newName, type Target } from './target.ts';

const longestSeconds = 60;

/** Waits for the operation that a request starts. Throws its error if it fails. */
export async function settled(client: IncusClient, call: Promise<Operation>): Promise<Operation> {
  const { id } = await call;
  const ended = await client.operations.wait(id, { timeoutSeconds: longestSeconds });
  if (ended.outcome === 'vanished') throw new Error('The operation vanished.');
  return ended.operation;
}

export const start = ({ client }: Target, name: string) =>
  settled(client, client.instances.updateState(name, { action: 'start' }));

export const powerCut = ({ client }: Target, name: string) =>
  settled(client, client.instances.updateState(name, { action: 'stop', force: true }));

export const shutDown = ({ client }: Target, name: string, graceSeconds: number) =>
  settled(
    client,
    client.instances.updateState(name, { action: 'stop', force: false, graceSeconds }),
  );

let lastHost = 199;

/**
 * An address in the network of the target, and a MAC, that no other instance of this process has.
 */
async function newAddress({ client, names }: Target) {
  lastHost += 1;
  const host = lastHost;
  const gateway = (await client.networks.get(names.network))?.config['ipv4.address'] ?? '';
  const [ip = '', prefix = ''] = gateway.split('/');
  const mac = `10:66:6a:c0:00:${host.toString(16)}`;
  const own = { ip: ip.replace(/\d+$/, String(host)), prefixLength: Number(prefix) };
  return { mac, address: { ...own, gateway: ip, nameservers: [ip] } };
}

/** The body of a create: a small container with a fixed address. */
export async function definition(target: Target, name: string): Promise<NewInstance> {
  const { names, image } = target;
  const { mac, address } = await newAddress(target);
  const nic = { type: 'nic', name: 'eth0', network: names.network, hwaddr: mac };
  const filters = { 'security.mac_filtering': 'true', 'security.ipv4_filtering': 'true' };
  const devices: Devices = {
    root: { type: 'disk', path: '/', pool: names.pool, size: '2GiB' },
    eth0: { ...nic, ...filters, 'ipv4.address': address.ip },
  };
  return {
    name,
    type: 'container',
    source: { type: 'image', fingerprint: image },
    profiles: [],
    config: {
      'limits.memory': '256MiB',
      'cloud-init.user-data': userData({ hostname: 'contract' }),
      'cloud-init.network-config': networkConfig({ type: 'container', mac, addresses: [address] }),
    },
    devices,
  };
}

/** Creates a stopped instance, which is removed afterwards, also under another name. */
export async function createInstance(target: Target, what: string): Promise<NewInstance> {
  const wanted = await definition(target, newName(what));
  removeAfterwards(target, wanted.name);
  await settled(target.client, target.client.instances.create(wanted));
  return wanted;
}

export function removeAfterwards(target: Target, name: string): void {
  cleanUpWith(() => removeInstance(target, name));
}

/** It may be in any state: a failed test may have left it during a start. */
async function removeInstance(target: Target, name: string): Promise<void> {
  const { instances } = target.client;
  const end = performance.now() + longestSeconds * 1000;
  for (let found = await instances.get(name); found; found = await instances.get(name)) {
    try {
      if (found.status !== 'Stopped') await powerCut(target, name);
      await settled(target.client, instances.delete(name));
    } catch (error) {
      const isPassing = isEngineError(error, 'busy') || isEngineError(error, 'not_found');
      if (!isPassing || performance.now() > end) throw error;
      await sleep(200);
    }
  }
}

/** The error of an operation or a request; undefined if it succeeded. */
export async function ending(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}
