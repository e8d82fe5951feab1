import type { Instance } from '../incus/instances.ts';
import { heldLabel } from './labels.ts';

// A suspended server must not be started with its node.

/** Whether Incus starts an instance with its node: `true`, `false`, or unset if it ran before (Incus documentation). */
const autostart = 'boot.autostart';
/** In the label, for an unset value: an empty one would remove the label. */
const unset = 'unset';

type Seen = Pick<Instance, 'config'>;

/** Whether an instance has been kept from being started with its node. */
export const isHeld = ({ config }: Seen) =>
  Boolean(config[heldLabel]) && config[autostart] === 'false';

/** Whether it was held, whatever somebody has set since. */
export const wasHeld = ({ config }: Seen) => Boolean(config[heldLabel]);

/** The configuration that keeps an instance from being started with its node. */
export function hold({ config }: Seen) {
  const before = config[heldLabel] || config[autostart] || unset;
  return { config: { [heldLabel]: before, [autostart]: 'false' } };
}

/** The configuration that it had before. */
export function release({ config }: Seen) {
  const before = config[heldLabel];
  if (!before) return {};
  return { config: { [heldLabel]: '', [autostart]: before === unset ? '' : before } };
}
