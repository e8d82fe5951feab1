import { hostNameOf, planOf, reportOf, userDataOf } from './cloud-init.ts';
import type { Timing } from './engine.ts';
import type { GuestFaults } from './faults.ts';
import type { Instance } from './model.ts';
import type { Run } from './runs.ts';
import { setHashes } from './shadow.ts';
import { type Machine, type Outcome, runProgram, runShell, shellWords } from './shell.ts';
import { type Entry, normal, putDirectory, putFile, readEntry, removeEntry } from './tree.ts';

// A guest as clients of Incus see it: it boots, its network comes up, it runs its handover once,
// and it reports its progress.

/** The state of its handover, which survives restarts. */
export interface GuestWork {
  commands: string[][];
  results: { status: number; output: string; milliseconds?: number }[];
  /** Whether the command after the last result was started. */
  isBegun: boolean;
  /** Its user data; undefined without it. */
  userData?: {
    text: string;
    /** Whether cloud-init has begun it, which it does only once. */
    isBegun: boolean;
    /** What cloud-init said of it. */
    report?: string;
  };
}

export interface GuestHost {
  timing: Timing;
  faults: () => GuestFaults;
  powerOff(): void;
  reboot(): void;
}

const folder = '/var/lib/berth';
const handover = `${folder}/handover`;
const progress = `${folder}/progress`;
/** cloud-init runs it at the end of each boot, unless it is disabled. */
const cloudInitScript = '/var/lib/cloud/scripts/per-boot/00-berth';
const cloudInitOff = '/etc/cloud/cloud-init.disabled';
/** A systemd unit does the same, in images with that property. */
const unitScript = `${folder}/runner`;
const unitProperty = 'image.berth.first-start';
const keptBytes = 4096;
/** The time from a command that ends the guest to its end. */
const goingDownMs = 20;
const interruption = '\nInterrupted: the server stopped or restarted while this command ran.\n';

/** Boots, and runs its work. Resolves at the end of the run. */
export async function liveGuest(instance: Instance, run: Run, host: GuestHost): Promise<void> {
  if (host.faults().neverBoots) return;
  if (!readEntry(instance.files, cloudInitOff)) setHostName(instance, run);
  const { network, boot } = host.timing;
  await run.pause(network);
  run.hasAddresses = true;
  await run.pause(Math.max(0, boot - network));
  if (hasScript(instance)) await carryOut(instance, run, host);
}

/** As cloud-init does it, at the first boot only. */
function setHostName(instance: Instance, run: Run): void {
  const name = hostNameOf(instance);
  if (name === undefined || !readEntry(instance.files, handover)) return;
  putFile(instance.files, '/etc/hostname', `${name}\n`, 0o644);
  run.guestName = name;
}

/** Whether something runs at the end of a boot. */
function hasScript({ config, files }: Instance): boolean {
  const scripts = [
    ...(readEntry(files, cloudInitOff) ? [] : [cloudInitScript]),
    ...(config[unitProperty] ? [unitScript] : []),
  ];
  return scripts.some((path) => readEntry(files, path));
}

async function carryOut(instance: Instance, run: Run, host: GuestHost): Promise<void> {
  const work = instance.work ?? takeOver(instance, host);
  if (!work) return report(instance, host, 'failed', 0);
  instance.work = work;
  if (!(await carryOutUserData(instance, work, run, host))) return;
  const { commands, results } = work;
  while (results.length < commands.length) {
    if (work.isBegun) {
      results.push({ status: 143, output: interruption });
      work.isBegun = false;
      continue;
    }
    report(instance, host, 'running', results.length + 1);
    work.isBegun = true;
    const began = performance.now();
    const outcome = await execute(commands[results.length] ?? [], machineOf(instance, run));
    const milliseconds = Math.round(performance.now() - began);
    results.push({ status: outcome.status, output: outcome.output, milliseconds });
    work.isBegun = false;
    if (outcome.power) {
      await run.pause(goingDownMs);
      return outcome.power === 'off' ? host.powerOff() : host.reboot();
    }
  }
  report(instance, host, 'done', commands.length);
  delete instance.work;
  for (const path of [cloudInitScript, unitScript]) removeEntry(instance.files, path);
}

/** As cloud-init does it, before the commands. Returns false if the guest stops then. */
async function carryOutUserData(
  instance: Instance,
  { userData }: GuestWork,
  run: Run,
  host: GuestHost,
): Promise<boolean> {
  if (!userData || userData.report !== undefined) return true;
  report(instance, host, 'running', 0);
  const plan = planOf(userData.text);
  if (userData.isBegun) {
    userData.report = reportOf(plan, []);
    return true;
  }
  userData.isBegun = true;
  const statuses: number[] = [];
  let power = plan.power;
  for (const command of plan.commands) {
    const outcome = await runShell(command, machineOf(instance, run));
    statuses.push(outcome.status);
    power = outcome.power ?? power;
  }
  userData.report = reportOf(plan, statuses);
  if (!power) return true;
  await run.pause(goingDownMs);
  if (power === 'off') host.powerOff();
  else host.reboot();
  return false;
}

function takeOver(instance: Instance, host: GuestHost): GuestWork | undefined {
  const file = readEntry(instance.files, handover);
  if (!file) return undefined;
  report(instance, host, 'preparing', 0);
  const words = shellWords(file.content.toString());
  setUpLogin(instance, words);
  const commands = commandsOf(words);
  removeEntry(instance.files, handover);
  const text = words.includes('has_user_data=1') ? userDataOf(instance.files) : undefined;
  const work = { commands, results: [], isBegun: false };
  return text === undefined ? work : { ...work, userData: { text, isBegun: false } };
}

/** Writes what `password_hash=`, `authorized_keys=` and `sshd_settings=` say. */
function setUpLogin({ files }: Instance, words: string[]): void {
  const assigned = (name: string) =>
    words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  setHashes(files, `root:${assigned('password_hash')}`);
  const keys = assigned('authorized_keys');
  if (keys) {
    putDirectory(files, '/root/.ssh', 0o700);
    putFile(files, '/root/.ssh/authorized_keys', keys, 0o600);
  }
  const settings = '/etc/ssh/sshd_config.d';
  putDirectory(files, settings, 0o755);
  putFile(files, `${settings}/00-berth.conf`, `${assigned('sshd_settings')}\n`, 0o644);
}

/** The handover is a shell script of `add_command '<set -- arguments>'` lines. */
function commandsOf(words: string[]): string[][] {
  return words.flatMap((word, index) =>
    word === 'add_command' ? [shellWords(words[index + 1] ?? '').slice(2)] : [],
  );
}

/** Runs a program or a shell in a guest. */
export function execute(argv: string[], machine: Machine): Promise<Outcome> {
  const [program = '', option] = argv;
  return /(^|\/)sh$/.test(program) && option === '-c'
    ? runShell(argv.at(-1) ?? '', machine)
    : runProgram(argv, machine);
}

export function machineOf(instance: Instance, run: Run): Machine {
  return {
    sleep: (seconds) => run.pause(seconds * 1000),
    write(path, content, append) {
      const full = normal(path.startsWith('/') ? path : `/root/${path}`);
      const before = append ? (readEntry(instance.files, full)?.content.toString() ?? '') : '';
      putFile(instance.files, full, before + content, 0o644);
    },
    hostName: () => run.guestName,
    setHostName(name) {
      run.guestName = name;
    },
  };
}

/**
 * A line with its progress, then each result: status, length of the output, duration in
 * milliseconds if known, and output.
 */
function report(instance: Instance, host: GuestHost, phase: string, number: number): void {
  const { reportIs } = host.faults();
  if (reportIs) return void instance.files.set(progress, replacements[reportIs]);
  const results = (instance.work?.results ?? []).map(({ status, output, milliseconds }) => {
    const kept = Buffer.from(output).subarray(-keptBytes);
    const header = [status, kept.length, milliseconds].filter((part) => part !== undefined);
    return Buffer.concat([Buffer.from(`${header.join(' ')}\n`), kept]);
  });
  putFile(
    instance.files,
    progress,
    Buffer.concat([
      Buffer.from(`${phase} ${number} ok\n`),
      ...results,
      Buffer.from(instance.work?.userData?.report ?? ''),
    ]),
  );
}

const root = { uid: 0, gid: 0, mode: 0o600 };

const replacements: Record<NonNullable<GuestFaults['reportIs']>, Entry> = {
  fifo: { ...root, type: 'fifo', content: Buffer.alloc(0) },
  directory: { ...root, type: 'directory', content: Buffer.alloc(0) },
  symlink: { ...root, type: 'symlink', content: Buffer.from('/dev/zero') },
  noise: { ...root, type: 'file', content: Buffer.from('0 0 0\n') },
  long: { ...root, type: 'file', content: Buffer.alloc(2 ** 21) },
};
