import { nicDevice as cardDevice } from '../../instances/labels.ts';
import { type NetworkReading, type Nic, type NicReading, Nics, nicOf } from './nics.ts';
import type { UsageSource } from './source.ts';

interface Place {
  client: UsageSource;
  /** The member of a cluster; null without a cluster. */
  member: string | null;
  signal?: AbortSignal | undefined;
  timeoutSeconds?: number;
}

/** Reads the counters of an instance's NIC; undefined if it has none. Records the NIC in `nics`. */
export async function readNetwork(
  place: Place,
  name: string,
  nics = new Nics(),
): Promise<NetworkReading | undefined> {
  const known = nics.get(name);
  // Moves the entry to the end: it was read last.
  nics.delete(name);
  nics.set(name, known);
  let reading = known && (await readNic(place, known));
  if (!reading || wasReset(known, reading)) {
    // This is another run: an administrator may have given the interface a fixed name.
    const nic = await findNic(place, name);
    reading = nic && (await readNic(place, nic));
  }
  nics.set(name, reading);
  return reading && readingOf(reading);
}

const wasReset = (before: NicReading | undefined, now: NicReading) =>
  before && (now.networkIn < before.networkIn || now.networkOut < before.networkOut);

const readingOf = ({ run, startedAt, networkIn, networkOut }: NicReading): NetworkReading => {
  return { run, startedAt, networkIn, networkOut };
};

/** What the host has received on its end is what the guest has sent. */
async function readNic(
  { client, member, signal, timeoutSeconds }: Place,
  { hostName, run, startedAt }: Nic,
): Promise<NicReading | undefined> {
  const options = { signal, timeoutSeconds };
  const state = await client.networks.getState(hostName, member ?? undefined, options);
  if (!state) return undefined;
  const { bytes_received, bytes_sent } = state.counters;
  for (const bytes of [bytes_received, bytes_sent]) {
    if (Number.isSafeInteger(bytes) && bytes >= 0) continue;
    throw new Error(`The NIC ${hostName} tells of ${bytes} bytes.`);
  }
  return { hostName, run, startedAt, networkIn: bytes_sent, networkOut: bytes_received };
}

async function findNic(
  { client, signal, timeoutSeconds }: Place,
  name: string,
): Promise<Nic | undefined> {
  const instance = await client.instances.get(name, { signal, timeoutSeconds });
  const hostName = instance?.config[`volatile.${cardDevice}.host_name`];
  if (!instance || hostName === undefined) return undefined;
  const nic = nicOf(`${hostName} ${instance.last_used_at}`);
  if (Number.isNaN(nic.startedAt.getTime())) throw new Error(`${name} began at no time.`);
  return nic;
}
