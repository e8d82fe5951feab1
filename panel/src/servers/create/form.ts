import type { paths } from '@berth/client';
import { type CommandEntry, commandsOf } from './first-start/commands.ts';
import { labelsOf } from './first-start/labels.ts';

export type Body = paths['/v1/servers']['post']['requestBody']['content']['application/json'];

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
  /** Empty for one that is generated. */
  password: string;
  initialCommands: CommandEntry[];
  user_data: string;
  /** Such as `env=prod, team=web`. */
  labels: string;
}

export type Field = keyof Values;

/** What each field is called where its error is not shown at it. */
export const fieldNames: Record<Field, string> = {
  name: 'Name',
  location_id: 'Location',
  os_id: 'Operating system',
  size: 'Size',
  cpu: 'Cores',
  ram: 'Memory',
  disk: 'Disk',
  ssh_keys: 'SSH keys',
  password_login: 'Password login',
  password: 'Password',
  initialCommands: 'Commands',
  user_data: 'User data',
  labels: 'Labels',
};

export const fields = Object.keys(fieldNames) as Field[];

/** The body of the request. The password is only used if logging in with one is allowed. */
export function bodyOf(values: Values, password: string): Body {
  const { name, location_id, os_id, size, cpu, ram, disk, ssh_keys, password_login } = values;
  const labels = labelsOf(values.labels);
  return {
    ...{ name: name.trim(), location_id: Number(location_id), os_id: Number(os_id) },
    ...(size ? { size: Number(size) } : { cpu, ram, disk }),
    ssh_keys: ssh_keys.map(Number),
    ...(password_login ? { password } : { password_login }),
    initialCommands: commandsOf(values.initialCommands),
    ...(values.user_data.trim() && { user_data: values.user_data }),
    ...(Object.keys(labels).length > 0 && { labels }),
  };
}

/** What must be chosen before anything is sent. */
export function missingChoices({ location_id, os_id }: Values): Partial<Record<Field, string>> {
  return {
    ...(!location_id && { location_id: 'Choose a location.' }),
    ...(!os_id && { os_id: 'Choose an operating system.' }),
  };
}
