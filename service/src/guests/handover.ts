import { readFileSync } from 'node:fs';
import { directory, file, type GuestFile } from './files.ts';
import { type FirstStart, firstStartFiles } from './first-start.ts';
import { keyFiles, linesOf, type RootLogin, sshdFiles, sshdSettings } from './login.ts';
import { type Seed, seedFiles } from './seed.ts';

/** A command line for `/bin/sh -c`, or an argument vector. */
export type InitialCommand = string | string[];

const scripts = '/var/lib/cloud/scripts/per-boot';
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const runner = read('./runner.sh');
const units = '/etc/systemd/system';
const unit = 'berth-first-start.service';
/** As in the images that this release builds. */
const ofImage = (path: string) => file(path, 0o644, read(`../images/template/rootfs${path}`));
/** Images of earlier releases have one that does not wait until cloud-init has set passwords. */
const unitFile = ofImage(`${units}/${unit}`);
/** Images of earlier releases have one with fewer modules, and other images have none. */
const cloudInitSettings = [
  directory('/etc/cloud', 0o755),
  directory('/etc/cloud/cloud.cfg.d', 0o755),
  ofImage('/etc/cloud/cloud.cfg.d/50-berth.cfg'),
];
/** They quote user data that is not valid. cloud-init creates them for all to read, but keeps the mode of those it finds. */
const cloudInitLogs = ['cloud-init.log', 'cloud-init-output.log'].map((name) =>
  file(`/var/log/${name}`, 0o640, ''),
);

export const stateFolder = '/var/lib/berth';

/** What a guest gets. */
interface Handover {
  login: RootLogin;
  commands: InitialCommand[];
  /** With user data, which cloud-init carries out in any image. */
  seed?: Seed | undefined;
}

/**
 * The files to push into a new, stopped guest, in this order: the secrets, which only root can read; the settings of its
 * SSH server, if it must not accept passwords; the user data with the SSH keys; the files of `firstStart`, if the guest
 * can start without cloud-init; and the script that carries out the secrets and removes them and itself. cloud-init runs
 * it at the end of a boot, or, with `firstStart`, a unit of the image does. The guest must never have been started, since
 * it would run everything again.
 */
export function handoverFiles(handover: Handover, firstStart?: FirstStart): GuestFile[] {
  const { login, seed } = handover;
  const forUserData = seed
    ? [
        ...keyFiles(login),
        ...cloudInitSettings,
        ...cloudInitLogs,
        ...seedFiles(seed, firstStart !== undefined),
      ]
    : [];
  const early = [...sshdFiles(login), ...forUserData];
  if (!firstStart) {
    return [
      ...secrets(handover),
      ...early,
      ...(seed ? besideCloudInit() : []),
      directory('/var/lib/cloud', 0o755),
      directory('/var/lib/cloud/scripts', 0o755),
      directory(scripts, 0o755),
      file(`${scripts}/00-berth`, 0o700, seed ? unlessSystemd : runner),
    ];
  }
  const { before, during } = firstStartFiles(firstStart, seed !== undefined);
  return [
    ...secrets(handover, during),
    ...early,
    ...before,
    ...(seed ? [unitFile] : []),
    file(`${stateFolder}/runner`, 0o700, runner),
  ];
}

/**
 * Has systemd run the script by a unit, so that user data which does not end, or keeps cloud-init from running scripts,
 * holds up neither the login of root nor the report.
 */
function besideCloudInit(): GuestFile[] {
  const wanted = `${units}/multi-user.target.d`;
  return [
    directory('/etc/systemd', 0o755),
    directory(units, 0o755),
    directory(wanted, 0o755),
    unitFile,
    file(`${wanted}/berth.conf`, 0o644, `[Unit]\nWants=${unit}\n`),
    file(`${stateFolder}/runner`, 0o700, runner),
  ];
}

/** In guests without systemd, cloud-init runs it all the same. */
const unlessSystemd = `#!/bin/sh
if [ ! -d "\${BERTH_ROOT:-}/run/systemd/system" ]; then
  exec /bin/sh "\${BERTH_ROOT:-}${stateFolder}/runner" by-cloud-init
fi
`;

/** A file that the guest writes itself. All users can read it. */
type OpenFile = { path: string; content: string };

/** A single file, because each file that is pushed into a guest takes tens of milliseconds. */
function secrets(handover: Handover, files: OpenFile[] = []): GuestFile[] {
  const content = script(handover, files);
  return [directory(stateFolder, 0o700), file(`${stateFolder}/handover`, 0o600, content)];
}

function script({ login, commands, seed }: Handover, files: OpenFile[]): string {
  const { passwordHash, authorizedKeys } = login;
  const lines = [
    `password_hash=${quoted(passwordHash)}`,
    // With user data, they are there already, and cloud-init may have added others.
    `authorized_keys=${quoted(seed ? '' : linesOf(authorizedKeys))}`,
    `sshd_settings=${quoted(sshdSettings(login))}`,
    `has_user_data=${seed ? 1 : ''}`,
    ...files.map(({ path, content }) => `add_file ${quoted(path)} ${quoted(content)}`),
    ...commands.map((command) => `add_command ${quoted(argumentsLine(command))}`),
  ];
  return `${lines.join('\n')}\n`;
}

function argumentsLine(command: InitialCommand): string {
  const argv = typeof command === 'string' ? ['/bin/sh', '-c', '--', command] : command;
  return `set -- ${argv.map(quoted).join(' ')}`;
}

/** Quotes any bytes except NUL, which no argument can contain. */
function quoted(text: string): string {
  if (text.includes('\0')) throw new Error('A command or password hash holds a NUL character.');
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
