import { isIP } from 'node:net';
import { addressCheck } from './addresses.ts';

/** What the installation allows beyond https to the Internet. */
export interface TargetRules {
  allowHttp: boolean;
  /** Networks that may be reached although they are private, or those of the installation. */
  allowedNetworks: readonly string[];
}

export const strictTargets: TargetRules = { allowHttp: false, allowedNetworks: [] };

/** The first port that any user of a machine can listen on. Those below belong to other protocols, but for these two. */
const firstFreePort = 1024;
const webPorts = new Set([80, 443]);

/** A URL to which nothing can be sent; the message says why. */
export class UnusableUrl extends Error {}

/**
 * Reads the URL of a webhook, and returns it as it is stored. What a name resolves to is checked when it is connected to.
 * @throws UnusableUrl
 */
export function readTarget(text: string, rules: TargetRules): string {
  // The parser would remove white space and control characters.
  const url = /[\s\p{C}]/u.test(text) ? null : URL.parse(text);
  if (!url)
    throw new UnusableUrl('Must be a complete URL, such as https://hooks.example.com/berth.');
  const { protocol, username, password, hash } = url;
  if (protocol !== 'https:' && !(protocol === 'http:' && rules.allowHttp)) {
    throw new UnusableUrl(
      rules.allowHttp
        ? 'Must begin with https:// or http://.'
        : 'Must begin with https://. An administrator of the installation can allow http:// with BERTH_WEBHOOK_HTTP.',
    );
  }
  if (username || password) {
    throw new UnusableUrl('Must not have a user name or a password. Use `headers` for them.');
  }
  if (hash) throw new UnusableUrl('Must not have a fragment, which is never sent.');
  const port = Number(url.port || webPortOf(protocol));
  if (port < firstFreePort && !webPorts.has(port)) {
    throw new UnusableUrl(`Must have the port 443 or 80, or one from ${firstFreePort} on.`);
  }
  const why = refusalOf(hostOf(url), rules);
  if (why)
    throw new UnusableUrl(
      `${why[0]?.toUpperCase()}${why.slice(1)}, to which nothing is sent. An administrator of the installation can allow it with BERTH_WEBHOOK_NETWORKS.`,
    );
  return url.href;
}

const webPortOf = (protocol: string) => (protocol === 'https:' ? 443 : 80);

/** The parser has written an address in its usual form, whatever its form was. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

/** Names that are always of the machine itself (RFC 6761, section 6.3). */
export const isLocalName = (name: string) => /^(?:.*\.)?localhost\.?$/i.test(name);

function refusalOf(host: string, { allowedNetworks }: TargetRules): string | undefined {
  const check = addressCheck({ allowed: allowedNetworks });
  if (isIP(host) !== 0) return check(host);
  return isLocalName(host) ? check('127.0.0.1') && check('::1') : undefined;
}
