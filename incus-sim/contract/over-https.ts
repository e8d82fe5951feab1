import { onFreePort } from '../../e2e/ports.ts';
import type { administratorOn } from './administrator.ts';

/** The same Incus over HTTPS, for clients with certificates. */
export interface OverHttps {
  url: string;
  /** The output of `incus config trust add`. `expiresIn` is in the format of Incus: `1S`. */
  issueToken(options?: { expiresIn?: string }): Promise<string>;
}

interface TokenOperation {
  metadata: { secret: string; fingerprint: string; addresses: string[]; expiresAt?: string };
}

/** Configures a real Incus to listen on the loopback address, unless it already does. */
export async function listenOverHttps(
  administrator: ReturnType<typeof administratorOn>,
  cleanUpWith: (undo: () => Promise<unknown>) => void,
): Promise<OverHttps> {
  const configure = (config: Record<string, string>) =>
    administrator.send('PATCH', '/1.0', { config });
  const { config } = (await administrator.send('GET', '/1.0')).metadata as {
    config: Record<string, string>;
  };
  let address = config['core.https_address'] ?? '';
  if (address === '') {
    await onFreePort(async (port) => {
      address = `127.0.0.1:${port}`;
      await configure({ 'core.https_address': address });
    });
    cleanUpWith(() => configure({ 'core.https_address': '' }));
  }
  const { 'core.remote_token_expiry': expiryBefore = '' } = config;
  return {
    url: `https://${address.replace(/^(\[::\]|0\.0\.0\.0)?:/, '127.0.0.1:')}`,
    async issueToken({ expiresIn = '' } = {}) {
      // The time is in the format of the command line.
      await configure({ 'core.remote_token_expiry': expiresIn });
      const body = { type: 'client', name: 'contract', token: true };
      const answer = await administrator.send('POST', '/1.0/certificates', body);
      await configure({ 'core.remote_token_expiry': expiryBefore });
      const { expiresAt, secret, ...server } = (answer.metadata as TokenOperation).metadata;
      const { fingerprint, addresses } = server;
      const expires_at = expiresAt ?? '0001-01-01T00:00:00Z';
      const token = { client_name: 'contract', fingerprint, addresses, secret, expires_at };
      return Buffer.from(JSON.stringify(token)).toString('base64');
    },
  };
}
