import { serverUuid } from '../../instances/labels.ts';
import { eachWithin } from './each.ts';
import type { InstanceReading } from './metrics.ts';
import type { CollectContext, UsageLocation } from './source.ts';

interface StatesContext extends CollectContext {
  /** For all of them, at most. */
  nodeSeconds: number;
}

/**
 * What instances of a node use, each by its own state: for a node that does not tell of all at once, as where a
 * guest has made so many interfaces that listing them takes too long. Memory is with the page cache, and of the
 * disks nothing is told. Those that can't be read are left out.
 * @param late those that could not be read before come last, and are in the way of no other; is changed
 */
export async function readStates(
  { log, signal, nodeSeconds }: StatesContext,
  { id, client }: UsageLocation,
  node: { name: string },
  { names, late }: { names: string[]; late: Set<string> },
): Promise<Map<string, InstanceReading>> {
  const read = new Map<string, InstanceReading>();
  const servers = new Set(names.filter((name) => serverUuid(name)));
  for (const name of late) if (!servers.has(name)) late.delete(name);
  const due = [...[...servers].filter((name) => !late.has(name)), ...late];
  const deadline = { what: 'The states of a node’s servers', timeoutSeconds: nodeSeconds, signal };
  const errors = await eachWithin(deadline, due, async (name, untilThen) => {
    // Of those, who was tried longest ago comes first.
    late.delete(name);
    late.add(name);
    const use = await client.instances.getUse(name, { signal: untilThen });
    late.delete(name);
    // Of one that was stopped meanwhile it is nothing.
    if (!use?.cpuSeconds) return;
    const { cpuSeconds, memoryBytes: ramBytes } = use;
    read.set(name, { cpuSeconds, ramBytes, diskRead: null, diskWritten: null });
  });
  const [err] = errors;
  if (err && !signal?.aborted) {
    const about = { err, location: id, node: node.name, servers: errors.length };
    log.warn(about, 'Usage of some servers could not be read.');
  }
  return read;
}
