import { parseArgs } from 'node:util';
import { isRoot, SetupError } from './commands.mjs';

/** The parts of the tests that need root, in the order in which they run. */
export const partsWithRoot = ['guests', 'e2e', 'engine', 'cluster'];

/**
 * Throws if this is an ordinary user.
 * @param {string} part the name of a part that needs root
 */
export function requireRootForPart(part, { asRoot = isRoot() } = {}) {
  if (asRoot) return;
  throw new SetupError(
    `The part "${part}" needs root: it starts an Incus of its own.`,
    'Run it as root, or choose a part that needs no root, such as --part service.',
  );
}

/**
 * Throws if this is an ordinary user, and these arguments of `npm run test:all` choose a part that needs root. Other
 * mistakes in them are found by the tests themselves.
 * @param {string[]} args
 */
export function requireRootForParts(args, user = {}) {
  const { values } = parseArgs({
    args,
    allowPositionals: true,
    strict: false,
    options: {
      part: { type: 'string', multiple: true, default: [] },
      list: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.list || values.help) return;
  const part = partsWithRoot.find((name) => values.part.length === 0 || values.part.includes(name));
  if (part) requireRootForPart(part, user);
}
