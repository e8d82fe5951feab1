import type { components } from '@berth/client';
import { nameOf } from '../events/type-words.ts';
import { counted } from '../format/units.ts';

export type Webhook = components['schemas']['Webhook'];
type State = Pick<Webhook, 'status' | 'paused_because' | 'failing_since' | 'last_success_at'>;

interface StateWords {
  word: string;
  /** What it means, and the way out. */
  explanation: string;
  color: 'gray' | 'teal' | 'yellow' | 'red';
}

const missed = 'Events that happen meanwhile are not sent, also not later.';

/** Whether events are sent, and why not. */
export function stateOf({
  status,
  paused_because,
  failing_since,
  last_success_at,
}: State): StateWords {
  if (status === 'disabled')
    return { word: 'disabled', explanation: `Somebody has disabled it. ${missed}`, color: 'gray' };
  if (status === 'paused')
    return {
      word: 'paused',
      explanation: `${causes[paused_because ?? 'failing']} ${missed}`,
      color: 'red',
    };
  if (failing_since !== null) {
    const explanation =
      'The latest attempts have failed: the deliveries say why. They are repeated.';
    return { word: 'failing', explanation, color: 'yellow' };
  }
  const explanation = last_success_at
    ? 'Events are sent as they happen.'
    : 'Events are sent as they happen. There was none yet.';
  return { word: 'active', explanation, color: 'teal' };
}

const causes = {
  failing:
    'It was paused, because no attempt has succeeded for three days. Mend the receiver, and resume it.',
  gone: 'It was paused, because its receiver has said that it is gone for good (410). Change the URL, and resume it.',
};

/** `all`, `Server started`, `3 types` */
export function typesInWords({ types }: Pick<Webhook, 'types'>): string {
  const [only] = types;
  if (!only) return 'all';
  return types.length === 1 ? nameOf(only) : counted(types.length, 'type');
}
