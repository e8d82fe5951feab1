import { limitsOf } from '../../locations/limits.ts';
import type { LocationState } from '../../locations/queries.ts';
import type { OperatingSystemRow } from '../../operating-systems/queries.ts';
import type { FieldError } from '../../problems/problem.ts';

/** Cores, MiB and GiB. */
export type Parts = { [F in 'cpu' | 'ram' | 'disk']?: number | undefined };

/**
 * The fields of a size that are outside of the limits of the location, or too small for the operating system. `isNamed` is
 * whether the request has the name or the ID of the size in place of the fields.
 */
export function beyondBounds(
  size: Parts,
  location: LocationState,
  os: OperatingSystemRow,
  isNamed: boolean,
): FieldError[] {
  const limits = limitsOf(location);
  const bounds = [
    { field: 'cpu', unit: 'cores', ...limits.cpu },
    { field: 'ram', unit: 'MiB', ...limits.ram, os: os.min_ram_mb },
    { field: 'disk', unit: 'GiB', ...limits.disk, os: os.min_disk_gb },
  ] as const;
  const errors = bounds.flatMap((bound) => {
    const min = Math.max(bound.min, 'os' in bound ? bound.os : 0);
    const value = size[bound.field];
    if (value === undefined || (value >= min && value <= bound.max)) return [];
    const name = `${os.name} ${os.version}`;
    const range = `from ${min} to ${bound.max} ${bound.unit} for ${name} in ${location.name}.`;
    const beyond = isNamed
      ? `Has ${value} ${bound.unit}, and must have ${range}`
      : `Must be ${range}`;
    const detail =
      min > bound.max
        ? `${name} needs at least ${min} ${bound.unit}, and ${location.name} offers at most ${bound.max}. Choose another operating system or location.`
        : beyond;
    return [{ pointer: `/${bound.field}`, detail }];
  });
  if (!isNamed || errors.length === 0) return errors;
  return [{ pointer: '/size', detail: errors.map(({ detail }) => detail).join(' ') }];
}
