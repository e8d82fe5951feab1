import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether the Berth of a data directory works on a simulated Incus, which `npm run start:simulated` notes there. One that a
 * release before has made has its socket there while it runs.
 */
export const isSimulated = (dataDir: string) =>
  ['simulated', 'incus.socket'].some((name) => existsSync(join(dataDir, name)));
