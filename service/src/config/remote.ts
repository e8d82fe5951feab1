import { parse } from 'pg-connection-string';

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/**
 * Whether what is sent to a PostgreSQL, and its password with it, can be read or answered by nobody on
 * the way: it is on this machine, or its certificate is verified, and that it is its own. Read as `pg`
 * reads the URL. `sslmode=require` is not enough, which checks less by the rules of libpq, and will by
 * those of pg 9 (https://node-postgres.com/features/ssl).
 */
export function isSafeRoute(url: string, { PGHOST }: { PGHOST?: string | undefined }): boolean {
  const { host, sslmode } = read(url);
  const at = host || PGHOST || 'localhost';
  return at.startsWith('/') || loopback.test(at) || sslmode === 'verify-full';
}

/** Without the files of TLS, which `parse` would open, and what it would object to for want of them. */
function read(url: string) {
  const others = /([?&])(sslcert|sslkey|sslrootcert|uselibpqcompat)=[^&#]*/g;
  return parse(url.replace(others, '$1')) as { host?: string | null; sslmode?: string };
}
