import { X509Certificate } from 'node:crypto';
import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../db/connection.ts';
import type { Reading } from './of-database.ts';
import { briefly, engineCertificates } from './queries.ts';

/** Returns PEM: a certificate, or one with its chain. */
export type ReadCertificate = () => string;

/**
 * Metrics of when certificates expire: the one that this service presents, and those between Berth
 * and its engines.
 */
export function certificateGauges(registry: Registry, db: Db) {
  let presented: ReadCertificate | undefined;
  new Gauge({
    name: 'berth_tls_certificate_expiry_timestamp_seconds',
    help: 'Time at which the first certificate in the chain that this service presents expires. Absent without HTTPS.',
    registers: [registry],
    collect() {
      this.remove();
      if (presented) this.set(endOf(presented()));
    },
  });
  const ofEngines = new Gauge({
    name: 'berth_engine_certificate_expiry_timestamp_seconds',
    help: 'Time at which a certificate expires: client for the one of Berth, server for the Incus of a location over HTTPS. Every service of a database returns the same value.',
    labelNames: ['certificate', 'location'],
    registers: [registry],
  });
  const ofDatabase: Reading = {
    async read() {
      const found = await briefly(db, engineCertificates);
      return () => {
        for (const { pem, ...labels } of found) ofEngines.set(labels, endOf(pem));
      };
    },
    clear: () => ofEngines.reset(),
  };
  const presents = (read: ReadCertificate): void => {
    presented = read;
  };
  return { presents, ofDatabase };
}

/** The expiry of the certificate that expires first, in seconds since 1970. */
function endOf(pem: string): number {
  const [...certificates] = pem.matchAll(
    /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
  );
  const ends = certificates.map(([text]) => new X509Certificate(text).validToDate.getTime() / 1000);
  return Math.min(...ends);
}
