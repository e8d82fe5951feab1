// `npm run release` creates the published files of a commit. docs/releasing.md says when and how to
// run it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { explain, SetupError, say } from './commands.mjs';

const clone = fileURLToPath(new URL('..', import.meta.url));
const unreleased = 'unreleased';

/**
 * Returns what a command prints to standard output. If it fails, throws with its error message.
 * @param {string} command
 * @param {string[]} args
 * @param {string} directory
 */
function outputOf(command, args, directory) {
  const options = { cwd: directory, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status === 0) return stdout;
  throw new SetupError(
    `Failed: ${[command, ...args].join(' ')}`,
    'A release is built in a clone, with Git 2.38 and npm 10 or newer.',
    error?.message ?? stderr,
  );
}

/** @param {string[]} args */
const git = (...args) => outputOf('git', args, clone);

/**
 * The section of a version in the changelog, without its heading.
 * @param {string} changelog
 * @param {string} version
 * @returns {{ date: string, notes: string }} the date is `unreleased` before the release
 */
export function sectionOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const own = sections.find((section) => section.startsWith(`[${version}] - `));
  if (!own) {
    const wayOut = `Add it: ## [${version}] - ${unreleased}`;
    throw new SetupError(`CHANGELOG.md has no section for ${version}.`, wayOut);
  }
  const [heading = '', ...lines] = own.split('\n');
  return { date: heading.split(' - ')[1]?.trim() ?? '', notes: `${lines.join('\n').trim()}\n` };
}

/**
 * The version of a commit and its notes. Throws if the changelog does not have them, or says that they are not released.
 * @param {string} commit
 * @param {boolean} isDraft
 */
function requireReleasable(commit, isDraft) {
  const { hash, version } = identify(commit);
  const { date, notes } = sectionOf(git('show', `${hash}:CHANGELOG.md`), version);
  if (date !== unreleased || isDraft) return { hash, version, notes };
  throw new SetupError(
    `CHANGELOG.md says that ${version} is unreleased.`,
    'Enter the date of the release there, and commit it. To create a draft: npm run release -- --draft',
  );
}

/**
 * Writes the files of a release of `commit` into `directory`: a tarball with all files of the commit, the built
 * documentation site, panel and service, and `release.json`, which names the commit; a bill of materials (CycloneDX); the release notes; and the checksums of
 * these. The same commit always makes the same tarball.
 * @param {{ commit?: string, directory: string, isDraft?: boolean, built?: Record<string, string> }} release a draft needs no date in the
 *   changelog; `built` has the folders of what was built, by their paths in the release
 */
export function makeRelease({ commit = 'HEAD', directory, isDraft = false, built = {} }) {
  const { hash, version, notes } = requireReleasable(commit, isDraft);
  const name = `berth-${version}`;
  mkdirSync(directory, { recursive: true });
  const [bill, text] = [`${name}.cdx.json`, `${name}.md`].map((file) => join(directory, file));
  const tarball = makeTarball({ commit: hash, directory, built });
  writeFileSync(bill, billOf(tarball, name));
  writeFileSync(text, notes);
  const files = [tarball, bill, text];
  const sums = files.map((file) => `${sha256(file)}  ${basename(file)}\n`);
  writeFileSync(join(directory, 'SHA256SUMS'), sums.join(''));
  return { version, commit: hash, files };
}

/**
 * Writes the tarball of a release, and returns its path.
 * @param {{ commit?: string, directory: string, built?: Record<string, string> }} release as of `makeRelease`
 */
export function makeTarball({ commit = 'HEAD', directory, built = {} }) {
  const { hash, version } = identify(commit);
  const name = `berth-${version}`;
  const tarball = join(directory, `${name}.tar.gz`);
  const identity = JSON.stringify({ version, commit: hash });
  git(
    ...['archive', '--format=tar.gz', `--add-virtual-file=${name}/release.json:${identity}`],
    ...Object.entries(built).flatMap(([path, folder]) => filesOf(folder, join(name, path))),
    // The last prefix is that of the files of the commit.
    ...[`--prefix=${name}/`, `--output=${tarball}`, hash],
  );
  return tarball;
}

/** @param {string} commit */
function identify(commit) {
  const hash = git('rev-parse', '--verify', `${commit}^{commit}`).trim();
  const { version } = JSON.parse(git('show', `${hash}:package.json`));
  return { hash, version };
}

/**
 * The arguments of `git archive` that add the files of a folder.
 * @param {string} folder
 * @param {string} target where they are in the tarball
 */
function filesOf(folder, target) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return paths.sort().flatMap((path) => {
    const prefix = dirname(join(target, relative(folder, path)));
    return [`--prefix=${prefix}/`, `--add-file=${path}`];
  });
}

/**
 * The packages in the lock file of the tarball, as CycloneDX.
 * @param {string} tarball
 * @param {string} name its folder
 */
function billOf(tarball, name) {
  const directory = mkdtempSync(join(tmpdir(), 'berth-release-'));
  try {
    const packages = ['package.json', 'package-lock.json'].map((file) => `*/${file}`);
    outputOf('tar', ['-xzf', tarball, '-C', directory, '--wildcards', ...packages], '.');
    const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'];
    const printed = outputOf('npm', [...args, '--package-lock-only'], join(directory, name));
    const bill = JSON.parse(printed);
    // npm uses the name of the folder.
    bill.metadata.component.name = 'berth';
    return `${JSON.stringify(bill, null, 2)}\n`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @param {string} file */
function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Builds the documentation site, the panel and the service of the files in the clone. */
function build() {
  outputOf('npm', ['run', '--silent', 'docs'], clone);
  // Files of earlier builds may be left.
  rmSync(join(clone, 'service/dist'), { recursive: true, force: true });
  for (const part of ['panel', 'service']) {
    outputOf('npm', ['run', '--silent', 'build', '-w', part], clone);
  }
  const folders = ['site/dist', 'panel/dist', 'service/dist'];
  return Object.fromEntries(folders.map((folder) => [folder, join(clone, folder)]));
}

const usage = `Creates a release of the commit that is checked out: a tarball, a bill of materials, notes and checksums.

  npm run release -- [--out DIRECTORY] [--draft]

  --out    the directory for the files; the default is ./dist
  --draft  allow uncommitted changes, which are omitted, and a version without a date in CHANGELOG.md

See docs/releasing.md.`;

function readArguments() {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: 'dist' },
      draft: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return values;
}

function main() {
  const values = readArguments();
  if (values.help) return say(usage);
  const changed = outputOf('git', ['status', '--porcelain'], clone).trim();
  if (changed && !values.draft) {
    const wayOut = 'Commit them, or create a draft without them: npm run release -- --draft';
    throw new SetupError('There are uncommitted changes.', wayOut, changed);
  }
  // Building takes half a minute.
  requireReleasable('HEAD', values.draft);
  const directory = resolve(values.out);
  const built = changed ? {} : build();
  if (changed) {
    say('What is built is omitted, because there are uncommitted changes.');
  }
  const { version, commit, files } = makeRelease({ directory, isDraft: values.draft, built });
  say(`Berth ${version}, commit ${commit}:`);
  for (const file of [...files, join(directory, 'SHA256SUMS')]) say(`  ${file}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main();
  } catch (error) {
    const isUsage = String(error?.code).startsWith('ERR_PARSE_ARGS');
    if (!isUsage && !(error instanceof SetupError)) throw error;
    if (isUsage) process.stderr.write(`${error.message}\n\n${usage}\n`);
    else explain(error);
    process.exitCode = isUsage ? 2 : 1;
  }
}
