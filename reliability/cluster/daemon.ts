import { ensureIncus } from '../../setup/incus-daemon.ts';

// Runs in the namespaces of a machine: starts the Incus there, and exits. Incus keeps running.

const [incusDir] = process.argv.slice(2);
if (!incusDir) throw new Error('Name the directory of the daemon.');
await ensureIncus({ incusDir, say: () => undefined });
// The daemon's output goes to its log, and it inherits nothing from this process.
process.exit(0);
