import type { components } from '@berth/client';
import { numberOf, textOf } from '../forms.ts';

type Adoption = components['schemas']['DriftAdopt'];

const amounts = ['cpu', 'ram', 'disk'] as const;
export const names = ['os_id', 'name', ...amounts] as const;

/** The body of the request. What was left empty stays as the instance has it. */
export function adoptionOf(form: FormData, system: string | null): Adoption {
  const name = textOf(form, 'name');
  const given = amounts.filter((one) => numberOf(form, one) !== null);
  return {
    // The service says that it is missing.
    os_id: Number(system ?? 0),
    ...(name && { name }),
    ...Object.fromEntries(given.map((one) => [one, numberOf(form, one)])),
  };
}
