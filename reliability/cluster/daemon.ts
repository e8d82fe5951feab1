import { ensureIncus } from '../../setup/incus-daemon.ts';

// Started in the namespaces of a machine: has the Incus there run, and ends. It runs on.

const [incusDir] = process.argv.slice(2);
if (!incusDir) throw new Error('Which directory is the daemon to run in?');
await ensureIncus({ incusDir, say: () => undefined });
// The daemon's output goes to its log, and it inherits nothing from this process.
process.exit(0);
