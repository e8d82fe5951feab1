import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { madeForFiles } from '../guests/first-start.ts';
import { machineArchitecture } from '../operating-systems/catalogue.ts';
import { runProgram } from './child.ts';
import { machineMirror, reachableSources, sourcesList } from './debian-mirror.ts';

/** Receives the progress from 0 to 1, and what is being done. */
export type OnProgress = (fraction: number, doing: string) => void;

export interface BuiltImage {
  metadataPath: string;
  rootfsPath: string;
}

interface Build {
  /** The directory for the files of the image, which the caller removes. */
  workDir: string;
  onProgress: OnProgress;
  signal: AbortSignal;
}

const release = 'bookworm';
const template = fileURLToPath(new URL('./template', import.meta.url));
const packages = [
  'systemd-sysv',
  'cloud-init',
  'openssh-server',
  'netplan.io',
  'systemd-resolved',
  'sudo',
  'udev',
  'dbus',
  'ca-certificates',
  'locales',
  'tzdata',
  'iproute2',
  'iputils-ping',
  'curl',
  'less',
  'vim-tiny',
];

/**
 * The messages with which mmdebstrap begins its phases, and the progress of the build at that
 * point.
 */
const phases: readonly (readonly [RegExp, number, string])[] = [
  [/^I: running apt-get update/, 0.02, 'reading the package lists'],
  [/^I: downloading packages/, 0.08, 'downloading packages'],
  [/^I: extracting archives/, 0.25, 'unpacking the base system'],
  [/^I: installing essential/, 0.35, 'installing the base system'],
  [/^I: installing remaining/, 0.5, 'installing packages'],
  [/^I: running --customize-hook/, 0.88, 'adapting the system'],
  [/^I: cleaning package lists/, 0.91, 'cleaning up'],
  [/^I: creating tarball/, 0.93, 'writing the image'],
];

/** A hash of everything that determines an image, except for the versions of packages. */
export async function debianRecipe(signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const { creation_date: _, ...constant } = metadata();
  const hooks = (await customizeHooks('sources.list')).map((hook) => hook.replaceAll(template, ''));
  const sources = sourcesList(await machineMirror(signal), release);
  hash.update(JSON.stringify([mmdebstrapArguments('', hooks), sources, constant]));
  for (const file of await filesBelow(template)) {
    hash.update(relative(template, file)).update(await readFile(file));
  }
  return hash.digest('hex');
}

/** Builds an image of Debian 12 from the machine's own mirror, in the two files that Incus imports. */
export async function buildDebian({ workDir, onProgress, signal }: Build): Promise<BuiltImage> {
  onProgress(0, 'looking for a Debian mirror');
  await mkdir(workDir, { recursive: true });
  const scratch = await mkdtemp(join(workDir, 'debian-'));
  const image = {
    metadataPath: join(workDir, 'meta.tar'),
    rootfsPath: join(workDir, 'rootfs.tar'),
  };
  try {
    await writeRootfs(image.rootfsPath, scratch, onProgress, signal);
    await writeMetadata(image.metadataPath, scratch, signal);
    onProgress(1, 'built');
    return image;
  } catch (error) {
    await rm(image.rootfsPath, { force: true });
    await rm(image.metadataPath, { force: true });
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function writeRootfs(
  rootfsPath: string,
  scratch: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<void> {
  const wanted = sourcesList(await machineMirror(signal), release);
  const usable = await reachableSources(wanted, scratch, signal);
  const sourcesPath = join(scratch, 'sources.list');
  await writeFile(sourcesPath, `${wanted.join('\n')}\n`);
  await runProgram({
    program: 'mmdebstrap',
    args: mmdebstrapArguments(rootfsPath, await customizeHooks(sourcesPath)),
    input: `${usable.join('\n')}\n`,
    // Its working directory holds the whole system, so it should not be in a /tmp that may be
    // memory.
    env: { TMPDIR: scratch },
    signal,
    onLine: (line) => reportPhase(line, onProgress),
  });
}

function mmdebstrapArguments(rootfsPath: string, hooks: string[]): string[] {
  return [
    '--variant=apt',
    `--include=${packages.join(',')}`,
    '--skip=download/empty',
    ...hooks.map((hook) => `--customize-hook=${hook}`),
    release,
    rootfsPath,
    '-',
  ];
}

/** The generators of systemd that look for disks or a boot loader. A container has neither, and they run at each boot. */
const maskedGenerators = [
  'systemd-bless-boot-generator',
  'systemd-cryptsetup-generator',
  'systemd-gpt-auto-generator',
  'systemd-hibernate-resume-generator',
  'systemd-integritysetup-generator',
  'systemd-veritysetup-generator',
];

/** Each server has its own machine id and host keys, which are pushed into it, or generated at its first boot. */
async function customizeHooks(sourcesPath: string): Promise<string[]> {
  return [
    ...(await templateUploads()),
    `upload ${quoted(sourcesPath)} /etc/apt/sources.list`,
    'rm -f "$1"/etc/ssh/ssh_host_* "$1"/etc/apt/sources.list.d/*',
    ': >"$1"/etc/machine-id; rm -f "$1"/var/lib/dbus/machine-id',
    'echo LANG=C.UTF-8 >"$1"/etc/default/locale; chmod 644 "$1"/etc/default/locale',
    'ln -sf /usr/share/zoneinfo/Etc/UTC "$1"/etc/localtime; echo Etc/UTC >"$1"/etc/timezone',
    'echo localhost >"$1"/etc/hostname; rm -f "$1"/etc/resolv.conf',
    'ln -s ../run/systemd/resolve/stub-resolv.conf "$1"/etc/resolv.conf',
    'mkdir -p "$1"/etc/systemd/system-generators',
    'ln -s ../berth-first-start.service "$1"/etc/systemd/system/multi-user.target.wants/',
    'ln -s ../berth-link-local.service "$1"/etc/systemd/system/sysinit.target.wants/',
    ...maskedGenerators.map((name) => `ln -s /dev/null "$1"/etc/systemd/system-generators/${name}`),
  ];
}

async function templateUploads(): Promise<string[]> {
  const root = join(template, 'rootfs');
  const files = await filesBelow(root);
  const paths = files.map((file) => file.slice(root.length));
  const folders = new Set(paths.map((path) => `"$1"${dirname(path)}`));
  return [
    `mkdir -p ${[...folders].join(' ')}`,
    ...files.map((file, at) => `upload ${quoted(file)} ${paths[at]}`),
  ];
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

function reportPhase(line: string, onProgress: OnProgress): void {
  const phase = phases.find(([pattern]) => pattern.test(line));
  if (phase) onProgress(phase[1], phase[2]);
}

/** `metadata.yaml`, as JSON, which is YAML, and the templates that Incus fills in for each server. */
async function writeMetadata(path: string, scratch: string, signal: AbortSignal): Promise<void> {
  await writeFile(join(scratch, 'metadata.yaml'), JSON.stringify(metadata(), null, 2));
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  const content = ['-C', scratch, 'metadata.yaml', '-C', template, 'templates'];
  await runProgram({ program: 'tar', args: ['-cf', path, ...owner, ...content], signal });
}

function metadata() {
  const seed = '/var/lib/cloud/seed/nocloud-net';
  const empty = '#cloud-config\n{}\n';
  const dhcp = 'version: 2\nethernets:\n  eth0:\n    dhcp4: true\n';
  return {
    architecture: machineArchitecture(),
    creation_date: Math.floor(Date.now() / 1000),
    properties: {
      os: 'Debian',
      release,
      description: 'Debian 12, built by Berth',
      ...madeForFiles,
    },
    // There is no template for a file that is pushed into a guest before its first start, because it would overwrite
    // that.
    templates: {
      [`${seed}/meta-data`]: filledIn('meta-data.tpl'),
      [`${seed}/user-data`]: filledIn('user-data.tpl', empty),
      [`${seed}/vendor-data`]: filledIn('vendor-data.tpl', empty),
      [`${seed}/network-config`]: filledIn('network-config.tpl', dhcp),
    },
  };
}

/** The template language has no line breaks in strings, but a property can contain them. */
function filledIn(file: string, standard?: string) {
  const properties = standard === undefined ? {} : { properties: { default: standard } };
  return { when: ['create', 'copy'], template: file, ...properties };
}

/** Quotes a path for the shell commands of mmdebstrap's hooks. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
