// Installs what `npm start` and `npm test` need: system packages, npm packages and kernel settings.
// It has no dependencies, because none are installed yet.
import { ensureBuilt } from './built.mjs';
import { ensureChromium } from './chromium.mjs';
import { explain, isRoot, SetupError } from './commands.mjs';
import { ensureHaproxy } from './haproxy.mjs';
import { setUpKernel, widenIdRanges } from './kernel.mjs';
import { requireFreePortToStart } from './listening.mjs';
import { ensureNodePackages } from './node-packages.mjs';
import { ensurePrometheus } from './prometheus.mjs';
import { requireRootForParts } from './root.mjs';
import { ensureShells } from './shells.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

const oldestNode = 20;

function requireNode() {
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) return;
  throw new SetupError(
    `Berth needs Node.js ${oldestNode} or newer for its setup; this is ${process.version}.`,
    'Install a newer Node.js from your distribution or from nodejs.org.',
  );
}

const { npm_lifecycle_event: script } = process.env;

/**
 * Checked before installing, which takes minutes.
 * @param {string[]} args of `npm run test:all`
 */
function requireRootForTests(args) {
  if (script === 'test:all') requireRootForParts(args);
  if (script !== 'pretest' || isRoot()) return;
  throw new SetupError(
    '"npm test" needs root: its end-to-end tests start an Incus of their own.',
    'Run it as root. As an ordinary user, run "npm run test:all -- --part service".',
  );
}

const withPanel = ['start', 'simulated', 'test'];
const withService = ['start', 'test'];
const withoutEngine = ['simulated', 'token', 'inspect'];

/**
 * @param {string} command what is being prepared: start, simulated, test, cluster, bench, token or inspect
 * @param {string[]} args
 */
async function prepare(command, args) {
  requireNode();
  requireRootForTests(args);
  await requireFreePortToStart();
  ensureNodePackages();
  if (withPanel.includes(command)) ensureBuilt('panel');
  if (withService.includes(command)) ensureBuilt('service');
  if (withoutEngine.includes(command)) return;
  ensureSystemPackages({ forTests: command !== 'start', forBench: command === 'bench' });
  if (command === 'test') {
    ensurePrometheus();
    ensureHaproxy();
    if (script === 'test:all') {
      ensureChromium();
      ensureShells();
    }
  }
  setUpKernel();
  widenIdRanges();
}

try {
  const [command = 'start', ...args] = process.argv.slice(2);
  await prepare(command, args);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  explain(error);
  process.exitCode = 1;
}
