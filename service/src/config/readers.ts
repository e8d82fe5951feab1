import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { SetupError } from '../../../setup/commands.mjs';
import { isAmong } from '../edge/proxies.ts';
import type { Limit } from '../limits/buckets.ts';
import { publicImageServer, readImageServer } from '../operating-systems/image-servers.ts';
import { isSafeForSecrets, readPublicUrl } from '../sessions/origin.ts';

/**
 * Parses the text of a variable. Throws a `SetupError` that names the variable and the expected format. `unset` is the
 * text that shows its default.
 */
export type Reader<T> = (text: string, name: string, unset: string) => T;

const otherwise = (unset: string) => `Correct it, or unset it: then it is ${unset}.`;

/** Any text that is not empty. An empty one is probably a mistake. */
export const text: Reader<string> = (given, name, unset) => {
  if (given.trim() !== '') return given;
  throw new SetupError(`${name} is empty.`, `Give it a value, or unset it: then it is ${unset}.`);
};

/** Host names. A name whose last part consists of digits would be an invalid address (RFC 1123, section 2.1). */
const hostName = /^(?=.{1,253}$)([a-z0-9_-]+\.)*[a-z0-9_-]*[a-z_-][a-z0-9_-]*$/i;

/** An address or a host name to listen on. The start checks whether this machine has it. */
export const listenHost: Reader<string> = (given, name, unset) => {
  const host = text(given, name, unset);
  if (isIP(host) || hostName.test(host)) return host;
  throw new SetupError(
    `${name} must be an address of this machine, or a name of it, not "${given}".`,
    'Write it without a port and without brackets: 0.0.0.0 and :: are all addresses. The port is BERTH_PORT.',
  );
};

/** Any text. An empty one has the same meaning as an unset variable. */
export const textOrNothing: Reader<string | undefined> = (given) => given.trim() || undefined;

export const directory: Reader<string> = (given, name, unset) => resolve(text(given, name, unset));

export function wholeNumber(min: number, max: number): Reader<number> {
  return (given, name, unset) => {
    const value = Number(given);
    if (/^\d+$/.test(given) && value >= min && value <= max) return value;
    throw new SetupError(
      `${name} must be a whole number from ${min} to ${max}, not "${given}".`,
      otherwise(unset),
    );
  };
}

export const yesOrNo: Reader<boolean> = (given, name, unset) => {
  if (given === 'true' || given === 'false') return given === 'true';
  throw new SetupError(`${name} must be true or false, not "${given}".`, otherwise(unset));
};

export function oneOf<const T extends string>(values: readonly T[]): Reader<T> {
  return (given, name, unset) => {
    const found = values.find((value) => value === given);
    if (found !== undefined) return found;
    throw new SetupError(
      `${name} must be one of ${values.join(', ')}, not "${given}".`,
      otherwise(unset),
    );
  };
}

/** A name in Incus. The rules of Incus depend on the object; none of them allows more than this. */
export function incusName(longest: number): Reader<string> {
  return (given, name, unset) => {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(given) && given.length <= longest) return given;
    throw new SetupError(
      `${name} must be a name of letters, digits, ".", "_" and "-", at most ${longest} of them, not "${given}".`,
      otherwise(unset),
    );
  };
}

/** The limit of the kernel (unix(7)), in bytes. */
const longestSocketPath = 107;

export const socketPath: Reader<string | undefined> = (given, name) => {
  if (Buffer.byteLength(given) <= longestSocketPath) return textOrNothing(given, name, '');
  throw new SetupError(
    `${name} is longer than the ${longestSocketPath} bytes that the path of a unix socket may have.`,
    'Use a shorter path, such as that of a symbolic link.',
  );
};

const highestLimit = 1_000_000;

/** A rate and a burst. The caller determines the unit of time. */
export const limit: Reader<Limit> = (given, name, unset) => {
  const [, rate, most] = /^(\d{1,7})\/(\d{1,7})$/.exec(given) ?? [];
  const [perSecond, burst] = [Number(rate), Number(most)];
  const isFine = (value: number) => value >= 1 && value <= highestLimit;
  if (isFine(perSecond) && isFine(burst)) return { perSecond, burst };
  throw new SetupError(
    `${name} must be two whole numbers from 1 to ${highestLimit}, such as ${unset}, not "${given}".`,
    `The first number is the rate, the second the burst. The default is ${unset}.`,
  );
};

export const publicUrl: Reader<URL> = (given, name) => {
  const url = readPublicUrl(given);
  if (url) return url;
  throw new SetupError(
    `${name} must be the URL at which browsers reach Berth, not "${given}".`,
    'Use the form https://berth.example.com, without a path. http is allowed only for localhost.',
  );
};

export const issuerUrl: Reader<URL | undefined> = (given, name) => {
  if (given === '') return undefined;
  const url = URL.parse(given);
  if (url && isSafeForSecrets(url)) return url;
  throw new SetupError(
    `${name} must be the https URL of an OpenID provider, not "${given}".`,
    'Use the same form as the provider, such as https://id.example.com.',
  );
};

function list(given: string): string[] {
  const parts = given.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

export const hosts: Reader<string[]> = (given, name) =>
  list(given).map((host) => {
    if (/^([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/i.test(host)) return host.toLowerCase();
    throw new SetupError(
      `${name} contains "${host}", which is not a host name.`,
      'List names or addresses without a port, IPv6 in brackets: api.example.com,192.0.2.1,[2001:db8::1]',
    );
  });

export const imageServers: Reader<string[]> = (given, name) =>
  list(given).map((address) => {
    const server = readImageServer(address);
    if (server !== undefined) return server;
    throw new SetupError(
      `${name} contains "${address}", which is not the https address of an image server.`,
      `List addresses such as ${publicImageServer}, which is the default. Leave the value empty to allow no image server.`,
    );
  });

export const networks: Reader<string[]> = (given, name) =>
  list(given).map((network) => {
    const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const prefix = length === undefined ? bits : Number(length);
    if (bits > 0 && prefix <= bits) return `${address}/${prefix}`;
    throw new SetupError(
      `${name} contains "${network}", which is neither an address nor a network.`,
      'List addresses and networks: 192.0.2.7,10.0.0.0/8,2001:db8::/32',
    );
  });

/** The largest networks for private use: 10.0.0.0/8 (RFC 1918) and fc00::/7 (RFC 4193). */
const shortestPrefix = { ipv4: 8, ipv6: 7 };
/** IPv4-mapped IPv6 addresses (RFC 4291, section 2.5.5.2), as sockets on `::` have them. */
const mapped = { network: '::ffff:0:0/96', first: '::ffff:0:0', bits: 96 };

function isTooLarge(network: string): boolean {
  const [address = '', length] = network.split('/');
  const prefix = Number(length);
  if (isIP(address) === 4) return prefix < shortestPrefix.ipv4;
  const hasIpv4 = isAmong([mapped.network])(address) || isAmong([network])(mapped.first);
  return prefix < (hasIpv4 ? mapped.bits + shortestPrefix.ipv4 : shortestPrefix.ipv6);
}

/** Networks of reverse proxies. Large networks are refused, because strangers could be in them. */
export const proxies: Reader<string[]> = (given, name, unset) => {
  const found = networks(given, name, unset);
  const large = found.find(isTooLarge);
  if (large === undefined) return found;
  throw new SetupError(
    `${name} holds "${large}", which is too large. Every machine in this network can claim any client address, and so bypass limits and the allowed networks of tokens, and falsify the audit log.`,
    `List only the addresses of your reverse proxies, such as 192.0.2.7,10.0.0.0/24. The largest allowed network is a /${shortestPrefix.ipv4} for IPv4 and a /${shortestPrefix.ipv6} for IPv6.`,
  );
};
