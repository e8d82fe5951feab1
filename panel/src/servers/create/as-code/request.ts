import type { components } from '@berth/client';
import { type Body, bodyOf, type Values } from '../form.ts';

type Schemas = components['schemas'];

/** What IDs of the form stand for. */
export interface Names {
  locations: readonly Pick<Schemas['Location'], 'id' | 'name'>[];
  systems: readonly Pick<Schemas['OperatingSystem'], 'id' | 'slug'>[];
  sizes: readonly Pick<Schemas['Size'], 'id' | 'name'>[];
  keys: readonly { id: number; name: string }[];
}

type Reference = string | number;

/** The body of the create, with names in the place of IDs, and without the password. */
export type NamedBody = Omit<Body, 'location_id' | 'os_id' | 'size' | 'ssh_keys' | 'password'> & {
  location_id: Reference;
  os_id: Reference;
  size?: Reference;
  ssh_keys: Reference[];
};

/** A create, as it is shown for other programs. */
export interface ShownRequest {
  url: string;
  /** The project, for those who have several. */
  project: string | undefined;
  body: NamedBody;
}

/** The name of what has an ID. What is not known by a name keeps its ID. */
const nameIn = (list: readonly { id: number; name: string }[], id: Reference): Reference =>
  list.find((one) => one.id === id)?.name ?? id;

export function namedBody(values: Values, names: Names): NamedBody {
  const { password: _, size, ...body } = bodyOf(values, '');
  const slugs = names.systems.map(({ id, slug }) => ({ id, name: slug }));
  return {
    ...body,
    name: body.name || 'web-1',
    location_id: nameIn(names.locations, body.location_id),
    os_id: nameIn(slugs, body.os_id),
    ...(size !== undefined && { size: nameIn(names.sizes, size) }),
    ssh_keys: (body.ssh_keys ?? []).map((id) => nameIn(names.keys, id)),
  };
}

export const hasPassword = ({ password_login }: NamedBody): boolean => password_login !== false;
