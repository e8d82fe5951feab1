import type { components } from '@berth/client';
import { numberOf, requiredNumberOf, textOf, wordsOf } from '../forms.ts';
import { trafficOf } from '../traffic.ts';

type Schemas = components['schemas'];
type Update = Schemas['LocationUpdate'];
type Part = keyof Schemas['Location']['overcommit'];

export const names = [
  ...(['description', 'enabled', 'overcommit', 'limits', 'os_ids', 'creates_per_node'] as const),
  ...(['traffic_allowance', 'traffic_counted', 'traffic_policy', 'traffic_throttle'] as const),
  ...(['allowed_destinations', 'smtp', 'adopt_from'] as const),
] as const;

export const parts: { name: Part; label: string; unit: string }[] = [
  { name: 'cpu', label: 'Cores', unit: '' },
  { name: 'ram', label: 'Memory', unit: ', in MiB' },
  { name: 'disk', label: 'Disk', unit: ', in GiB' },
];

export const countedWords: Record<Schemas['Location']['traffic_counted'], string> = {
  outgoing: 'what servers send',
  incoming: 'what servers receive',
  both: 'both',
};

export const policyWords: Record<Schemas['Location']['traffic_policy'], string> = {
  none: 'nothing',
  throttle: 'the server is throttled',
  stop: 'the server is stopped',
};

/** The fields that were sent have their words from the choices of the form. */
const choiceOf = <Word extends string>(form: FormData, name: string): Word =>
  textOf(form, name) as Word;

/** The body of the request, for what somebody has entered. The service says what is wrong with it. */
export function updateOf(form: FormData): Update {
  const number = (name: string) => requiredNumberOf(form, name);
  const of = <Value>(value: (part: Part) => Value) =>
    Object.fromEntries(parts.map(({ name }) => [name, value(name)])) as Record<Part, Value>;
  const ids = form.getAll('os_ids').map(Number);
  return {
    description: textOf(form, 'description'),
    enabled: form.has('enabled'),
    overcommit: of((part) => number(`overcommit.${part}`)),
    limits: of((part) => ({
      min: number(`limits.${part}.min`),
      max: number(`limits.${part}.max`),
    })),
    os_ids: ids.length > 0 ? ids : null,
    creates_per_node: numberOf(form, 'creates_per_node'),
    traffic_allowance: trafficOf(form, 'traffic_allowance'),
    traffic_counted: choiceOf(form, 'traffic_counted'),
    traffic_policy: choiceOf(form, 'traffic_policy'),
    traffic_throttle: numberOf(form, 'traffic_throttle'),
    allowed_destinations: wordsOf(form, 'allowed_destinations'),
    smtp: form.has('smtp') ? 'open' : 'blocked',
    adopt_from: wordsOf(form, 'adopt_from'),
  };
}
