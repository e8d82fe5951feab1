import type { IncusEvent } from '../../incus/events.ts';

/** Names of instances that an event says to look at. */
interface Hints {
  /** The instance, and its former name where it was renamed. */
  changed: string[];
  /** Its disk, and what its quota counts, are those of a snapshot now. */
  restored: string[];
}

export function hintsOf(event: IncusEvent): Hints {
  if (event.type !== 'lifecycle') return { changed: [], restored: [] };
  const { action, instance, context } = event;
  const named = (...names: unknown[]) => names.filter((one) => typeof one === 'string');
  return {
    changed: named(instance, context.old_name),
    restored: action === 'instance-restored' ? named(instance) : [],
  };
}
