import type { components } from '@berth/client';
import { type Demand, demandInWords, type Left, lacking } from './quota.ts';

type Schemas = components['schemas'];
export type Size = Schemas['Size'];

/** Where a server would be, and what would be installed. */
export interface Place {
  location?: Pick<Schemas['Location'], 'id' | 'name' | 'limits'> | undefined;
  system?: Pick<Schemas['OperatingSystem'], 'name' | 'version' | 'minimum'> | undefined;
}

/** The sizes that servers of a location can get. */
export const sizesAt = (sizes: readonly Size[], locationId: number | undefined): Size[] =>
  sizes.filter(
    ({ location_ids }) => locationId === undefined || (location_ids?.includes(locationId) ?? true),
  );

/** Why a server with a size cannot be created, if anything is in the way: what a larger quota would not change first. */
export const obstacleOf = (size: Demand, place: Place, left: Left): string | undefined =>
  beyondLimits(size, place) ?? beyondQuota(size, left);

const parts = ['cpu', 'ram', 'disk'] as const;

function beyondLimits(size: Demand, { location, system }: Place): string | undefined {
  if (!location) return undefined;
  const { limits, name } = location;
  const over = parts.filter((part) => size[part] > limits[part].max);
  if (over.length > 0)
    return `${name} offers at most ${demandInWords(over, (part) => limits[part].max)}`;
  const least = (part: keyof Demand) =>
    part === 'cpu'
      ? limits.cpu.min
      : Math.max(limits[part].min, system?.minimum[part] ?? limits[part].min);
  const under = parts.filter((part) => size[part] < least(part));
  if (under.length === 0) return undefined;
  const whose = system ? `${system.name} ${system.version} in ${name}` : name;
  return `${whose} needs at least ${demandInWords(under, least)}`;
}

function beyondQuota(size: Demand, left: Left): string | undefined {
  const missing = lacking(left, size);
  return missing && `Needs more ${missing} than is left of the quota`;
}

/**
 * The size that is chosen: what somebody has chosen, if it is offered. In a project whose servers must have a size, it is
 * otherwise the first that a server can have now, or that it could have with a larger quota.
 */
export function chosenSize(
  chosen: string,
  offered: readonly Size[],
  { isRequired, left, ...place }: Place & { isRequired: boolean; left: Left },
): string {
  if (offered.some(({ id }) => String(id) === chosen)) return chosen;
  if (!isRequired) return '';
  const first =
    offered.find((size) => !obstacleOf(size, place, left)) ??
    offered.find((size) => !obstacleOf(size, place, {})) ??
    offered[0];
  return first ? String(first.id) : '';
}
