import type { components, paths } from '@berth/client';
import { specifications } from '../../../../format/units.ts';
import type { Server } from '../../../../live/apply.ts';

type Body = paths['/v1/servers/{id}/resize']['post']['requestBody']['content']['application/json'];
export type Size = components['schemas']['Size'];

/** What somebody has chosen. */
export interface Wanted {
  /** The ID of a size as text. Empty for `cpu`, `ram` and `disk`. */
  size: string;
  cpu: number;
  ram: number;
  disk: number;
  keep_disk: boolean;
  allow_move: boolean;
}

export const fields = ['size', 'cpu', 'ram', 'disk', 'keep_disk', 'allow_move'] as const;

/**
 * The sizes of the location, and the one that the server has. Own specifications are a choice unless the servers of the
 * project must have a size; a server that has none then keeps what it has until it gets one.
 */
export function choicesOf(server: Server, offered: readonly Size[], isRequired: boolean) {
  const isOld = server.size_id !== null && offered.every(({ id }) => id !== server.size_id);
  const own = isRequired
    ? { value: '', label: `No size: ${specifications(server.specifications)}, as it is` }
    : { value: '', label: 'Own specifications' };
  return [
    ...(isRequired && server.size_id !== null ? [] : [own]),
    ...(isOld ? [{ value: String(server.size_id), label: `${server.size}, as it is` }] : []),
    ...offered.map((size) => ({
      value: String(size.id),
      label: `${size.name}: ${specifications(size)}`,
    })),
  ];
}

/** What the server has now. */
export const wantedOf = ({ size_id, specifications }: Server): Wanted => ({
  size: String(size_id ?? ''),
  ...specifications,
  ...{ keep_disk: false, allow_move: false },
});

/** The body of the request. */
export function bodyOf({ size, cpu, ram, disk, keep_disk, allow_move }: Wanted): Body {
  return {
    ...(size ? { size: Number(size), ...(keep_disk && { keep_disk }) } : { cpu, ram, disk }),
    ...(allow_move && { allow_move }),
  };
}

/** The cores, the memory and the disk that the server would have. */
export function partsOf(wanted: Wanted, size: Size | undefined, { specifications }: Server) {
  if (!size) return { cpu: wanted.cpu, ram: wanted.ram, disk: wanted.disk };
  const disk = wanted.keep_disk ? specifications.disk : size.disk;
  return { cpu: size.cpu, ram: size.ram, disk };
}

/** What a change means for the server. Empty if there is none. */
export function effectsOf(wanted: Wanted, size: Size | undefined, server: Server): string[] {
  const now = server.specifications;
  const then = partsOf(wanted, size, server);
  const isOther = wanted.size !== String(server.size_id ?? '');
  const isChanged = then.cpu !== now.cpu || then.ram !== now.ram || then.disk !== now.disk;
  const runs = server.status === 'started';
  return [
    ...(isChanged && runs ? ['It keeps running: what changes, changes at once.'] : []),
    ...(isChanged && !runs ? ['It has what changes at its next start.'] : []),
    ...(then.ram < now.ram && runs
      ? ['If it uses more memory than it would have, the resize fails: stop the server first.']
      : []),
    ...(then.disk > now.disk ? ['Its disk cannot be made smaller again.'] : []),
    ...(isOther ? ['It gets the traffic allowance of a new server.'] : []),
    ...(isOther && !wanted.size ? [`It no longer has the size ${server.size}, or its price.`] : []),
  ];
}
