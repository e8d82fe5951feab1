import type { components } from '@berth/client';
import { numberOf } from '../forms.ts';

type Settings = components['schemas']['Settings'];
type Period = keyof Settings['retention'];

/** How long records are kept. */
export const periods: { name: Period; label: string; description: string }[] = [
  {
    name: 'audit_months',
    label: 'Audit log, in months',
    description: 'Older entries are removed by whole months.',
  },
  {
    name: 'operations_months',
    label: 'Operations, in months',
    description: 'Counted from their end.',
  },
  {
    name: 'outputs_days',
    label: 'Outputs of initial commands, in days',
    description: 'Never longer than their operation.',
  },
];

/** The body of the request, for what somebody has entered. */
export const settingsOf = (form: FormData): Settings => ({
  retention: Object.fromEntries(
    periods.map(({ name }) => [name, numberOf(form, name)]),
  ) as Settings['retention'],
});
