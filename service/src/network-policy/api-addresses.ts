import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Config } from '../config/config.ts';
import type { ApiAddress } from './compile.ts';

/**
 * Finds the addresses at which the API is served, from the settings. A host name is resolved each
 * time.
 */
export type FindApi = (report: (error: unknown) => void) => Promise<ApiAddress[]>;

const standardPorts: Record<string, number> = { 'http:': 80, 'https:': 443 };

/** A name that temporarily can't be resolved keeps its last addresses. */
export function apiFinder({
  host,
  port,
  publicUrl,
}: Pick<Config, 'host' | 'port' | 'publicUrl'>): FindApi {
  const { hostname, port: publicPort, protocol } = publicUrl;
  const places = [
    { host, port },
    {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(publicPort) || standardPorts[protocol] || port,
    },
  ];
  const known = new Map<string, string[]>();
  return async (report) => {
    const found = await Promise.all(
      places.map(async (place) => {
        const ips = await addressesOf(place.host).catch((error: unknown) => {
          report(error);
          return known.get(place.host) ?? [];
        });
        known.set(place.host, ips);
        return ips.map((ip) => ({ ip, port: place.port }));
      }),
    );
    return found.flat();
  };
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
