import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

/** What `npm run inspect` calls this service. */
export const serviceName = `${hostname()}/${process.pid}`;

/** The same as a UUID, which the holder of a lease is: how its SHA-256 begins. The fence tells it from one before. */
export const holderOf = (service: string) =>
  createHash('sha256').update(service).digest('hex').slice(0, 32);
