import type { components } from '@berth/client';
import { requiredNumberOf, textOf } from '../forms.ts';

type Create = components['schemas']['OperatingSystemCreate'];
type Update = components['schemas']['OperatingSystemUpdate'];

export const names = ['slug', 'name', 'version', 'source', 'minimum'] as const;

export const minimumOf = (form: FormData): NonNullable<Update['minimum']> => ({
  ram: requiredNumberOf(form, 'ram'),
  disk: requiredNumberOf(form, 'disk'),
});

/** The body of the request. The service says what is missing. */
export const bodyOf = (form: FormData): Create => ({
  ...{ slug: textOf(form, 'slug'), name: textOf(form, 'name'), version: textOf(form, 'version') },
  type: 'container',
  source: { server: textOf(form, 'server'), alias: textOf(form, 'alias') },
  minimum: minimumOf(form),
});
