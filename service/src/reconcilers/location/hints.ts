import type { IncusEvent } from '../../incus/events.ts';

/** The names of the instances that should be synced because of an event. */
interface Hints {
  /** The name of the instance, and its former name if it was renamed. */
  changed: string[];
  /**
   * The name of the instance if a snapshot was restored, which replaces its disk and the counted usage of its quota.
   */
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
