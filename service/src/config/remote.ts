import { parse } from 'pg-connection-string';

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/**
 * Whether nobody on the network can read the traffic to a PostgreSQL, which includes the password, or answer in its
 * place: it is on this machine, or its certificate and host name are verified. The URL is parsed as by `pg`.
 * `sslmode=require` is not sufficient, because libpq does not verify the certificate with it, and neither will pg 9
 * (https://node-postgres.com/features/ssl).
 */
export function isSafeRoute(url: string, { PGHOST }: { PGHOST?: string | undefined }): boolean {
  const { host, sslmode } = read(url);
  const at = host || PGHOST || 'localhost';
  return at.startsWith('/') || loopback.test(at) || sslmode === 'verify-full';
}

/** The URL without the names of TLS files, which `parse` would open, and without options that need these files. */
function read(url: string) {
  const others = /([?&])(sslcert|sslkey|sslrootcert|uselibpqcompat)=[^&#]*/g;
  return parse(url.replace(others, '$1')) as { host?: string | null; sslmode?: string };
}
