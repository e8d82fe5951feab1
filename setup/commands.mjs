import { spawnSync } from 'node:child_process';

const shownLines = 15;

/** A step that failed, with what the user can do about it. */
export class SetupError extends Error {
  /**
   * @param {string} message what failed
   * @param {string} wayOut what to do about it
   * @param {string} [output] the end of what a command printed
   */
  constructor(message, wayOut, output = '') {
    super(message);
    this.wayOut = wayOut;
    this.output = output;
  }
}

export const isRoot = () => process.getuid?.() === 0;

/** @param {string} text */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/** @param {SetupError} error */
export function explain({ message, output, wayOut }) {
  process.stderr.write(`\n${message}\n`);
  if (output) process.stderr.write(`${output.replace(/^/gm, '  | ')}\n`);
  process.stderr.write(`${wayOut}\n\n`);
}

/**
 * Returns the output of a command; undefined if it failed or does not exist.
 * @param {string} command
 * @param {string[]} args
 */
export function output(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', env: plainLocale() });
  return status === 0 ? stdout : undefined;
}

/**
 * Runs a command. If it fails, throws with the end of its output.
 * @param {string} command
 * @param {string[]} args
 * @param {string} wayOut what to do when it fails
 */
export function run(command, args, wayOut) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...plainLocale(), DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status === 0) return;
  const printed = `${result.stdout ?? ''}${result.stderr ?? ''}`.trim().split('\n');
  const reason = result.error?.message ?? printed.slice(-shownLines).join('\n');
  throw new SetupError(`Failed: ${[command, ...args].join(' ')}`, wayOut, reason);
}

/**
 * Runs a command as root: directly if this is root, otherwise with sudo, which may ask for a
 * password.
 * @param {string} command
 * @param {string[]} args
 * @param {string} wayOut
 */
export function runAsRoot(command, args, wayOut) {
  if (isRoot()) return run(command, args, wayOut);
  requireSudo(`${command} ${args.join(' ')}`);
  say(`  (with sudo: ${command} ${args.join(' ')})`);
  run('sudo', ['DEBIAN_FRONTEND=noninteractive', command, ...args], wayOut);
}

/** @param {string} what */
function requireSudo(what) {
  if (output('sudo', ['--version'])) return;
  throw new SetupError(
    `Root privileges are required: ${what}`,
    'Run it again as root, or install sudo.',
  );
}

/**
 * Writes a file that belongs to root.
 * @param {string} path
 * @param {string} content
 */
export function writeAsRoot(path, content) {
  const script = 'printf %s "$1" > "$0"';
  runAsRoot('sh', ['-c', script, path, content], `Write ${path} by hand.`);
}

function plainLocale() {
  return { ...process.env, LC_ALL: 'C' };
}
