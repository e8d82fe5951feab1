import { KeyObject, webcrypto } from 'node:crypto';
import type { Db } from '../db/connection.ts';
import type { Keyring } from '../keys/keyring.ts';
import { clientKey } from '../keys/places.ts';
import { type ClientIdentity, loadIdentity } from '../locations/identity.ts';
import { lockIdentity, setIdentity } from '../locations/identity-queries.ts';

/** A long validity, because all locations would become unreachable at once when the certificate expires. */
const years = 30;
/** The validity begins earlier, because clocks differ. */
const backdatedMs = 24 * 3600 * 1000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' };

/**
 * The installation's identity. It is created when first needed, and again if the key that encrypts
 * it was lost.
 */
export async function ensureIdentity(db: Db, secretKey: Keyring): Promise<ClientIdentity> {
  return await db.transaction().execute(async (trx) => {
    const installation = await lockIdentity(trx);
    const there = await loadIdentity(trx, secretKey);
    if (there) return there;
    const made = await createIdentity(`berth ${installation}`);
    await setIdentity(
      trx,
      made.clientCert,
      secretKey.seal(clientKey(installation), made.clientKey),
    );
    return made;
  });
}

/** Creates a self-signed certificate, which is sufficient for clients of Incus. */
export async function createIdentity(commonName: string): Promise<ClientIdentity> {
  // These are loaded here because an installation needs them only once. The second depends on the first.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const now = Date.now();
  const notAfter = new Date(now);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + years);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: [{ CN: [commonName] }],
      notBefore: new Date(now - backdatedMs),
      notAfter,
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
      ],
    },
    webcrypto as typeof globalThis.crypto,
  );
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { clientCert: `${certificate.toString('pem')}\n`, clientKey: String(key) };
}
