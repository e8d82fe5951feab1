import { SetupError } from '../../../setup/commands.mjs';
import type { EngineAddress } from '../db/schema/schema.ts';
import {
  fingerprintOf,
  type JoinToken,
  presentedCertificate,
  readJoinToken,
} from '../incus/certificates.ts';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import { isEngineError } from '../incus/transport/errors.ts';
import { connectionOf } from '../locations/engines.ts';
import type { ClientIdentity } from '../locations/identity.ts';

/** The parameters of joining an engine over HTTPS. */
export interface Invitation {
  /** If it is empty, the addresses in the token are used. */
  urls: string[];
  /** Undefined if our certificate is trusted there already. */
  token: JoinToken | undefined;
  /** The fingerprint of the certificate that the engine must present. */
  fingerprint: string;
}

export interface Joined {
  engine: EngineAddress;
  client: IncusClient;
}

const tokenCommand = 'incus config trust add berth';

export function requireToken(text: string): JoinToken {
  const token = readJoinToken(text);
  if (token) return token;
  throw new SetupError(
    'This is not a token of Incus.',
    `Create one on the server, or on a member of the cluster: ${tokenCommand}`,
  );
}

/**
 * Makes an Incus trust us, and returns its connection. Nothing secret is sent before it has
 * presented the expected certificate. Throws `SetupError` with advice.
 */
export async function join(invitation: Invitation, identity: ClientIdentity): Promise<Joined> {
  const found = await findMembers(invitation);
  const engine = { urls: found.urls, server_cert: found.certificate };
  // Incus shows unmanaged networks of the hosts only in this project.
  const client = createIncusClient({ ...connectionOf({ engine }, identity), project: 'default' });
  try {
    await becomeTrusted(client, invitation.token);
    await requireFullTrust(client, identity);
    return { engine, client };
  } catch (error) {
    await client.close();
    throw error;
  }
}

interface Found {
  urls: string[];
  certificate: string;
}

/** All given addresses must belong to the right server. Some of those in a token may not be reachable from here. */
async function findMembers({ urls, token, fingerprint }: Invitation): Promise<Found> {
  const asked = urls.length > 0 ? urls : (token?.urls ?? []);
  const answers = await Promise.all(asked.map((url) => ask(url, fingerprint)));
  const good = answers.filter(({ trouble }) => trouble === undefined);
  const bad = answers.flatMap(({ trouble }) => trouble ?? []);
  const certificate = good[0]?.certificate;
  const isEnough = urls.length === 0 || bad.length === 0;
  if (certificate && isEnough) return { urls: good.map(({ url }) => url), certificate };
  if (bad.length === 0) {
    throw new SetupError(
      'The token has no address of the server.',
      'Specify the addresses: --url https://…',
    );
  }
  throw new SetupError(
    bad.join('\n'),
    'Specify addresses that this machine can reach with --url https://ADDRESS:8443. The server listens on its setting core.https_address.',
  );
}

/** Checks whether the right server answers there. Returns its certificate, or the error. */
async function ask(url: string, fingerprint: string) {
  try {
    const certificate = await presentedCertificate(url);
    const presented = fingerprintOf(certificate);
    if (presented === fingerprint) return { url, certificate };
    const trouble =
      `${url} presents the certificate ${presented.slice(0, 12)}…, and not ${fingerprint.slice(0, 12)}…, ` +
      'which was said to be its own: another server answers there, or its certificate was changed since.';
    return { url, trouble };
  } catch (error) {
    return { url, trouble: `${url} does not answer: ${wordsOf(error)}.` };
  }
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function becomeTrusted(client: IncusClient, token: JoinToken | undefined): Promise<void> {
  if (await isTrusted(client)) return;
  const wayOut = `Make a token on it, and give it with --token: ${tokenCommand}`;
  if (!token) throw new SetupError('That Incus does not trust this installation.', wayOut);
  if (token.expiresAt && token.expiresAt < new Date()) {
    throw new SetupError(
      `The token expired at ${token.expiresAt.toISOString()}.`,
      `Create another one: ${tokenCommand}`,
    );
  }
  await client.certificates.trust(token.text).catch((error: unknown) => {
    throw refused(error);
  });
  if (!(await isTrusted(client))) {
    throw new SetupError(
      'Incus has accepted the token, but does not trust this installation yet.',
      wayOut,
    );
  }
}

async function isTrusted({ server }: IncusClient): Promise<boolean> {
  try {
    await server.info();
    return true;
  } catch (error) {
    if (isEngineError(error, 'forbidden')) return false;
    throw error;
  }
}

function refused(error: unknown): unknown {
  const words = wordsOf(error);
  if (/Token has expired/.test(words)) {
    return new SetupError('The token has expired.', `Create another one: ${tokenCommand}`);
  }
  if (!isEngineError(error, 'forbidden')) return error;
  return new SetupError(
    'Incus does not know the token. It has been used or revoked, or Incus has been restarted since.',
    `Create another one: ${tokenCommand}`,
  );
}

/** A certificate that is restricted to projects can't read the members and their resources. */
async function requireFullTrust(client: IncusClient, identity: ClientIdentity): Promise<void> {
  const own = fingerprintOf(identity.clientCert);
  const known = await client.certificates.get(own);
  if (!known?.restricted) return;
  throw new SetupError(
    'The token is restricted to some projects. Berth must be able to read the members of the cluster, and to create its project.',
    `Revoke the trust (incus config trust remove ${own.slice(0, 12)}), and create a token without --restricted: ${tokenCommand}`,
  );
}
