import { ensureIncus } from '../../setup/incus-daemon.ts';

// Started in the namespaces of a machine: has the Incus there run, and ends. It runs on.

const [incusDir] = process.argv.slice(2);
if (!incusDir) throw new Error('Which directory is the daemon to run in?');
await ensureIncus({ incusDir, say: () => undefined });
// What the daemon prints goes to its log, and it holds nothing of ours.
process.exit(0);
