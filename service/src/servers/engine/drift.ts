import { isIPv6 } from 'node:net';
import type { Instance } from '../../incus/instances.ts';
import { instanceName } from '../../instances/labels.ts';
import { bytesOf } from '../../pool-quotas/disk-size.ts';
import { type Defined, instanceDevices, lastingConfig } from './instance.ts';

/** Something about an instance that differs from what the records say. Null stands for nothing. */
export interface Difference {
  /** `config.<key>`, `devices.<device>.<key>`, `devices.<device>`, `ephemeral`, `profiles`, `name` or `instance`. */
  path: string;
  expected: string | null;
  found: string | null;
}

type Compared = Pick<Instance, 'name' | 'config' | 'devices' | 'ephemeral' | 'profiles'>;

/** The longest value of which a difference shows all. */
const shownCharacters = 256;

/**
 * What somebody has changed in an instance of a server, by path. Compares the keys that Berth sets, in the effect that
 * they have. Other keys are left to administrators, but for whole devices and profiles, since a server has none beside
 * its own.
 */
export function differencesOf(
  server: Defined,
  instance: Compared,
  installationId: string,
): Difference[] {
  const { config, devices, ephemeral, name, profiles } = instance;
  const wanted = instanceDevices(server);
  const keys = [
    ...Object.entries(lastingConfig(server, installationId)).map(([key, expected]) => ({
      ...{ path: `config.${key}`, expected, found: config[key] ?? null },
    })),
    ...Object.entries(wanted).flatMap(([device, expectedKeys]) =>
      Object.entries(expectedKeys).map(([key, expected]) => ({
        ...{ path: `devices.${device}.${key}`, expected, found: devices[device]?.[key] ?? null },
      })),
    ),
    { path: 'name', expected: instanceName(server.uuid), found: name },
    // Incus would delete it, with its disk, when it stops.
    { path: 'ephemeral', expected: 'false', found: String(ephemeral) },
  ];
  const added = Object.entries(devices)
    .filter(([device]) => !Object.hasOwn(wanted, device))
    .map(([device, own]) => ({ path: `devices.${device}`, expected: null, found: listed(own) }));
  const applied = profiles.length > 0 ? [profiles.join(', ')] : [];
  return [
    ...keys.filter(({ path, expected, found }) => !isSame(path, expected, found)),
    ...added,
    ...applied.map((found) => ({ path: 'profiles', expected: null, found })),
  ]
    .map((one) => ({ ...one, found: one.found?.slice(0, shownCharacters) ?? null }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** For example `type=nic, network=incusbr0`. */
function listed(device: Record<string, string>): string {
  return Object.entries(device)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

/** What is off in Incus unless it is set. */
const offByDefault = ['config.security.nesting', 'config.security.privileged'];
const sizes = ['config.limits.memory', 'devices.root.size'];

/** Whether a value has the same effect as the expected one. */
function isSame(path: string, expected: string, found: string | null): boolean {
  if (expected === found) return true;
  if (found === null) return offByDefault.includes(path) && expected === 'false';
  if (sizes.includes(path)) return bytesOf(found) === bytesOf(expected);
  if (path.endsWith('.hwaddr')) return found.toLowerCase() === expected.toLowerCase();
  if (isIPv6(expected)) return isIPv6(found) && canonical(found) === canonical(expected);
  if (expected === 'true') return isTrue(found);
  return expected === 'false' && isFalse(found);
}

/** As Incus reads booleans. */
const isTrue = (text: string) => /^(true|1|yes|on)$/i.test(text);
const isFalse = (text: string) => /^(false|0|no|off)$/i.test(text);

const canonical = (ipv6: string) => new URL(`http://[${ipv6}]`).hostname;
