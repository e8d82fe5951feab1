import { join } from 'node:path';
import { helperSocket } from './as-root.ts';
import { createHelper } from './helper.ts';

// The program of berth-pools.service, which runs as root. The permissions of the folder decide who
// may use its socket.

const helper = createHelper(join(process.env.INCUS_DIR ?? '/var/lib/incus', 'storage-pools'));
helper.listen(helperSocket);
process.once('SIGTERM', () => helper.close());
