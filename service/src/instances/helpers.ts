import type { Instance } from '../incus/instances.ts';

// Instances that are no servers: Berth creates them on a node to learn something or to have Incus do
// something, never starts a system in them, and removes them.

const probePrefix = 'berth-probe-';
const unpackPrefix = 'berth-unpack-';

/** More than the creation and the deletion of one may take together. */
const longestMilliseconds = 20 * 60_000;

/** Of one that probes what the kernel of a node can do. */
export const probeName = (nodeId: number, what: string) => `${probePrefix}${nodeId}-${what}`;

/** Of the one that unpacks an image on a node. */
export const unpackName = (nodeId: number) => `${unpackPrefix}${nodeId}`;

/** The node on which an instance of this name unpacks an image; undefined for any other name. */
export function nodeOfUnpack(name: string): number | undefined {
  const id = name.startsWith(unpackPrefix) ? Number(name.slice(unpackPrefix.length)) : Number.NaN;
  return Number.isInteger(id) && unpackName(id) === name ? id : undefined;
}

export const isHelper = (name: string) =>
  name.startsWith(probePrefix) || nodeOfUnpack(name) !== undefined;

/** Whether it is a helper that may still be needed. An older one was left, and should be noticed. */
export function isHelperAtWork({ name, created_at }: Pick<Instance, 'name' | 'created_at'>) {
  return isHelper(name) && Date.now() - Date.parse(created_at) < longestMilliseconds;
}
