import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { CheckAddress } from '../addresses.ts';
import { isLocalName } from '../url.ts';

/** An address to which nothing may be sent. The message does not name it: it would tell what an internal name resolves to. */
export class AddressRefused extends Error {}

/** A name without an address. */
export class NameUnresolvable extends Error {}

/** Returns all addresses of a name. */
export type ResolveName = (name: string) => Promise<string[]>;

const dns = { timeout: 2000, tries: 2 };

/**
 * Asks the name servers of the machine. Unlike `dns.lookup`, this occupies no thread, of which Node.js has few: name servers
 * that do not answer delay nothing else. `/etc/hosts` is not read.
 */
export function dnsResolver(): ResolveName {
  return async (name) => {
    if (isLocalName(name)) return ['127.0.0.1', '::1'];
    // A new one knows the name servers of now.
    const resolver = new Resolver(dns);
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length > 0) return addresses;
    throw new NameUnresolvable('The name has no address.');
  };
}

interface Guard {
  check: CheckAddress;
  resolve: ResolveName;
  timeoutMs: number;
}

/**
 * Connects only to addresses that are allowed. A name is resolved here, once, and the socket gets the addresses that were
 * checked, so that no later answer of a name server can take their place. An address in the URL is not looked up, and is
 * checked before.
 */
export function guardedConnector({ check, resolve, timeoutMs }: Guard): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardedLookup(check, resolve) });
  return (options, callback) => {
    const refused = isIP(options.hostname) === 0 ? undefined : check(options.hostname);
    if (refused !== undefined) {
      callback(new AddressRefused(`The URL ${refused}.`), null);
      return;
    }
    connect(options, callback);
  };
}

function guardedLookup(check: CheckAddress, resolve: ResolveName): LookupFunction {
  return (hostname, { all }, callback) => {
    allowedAddresses(hostname, check, resolve).then(
      (addresses) => {
        const [first] = addresses;
        if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

interface Address {
  address: string;
  family: number;
}

/** Those among the addresses of a name to which something may be sent. Others are not connected to. */
async function allowedAddresses(
  name: string,
  check: CheckAddress,
  resolve: ResolveName,
): Promise<[Address, ...Address[]]> {
  const found = (await resolve(name)).filter((address) => isIP(address) !== 0);
  const [some] = found;
  if (some === undefined) throw new NameUnresolvable('The name has no address.');
  const [first, ...others] = found
    .filter((address) => check(address) === undefined)
    .map((address) => ({ address, family: isIP(address) }));
  if (first) return [first, ...others];
  throw new AddressRefused(`The name of the URL ${check(some)}.`);
}
