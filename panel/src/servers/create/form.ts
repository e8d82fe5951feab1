import type { paths } from '@berth/client';

type Body = paths['/v1/servers']['post']['requestBody']['content']['application/json'];

/** What somebody has entered. Choices are IDs as text; an empty text is none. */
export interface Values {
  name: string;
  location_id: string;
  os_id: string;
  /** Empty for `cpu`, `ram` and `disk`. */
  size: string;
  cpu: number;
  ram: number;
  disk: number;
  ssh_keys: string[];
  password_login: boolean;
}

export type Field = keyof Values;

/** The body of the request. The password is only used if logging in with one is allowed. */
export function bodyOf(values: Values, password: string): Body {
  const { name, location_id, os_id, size, cpu, ram, disk, ssh_keys, password_login } = values;
  return {
    ...{ name: name.trim(), location_id: Number(location_id), os_id: Number(os_id) },
    ...(size ? { size: Number(size) } : { cpu, ram, disk }),
    ssh_keys: ssh_keys.map(Number),
    ...(password_login ? { password } : { password_login }),
    initialCommands: [],
  };
}

export const fields = [
  ...(['name', 'location_id', 'os_id', 'size', 'cpu', 'ram', 'disk'] as const),
  ...(['ssh_keys', 'password_login'] as const),
] satisfies Field[];

/** What must be chosen before anything is sent. */
export function missingChoices({ location_id, os_id }: Values): Partial<Record<Field, string>> {
  return {
    ...(!location_id && { location_id: 'Choose a location.' }),
    ...(!os_id && { os_id: 'Choose an operating system.' }),
  };
}
