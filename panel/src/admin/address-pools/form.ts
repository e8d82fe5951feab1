import type { components } from '@berth/client';
import { textOf, wordsOf } from '../forms.ts';

type Create = components['schemas']['AddressPoolCreate'];

export const names = ['location_id', 'cidr', 'gateway', 'nameservers', 'first', 'last'] as const;

/** The body of the request. What was left empty has a default. */
export function bodyOf(form: FormData): Create {
  const [first, last] = [textOf(form, 'first'), textOf(form, 'last')];
  const nameservers = wordsOf(form, 'nameservers');
  return {
    location_id: Number(form.get('location_id')),
    ...{ cidr: textOf(form, 'cidr'), gateway: textOf(form, 'gateway') },
    ...(nameservers.length > 0 && { nameservers }),
    ...(first && { first }),
    ...(last && { last }),
  };
}
