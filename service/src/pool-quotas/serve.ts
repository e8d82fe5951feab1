import { join } from 'node:path';
import { helperSocket } from './as-root.ts';
import { createHelper } from './helper.ts';

// What berth-pools.service runs, as root. Who may use its socket is up to the rights of the folder that it is in.

const helper = createHelper(join(process.env.INCUS_DIR ?? '/var/lib/incus', 'storage-pools'));
helper.listen(helperSocket);
process.once('SIGTERM', () => helper.close());
