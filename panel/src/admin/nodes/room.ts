import type { components } from '@berth/client';
import { count, disk, memory } from '../../format/units.ts';

type Node = components['schemas']['Node'];
type Location = components['schemas']['Location'];

/** What a node has of something, in the unit of the API. */
interface Room {
  /** What its servers may have together. */
  limit: number;
  allocated: number;
  /** What further servers can get. */
  free: number;
  capacity: number;
  used: number;
}

export const parts = ['cpu', 'ram', 'disk'] as const;
export type Part = (typeof parts)[number];

export const partNames: Record<Part, string> = { cpu: 'Cores', ram: 'Memory', disk: 'Disk' };

const cores = (value: number): string => count(Math.round(value * 10) / 10);
export const amounts: Record<Part, (value: number) => string> = { cpu: cores, ram: memory, disk };

/** Resources can be allocated several times, as the location says. */
export function roomOf(node: Node, location: Location | undefined, part: Part): Room {
  const [capacity, allocated, used] = [node.capacity[part], node.allocated[part], node.used[part]];
  const limit = Math.floor(capacity * (location?.overcommit[part] ?? 1));
  return { limit, allocated, free: Math.max(0, limit - allocated), capacity, used };
}

/** A share in percent, which can be more than all. */
export const share = (value: number, of: number): number =>
  of === 0 ? 0 : Math.min(100, (value / of) * 100);

/** Yellow from where it is worth a look, and red from where it is nearly full. */
export function levelOf(percent: number): 'cyan' | 'yellow' | 'red' {
  if (percent >= 95) return 'red';
  return percent >= 80 ? 'yellow' : 'cyan';
}

/** The memory and the cores that new servers can get on all nodes that accept them. */
export function freeOf(nodes: readonly Node[], locations: readonly Location[]) {
  const open = nodes.filter(({ status }) => status === 'online');
  const sum = (part: Part) =>
    open
      .map((node) => roomOf(node, locationOf(node, locations), part).free)
      .reduce((total, free) => total + free, 0);
  return { cpu: sum('cpu'), ram: sum('ram') };
}

export const locationOf = ({ location_id }: Node, locations: readonly Location[]) =>
  locations.find(({ id }) => id === location_id);
