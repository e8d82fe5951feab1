import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates a certificate for localhost: one file with its key, as HAProxy needs it, and the certificate for clients to
 * trust.
 */
export function makeCertificate(directory: string): { path: string; ca: string } {
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = [
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
  ];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...files], { stdio: 'pipe' });
  const path = join(directory, 'berth.pem');
  const ca = readFileSync(certificate, 'utf8');
  writeFileSync(path, ca + readFileSync(key, 'utf8'), { mode: 0o600 });
  return { path, ca };
}
