import type { components } from '@berth/client';
import { requiredNumberOf, textOf } from '../forms.ts';
import { trafficOf } from '../traffic.ts';

type Create = components['schemas']['SizeCreate'];
type Update = components['schemas']['SizeUpdate'];

export const names = [
  ...(['name', 'description', 'cpu', 'ram', 'disk', 'traffic_allowance'] as const),
  ...(['price', 'location_ids', 'deprecated'] as const),
] as const;

/** What can be changed about a size. Without an hourly price it has none. */
export function updateOf(form: FormData): Update {
  const [hourly, monthly] = [textOf(form, 'hourly'), textOf(form, 'monthly')];
  const ids = form.getAll('location_ids').map(Number);
  const currency = textOf(form, 'currency').toUpperCase();
  return {
    name: textOf(form, 'name'),
    description: textOf(form, 'description'),
    traffic_allowance: trafficOf(form, 'traffic_allowance'),
    price: hourly === '' ? null : { hourly, monthly: monthly || null, currency },
    location_ids: ids.length > 0 ? ids : null,
  };
}

/** A new size. The service says what is missing. */
export const createOf = (form: FormData): Create => ({
  ...updateOf(form),
  name: textOf(form, 'name'),
  cpu: requiredNumberOf(form, 'cpu'),
  ram: requiredNumberOf(form, 'ram'),
  disk: requiredNumberOf(form, 'disk'),
});
