import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

/** The name of this service in `npm run inspect`. */
export const serviceName = `${hostname()}/${process.pid}`;

/**
 * The beginning of the SHA-256 of the name as a UUID, which identifies the holder of a lease. The fence distinguishes
 * it from an earlier process.
 */
export const holderOf = (service: string) =>
  createHash('sha256').update(service).digest('hex').slice(0, 32);
