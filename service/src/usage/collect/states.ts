import { serverUuid } from '../../instances/labels.ts';
import type { Outage } from '../../lib/outage.ts';
import { eachWithin } from './each.ts';
import type { InstanceReading } from './metrics.ts';
import type { CollectContext, UsageLocation } from './source.ts';

interface StatesContext extends CollectContext {
  /** Timeout for all of them. */
  nodeSeconds: number;
}

/**
 * Reads each instance's own state, for a node that can't report all of them at once, for example
 * because a guest has created so many interfaces that listing them takes too long. Memory includes
 * the page cache, and disk traffic is missing. Instances that can't be read are skipped.
 * @param outage logs it if some can't be read
 * @param late instances that could not be read before; they come last, and the set is updated
 */
export async function readStates(
  { signal, nodeSeconds }: StatesContext,
  { client }: UsageLocation,
  { names, late, outage }: { names: string[]; late: Set<string>; outage: Outage },
): Promise<Map<string, InstanceReading>> {
  const read = new Map<string, InstanceReading>();
  const servers = new Set(names.filter((name) => serverUuid(name)));
  for (const name of late) if (!servers.has(name)) late.delete(name);
  const due = [...[...servers].filter((name) => !late.has(name)), ...late];
  const deadline = { what: 'The states of a node’s servers', timeoutSeconds: nodeSeconds, signal };
  const errors = await eachWithin(deadline, due, async (name, untilThen) => {
    // Among these, the one that was read the longest ago comes first.
    late.delete(name);
    late.add(name);
    const use = await client.instances.getUse(name, { signal: untilThen });
    late.delete(name);
    // The state of an instance that was stopped meanwhile has no usage.
    if (!use?.cpuSeconds) return;
    const { cpuSeconds, memoryBytes: ramBytes } = use;
    read.set(name, { cpuSeconds, ramBytes, diskRead: null, diskWritten: null });
  });
  const [err] = errors;
  if (signal?.aborted) return read;
  if (err) outage.failed(err, { servers: errors.length });
  else if (late.size === 0) outage.worked();
  return read;
}
