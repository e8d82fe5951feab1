import { EngineError } from '../../incus/transport/errors.ts';
import { parseMemory } from './metrics.ts';
import type { UsageSource } from './source.ts';

interface Asked {
  client: UsageSource;
  /** The member of a cluster; null without a cluster. */
  member: string | null;
  /** The name of a running instance. */
  name: string;
  signal: AbortSignal;
}

/**
 * Returns the memory in MiB that a running guest can't do without, as of a few seconds ago: a lower limit would have the
 * kernel kill its processes. If its node can't report it, the page cache is included. Throws if the guest has ended.
 */
export async function memoryInUse({ client, member, name, signal }: Asked): Promise<number> {
  const { server, instances } = client;
  const bytes =
    (await server.metrics(member ?? undefined, parseMemory, { signal })).get(name) ??
    (await instances.getUse(name, { signal }))?.memoryBytes;
  // A stopped instance uses nothing.
  if (!bytes) throw new EngineError('busy', `The memory of ${name} is not known.`);
  return Math.ceil(bytes / 2 ** 20);
}
