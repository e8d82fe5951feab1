import type { paths } from '@berth/client';

type Body = paths['/v1/servers/{id}/rebuild']['post']['requestBody']['content']['application/json'];

/** What somebody has chosen. Choices are IDs as text. */
export interface Rebuild {
  os_id: string;
  ssh_keys: string[];
  password_login: boolean;
}

export const fields = ['os_id', 'ssh_keys', 'password_login'] as const;

/** The body of the request, which says that everything on the disk is lost. */
export function bodyOf({ os_id, ssh_keys, password_login }: Rebuild, password: string): Body {
  return {
    ...{ erase: true, os_id: Number(os_id), ssh_keys: ssh_keys.map(Number) },
    ...(password_login ? { password } : { password_login }),
    initialCommands: [],
  };
}

interface Named {
  id: number;
  name: string;
  fingerprint: string;
}

/** The keys of the project that the server was created with. */
export const keysOf = (
  { ssh_keys }: { ssh_keys: readonly { fingerprint: string }[] },
  keys: readonly Named[],
): string[] =>
  keys
    .filter(({ fingerprint }) => ssh_keys.some((one) => one.fingerprint === fingerprint))
    .map(({ id }) => String(id));
