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
  const found = differencesIn('config', lastingConfig(server, installationId), config);
  for (const [device, keys] of Object.entries(wanted))
    found.push(...differencesIn(`devices.${device}`, keys, devices[device]));
  for (const [device, keys] of Object.entries(devices)) {
    if (Object.hasOwn(wanted, device)) continue;
    found.push({ path: `devices.${device}`, expected: null, found: listed(keys) });
  }
  const expected = instanceName(server.uuid);
  if (name !== expected) found.push({ path: 'name', expected, found: name });
  // Incus would delete it, with its disk, when it stops.
  if (ephemeral) found.push({ path: 'ephemeral', expected: 'false', found: 'true' });
  if (profiles.length > 0)
    found.push({ path: 'profiles', expected: null, found: profiles.join(', ') });
  return found
    .map((one) => ({ ...one, found: one.found?.slice(0, shownCharacters) ?? null }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

type Keys = Record<string, string>;

/** The keys whose effect is not the expected one. All servers are compared each minute, so equal ones cost little. */
function differencesIn(of: string, wanted: Keys, keys: Keys = {}): Difference[] {
  return Object.entries(wanted).flatMap(([key, expected]) => {
    const found = keys[key] ?? null;
    if (expected === found) return [];
    const path = `${of}.${key}`;
    return isSame(path, expected, found) ? [] : [{ path, expected, found }];
  });
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

/** Whether another value has the same effect as the expected one. */
function isSame(path: string, expected: string, found: string | null): boolean {
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
