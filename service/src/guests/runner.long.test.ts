import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { until } from '../testing/until.ts';
import type { FirstStart } from './first-start.ts';
import { handoverFiles, type InitialCommand } from './handover.ts';
import { noPassword, type RootLogin } from './login.ts';
import { type GuestProgress, readProgress } from './report.ts';
import type { Seed } from './seed.ts';

/** The initial files of a guest, and the script that its first boot runs. */
interface Way {
  firstStart?: FirstStart;
  runner: string;
}

const ways = {
  'by cloud-init': { runner: '/var/lib/cloud/scripts/per-boot/00-berth' },
  'from files': {
    firstStart: { hostname: 'web-1.example.org', network: '{"version": 2}\n' },
    runner: '/var/lib/berth/runner',
  },
} satisfies Record<string, Way>;
let way: Way;

function on(name: keyof typeof ways, what: string, holds: () => void | Promise<void>): void {
  test(`${what}, ${name}`, async () => {
    way = ways[name];
    await holds();
  });
}

function onEachWay(what: string, holds: () => void | Promise<void>): void {
  on('by cloud-init', what, holds);
  on('from files', what, holds);
}

const passwordHash = "$y$j9T$ab'cd$efgh";
const byPassword: RootLogin = { passwordHash, authorizedKeys: [], passwordLogin: true };
let root: string;
let out: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'berth-runner-'));
  out = join(root, 'out');
  fakeProgram('chpasswd', `echo "$@" >${root}/chpasswd.args; cat >${root}/chpasswd.in`);
  fakeProgram('sshd', '');
  fakeProgram('systemctl', `echo "$@" >>${root}/systemctl.args`);
  for (const name of ['cloud/cloud.cfg.d', 'netplan', 'ssh', 'systemd/system']) {
    mkdirSync(join(root, 'etc', name), { recursive: true });
  }
  mkdirSync(join(root, 'var/log'), { recursive: true });
  writeFileSync(join(root, 'etc/ssh/sshd_config'), 'Include /etc/ssh/sshd_config.d/*.conf\n');
});

const groups: number[] = [];

// Background processes of a command must not outlive the test, even if it fails.
afterEach(() => {
  for (const group of groups.splice(0)) killGroup(group);
  rmSync(root, { recursive: true });
});

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function fakeProgram(name: string, body: string): void {
  const path = join(root, 'bin', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

function handOver(commands: InitialCommand[], login = byPassword, seed?: Seed): void {
  for (const file of handoverFiles({ login, commands, seed }, way.firstStart)) {
    const { mode } = file;
    const path = join(root, file.path);
    if (file.type === 'directory') mkdirSync(path, { recursive: true, mode });
    else writeFileSync(path, file.content, { mode });
  }
}

/** One boot of the guest: a process group, so that a crash also ends the commands. */
function boot(programs = process.env.PATH) {
  const path = `${root}/bin:${programs}`;
  const env = { PATH: path, BERTH_ROOT: root, BERTH_PATH: path };
  const child = spawn('/bin/sh', [join(root, way.runner)], {
    env,
    stdio: 'inherit',
    detached: true,
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const group = child.pid as number;
  groups.push(group);
  // This is what systemd does with the main process of a unit.
  return { ended, crash: () => killGroup(group), stop: () => child.kill('SIGTERM') };
}

async function run(commands: InitialCommand[], login = byPassword): Promise<GuestProgress> {
  handOver(commands, login);
  assert.equal(await boot().ended, 0);
  return await progress(commands.length);
}

/** A file that does not exist yet is null, as for a real guest. */
function progress(total: number): Promise<GuestProgress> {
  return readProgress(async (path) => await readFile(join(root, path)).catch(() => null), total);
}

const untimed = (results: GuestProgress['results']) =>
  results.map(({ duration_ms: _, ...result }) => result);

onEachWay('commands run in order, and a failing one does not end the rest', async () => {
  const { phase, finished, results } = await run([
    `echo one; echo one >>${out}`,
    `echo two >>${out}; echo wrong >&2; exit 7`,
    ['/no/such/program'],
    `echo three >>${out}; pwd; echo $HOME; cat`,
  ]);
  assert.deepEqual([phase, finished], ['done', 4]);
  assert.equal(readFileSync(out, 'utf8'), 'one\ntwo\nthree\n');
  assert.deepEqual(
    results.map((r) => r.exit_status),
    [0, 7, 127, 0],
  );
  for (const { duration_ms } of results) assert.ok(Number.isInteger(duration_ms), `${duration_ms}`);
  assert.equal(results[1]?.output, 'wrong\n');
  assert.equal(results[3]?.output, `${root}/root\n${root}/root\n`);
});

onEachWay('arguments are passed unchanged, byte by byte', async () => {
  const odd = ["it's", '"$HOME"', 'a\nb\n', '-n', '', '\\n \t*', 'ü€😀', '`id`', '\x01\x7f'];
  const { results } = await run([['printf', '[%s]', ...odd], '-x; true', `printf %s 'a'"b"`]);
  assert.equal(results[0]?.output, odd.map((argument) => `[${argument}]`).join(''));
  assert.notEqual(results[1]?.exit_status, 2);
  assert.equal(results[2]?.output, 'ab');
});

onEachWay('the password hash is passed to chpasswd by standard input only', async () => {
  await run([]);
  assert.equal(readFileSync(join(root, 'chpasswd.in'), 'utf8'), `root:${passwordHash}\n`);
  assert.equal(readFileSync(join(root, 'chpasswd.args'), 'utf8'), '-e\n');
});

onEachWay('if the password can not be set, that is reported and no command runs', async () => {
  fakeProgram('chpasswd', 'exit 1');
  handOver([`echo one >${out}`]);
  assert.equal(await boot().ended, 1);
  assert.equal((await progress(1)).phase, 'failed');
  assert.equal(existsSync(out), false);
});

onEachWay('files of a command are readable by others, and ours are not', async () => {
  await run([`echo one >${out}; mkdir ${out}.d`]);
  const mode = (path: string) => statSync(path).mode & 0o777;
  assert.deepEqual([mode(out), mode(`${out}.d`)], [0o644, 0o755]);
  assert.equal(mode(join(root, 'var/lib/berth/progress')), 0o600);
});

onEachWay('root may log in over SSH with its password, and sshd is reloaded once', async () => {
  await run(['true']);
  const settings = readFileSync(join(root, 'etc/ssh/sshd_config.d/00-berth.conf'), 'utf8');
  assert.match(settings, /^PermitRootLogin yes$/m);
  const calls = readFileSync(join(root, 'systemctl.args'), 'utf8');
  assert.equal(calls.match(/try-reload/g)?.length, 1);
});

const keys = ['ssh-ed25519 AAAA ada', "ssh-rsa BBBB it's %s \\n $HOME"];
const byKey: RootLogin = { passwordHash, authorizedKeys: keys, passwordLogin: false };
const settingsPath = () => join(root, 'etc/ssh/sshd_config.d/00-berth.conf');
const mainSettingsPath = () => join(root, 'etc/ssh/sshd_config');
const withoutPasswords =
  'PermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n' +
  'ChallengeResponseAuthentication no\n';

onEachWay('the keys of root are those that were handed over, for root only', async () => {
  const folder = join(root, 'root/.ssh');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  writeFileSync(join(folder, 'authorized_keys'), 'a key of the image\n', { mode: 0o644 });
  const { phase } = await run(['true'], byKey);
  assert.equal(phase, 'done');
  const path = join(folder, 'authorized_keys');
  assert.equal(readFileSync(path, 'utf8'), `${keys.join('\n')}\n`);
  const modes = [folder, path].map((one) => statSync(one).mode & 0o777);
  assert.deepEqual(modes, [0o700, 0o600]);
});

onEachWay('without keys, those of the image stay', async () => {
  mkdirSync(join(root, 'root/.ssh'), { recursive: true });
  const path = join(root, 'root/.ssh/authorized_keys');
  writeFileSync(path, 'a key of the image\n');
  await run([]);
  assert.equal(readFileSync(path, 'utf8'), 'a key of the image\n');
});

onEachWay('passwords are off before sshd starts, and before there is one', async () => {
  fakeProgram('chpasswd', `cat >${root}/chpasswd.in; cp ${settingsPath()} ${root}/at-chpasswd`);
  handOver([], byKey);
  assert.equal(readFileSync(settingsPath(), 'utf8'), withoutPasswords);
  rmSync(settingsPath());
  assert.equal(await boot().ended, 0);
  assert.equal(readFileSync(settingsPath(), 'utf8'), withoutPasswords);
  assert.equal(readFileSync(join(root, 'at-chpasswd'), 'utf8'), withoutPasswords);
});

onEachWay('sshd is not reloaded if it has read its settings already', async () => {
  await run([], byKey);
  const reloads = join(root, 'systemctl.args');
  const calls = existsSync(reloads) ? readFileSync(reloads, 'utf8') : '';
  assert.doesNotMatch(calls, /try-reload/);
});

onEachWay('an sshd that reads no other files has the settings in its main one, once', async () => {
  writeFileSync(
    mainSettingsPath(),
    '# Include /etc/ssh/sshd_config.d\nPasswordAuthentication yes\n',
  );
  handOver([], byKey);
  fakeProgram('chpasswd', 'kill -9 $PPID');
  await boot().ended;
  fakeProgram('chpasswd', 'cat >/dev/null');
  assert.equal(await boot().ended, 0);
  assert.equal(
    readFileSync(mainSettingsPath(), 'utf8'),
    `${withoutPasswords}# Include /etc/ssh/sshd_config.d\nPasswordAuthentication yes\n`,
  );
});

onEachWay('an sshd whose main settings are elsewhere is left alone', async () => {
  rmSync(mainSettingsPath());
  const { sshReady } = await run([], byKey);
  assert.deepEqual([sshReady, existsSync(mainSettingsPath())], [true, false]);
});

onEachWay('an sshd that can not be told to refuse passwords gets none', async () => {
  fakeProgram('systemctl', '[ "$1" = is-system-running ]');
  handOver([`echo one >${out}`], byKey);
  rmSync(settingsPath());
  assert.equal(await boot().ended, 1);
  assert.equal((await progress(1)).phase, 'failed');
  assert.deepEqual([out, join(root, 'chpasswd.in')].map(existsSync), [false, false]);
});

onEachWay(
  'an sshd that can not be reloaded is reported where no password has to be refused',
  async () => {
    fakeProgram('systemctl', '[ "$1" = is-system-running ]');
    for (const login of [byPassword, { ...byKey, passwordHash: noPassword }]) {
      handOver([], login);
      rmSync(settingsPath(), { force: true });
      assert.equal(await boot().ended, 0);
      const { phase, sshReady } = await progress(0);
      assert.deepEqual([phase, sshReady], ['done', false]);
    }
  },
);

onEachWay('root may have no password', async () => {
  await run([], { ...byKey, passwordHash: noPassword });
  assert.equal(readFileSync(join(root, 'chpasswd.in'), 'utf8'), 'root:*\n');
});

onEachWay('if the keys can not be written, that is reported and no command runs', async () => {
  mkdirSync(join(root, 'root/.ssh/authorized_keys'), { recursive: true });
  handOver([`echo one >${out}`], byKey);
  assert.equal(await boot().ended, 1);
  assert.equal((await progress(1)).phase, 'failed');
  assert.equal(existsSync(out), false);
});

/** The folders of programs, without those of this machine that have an SSH server. */
const withoutSshd = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !existsSync(join(folder, 'sshd')))
  .join(delimiter);

onEachWay('a guest without an SSH server reports that none can be installed', async () => {
  rmSync(join(root, 'bin/sshd'));
  fakeProgram('apt-get', `echo "$@" >>${root}/apt.args; exit 1`);
  fakeProgram('sleep', '');
  for (const login of [byPassword, byKey]) {
    handOver([], login);
    assert.equal(await boot(withoutSshd).ended, 0);
    const { sshReady, phase } = await progress(0);
    assert.deepEqual([sshReady, phase], [false, 'done']);
  }
  const updates = readFileSync(join(root, 'apt.args'), 'utf8').match(/update/g);
  assert.equal(updates?.length, 2 * 3, 'each tries three times');
});

onEachWay('a guest without an SSH server gets one, which is not reloaded', async () => {
  const sshd = join(root, 'bin/sshd');
  rmSync(sshd);
  fakeProgram('apt-get', `case "$*" in *openssh-server) cp ${root}/bin/systemctl ${sshd};; esac`);
  handOver([]);
  assert.equal(await boot(withoutSshd).ended, 0);
  const { sshReady, phase } = await progress(0);
  assert.deepEqual([sshReady, phase], [true, 'done']);
  assert.ok(existsSync(sshd));
  assert.doesNotMatch(readFileSync(join(root, 'systemctl.args'), 'utf8'), /try-reload/);
});

onEachWay('the end of a long output is kept', async () => {
  const { results } = await run(['seq 1 2000000; echo end']);
  assert.equal(results[0]?.output.length, 4096);
  assert.match(results[0]?.output ?? '', /2000000\nend\n$/);
});

onEachWay('binary output is made safe to store', async () => {
  const { results } = await run([
    `printf 'a\\000b\\377c'`,
    "printf 'x%.0s' $(seq 4094); printf '€€'",
  ]);
  assert.equal(results[0]?.output, 'a\ufffdb\ufffdc');
  assert.match(results[1]?.output ?? '', /^x+€€$/);
});

onEachWay('a child left in the background neither blocks nor loses its output pipe', async () => {
  const [goOn, survived] = [join(root, 'go-on'), join(root, 'survived')];
  const child = `until [ -e ${goOn} ]; do sleep 0.1; done; echo late; echo >${survived}`;
  // It was still running, so nothing has waited for it.
  const { results } = await run([`(${child}) & echo started`]);
  assert.deepEqual(untimed(results), [{ exit_status: 0, output: 'started\n' }]);
  writeFileSync(goOn, '');
  await until('the child has written', () => existsSync(survived));
});

/** The length of the reserve, and whether it uses as much of the disk. */
const askForRoom = () =>
  `set -- $(stat -c '%s %b %B' ${root}/var/lib/berth/work/reserve); echo $1 $(($2 * $3 >= $1))`;

on('from files', 'space for reports is reserved, without writing it if possible', async () => {
  fakeProgram('fallocate', `touch ${out}; PATH=${process.env.PATH} exec fallocate "$@"`);
  const { results } = await run([askForRoom()]);
  assert.equal(results[0]?.output, '8388608 1\n');
  assert.ok(existsSync(out));
});

on('from files', 'the reserve is written on a file system without fallocate', async () => {
  fakeProgram('fallocate', ': >"$3"; exit 1');
  const { results } = await run([askForRoom()]);
  assert.equal(results[0]?.output, '8388608 1\n');
});

on('from files', 'no space is reserved without commands', async () => {
  for (const program of ['fallocate', 'dd']) fakeProgram(program, `touch ${out}`);
  assert.equal((await run([])).phase, 'done');
  assert.ok(!existsSync(out));
});

const lateReader = () =>
  `case "$*" in */part*) sleep 1.5;; esac; PATH=${process.env.PATH} exec dd "$@"`;

// The test takes seconds, and the script is the same for both.
on('by cloud-init', 'the output of a command is kept, however late it is read', async () => {
  fakeProgram('dd', lateReader());
  const { results } = await run(['echo soon', 'sleep 60 & echo with a child']);
  assert.deepEqual(untimed(results), [
    { exit_status: 0, output: 'soon\n' },
    { exit_status: 0, output: 'with a child\n' },
  ]);
});

on('from files', 'the output of a command is kept when the guest stops meanwhile', async () => {
  fakeProgram('dd', lateReader());
  handOver([`echo soon; touch ${out}`, 'echo next']);
  const first = boot();
  await until('the first has run', () => existsSync(out));
  first.stop();
  assert.equal(await first.ended, 0);
  assert.equal(await boot().ended, 0);
  const { phase, results } = await progress(2);
  assert.equal(phase, 'done');
  assert.deepEqual(untimed(results), [
    { exit_status: 0, output: 'soon\n' },
    { exit_status: 0, output: 'next\n' },
  ]);
});

onEachWay(
  'a command that a crash interrupts is recorded and not repeated, and the rest run',
  async () => {
    const commands = ['true', `echo x >>${out}; echo before; sleep 60`, `echo y >>${out}`];
    handOver(commands);
    const first = boot();
    const collected = join(root, 'var/lib/berth/work/part');
    await until('the second runs', () => existsSync(out));
    const printed = () => existsSync(collected) && readFileSync(collected, 'utf8');
    await until('its output is collected', printed, (seen) => seen === 'before\n');
    assert.deepEqual((await progress(3)).finished, 1);
    first.crash();
    await first.ended;
    assert.equal(await boot().ended, 0);
    const { phase, results } = await progress(3);
    assert.equal(phase, 'done');
    assert.equal(readFileSync(out, 'utf8'), 'x\ny\n');
    assert.equal(results[1]?.exit_status, 143);
    assert.equal(results[1]?.duration_ms, null, 'its duration is unknown');
    assert.match(results[1]?.output ?? '', /^before\n\nInterrupted: /);
  },
);

onEachWay(
  'no command starts while the guest shuts down; the rest run after the next boot',
  async () => {
    fakeProgram('systemctl', `[ "$1" != is-system-running ] || cat ${root}/system-state`);
    writeFileSync(join(root, 'system-state'), 'running');
    const commands = [
      `echo stopping >${root}/system-state; echo one >>${out}`,
      `echo two >>${out}`,
    ];
    assert.equal((await run(commands)).phase, 'running');
    assert.equal(readFileSync(out, 'utf8'), 'one\n');
    writeFileSync(join(root, 'system-state'), 'running');
    assert.equal(await boot().ended, 0);
    assert.equal((await progress(2)).phase, 'done');
    assert.equal(readFileSync(out, 'utf8'), 'one\ntwo\n');
  },
);

onEachWay(
  'secrets are deleted when the commands have started, and everything except the results at the end',
  async () => {
    const secret = 'hunter2';
    const look = `grep -rl ${secret.slice(0, 3)}${secret.slice(3)} ${root}/var; true`;
    const { results } = await run([`true ${secret}`, look]);
    assert.equal(results[1]?.output, '');
    assert.deepEqual(readdirSync(join(root, 'var/lib/berth')), ['progress']);
    assert.ok(!existsSync(join(root, way.runner)));
  },
);

onEachWay('the progress says which command is running', async () => {
  handOver(['true', `touch ${out}; sleep 60`]);
  const running = boot();
  await until('the second runs', () => existsSync(out));
  const { phase, finished } = await progress(2);
  running.crash();
  assert.deepEqual([phase, finished], ['running', 1]);
});

test('a guest that starts from files has its names and its public keys before a command runs', async () => {
  way = ways['from files'] as Way;
  const look = `cat ${root}/etc/hosts; ls -l ${root}/etc/ssh`;
  const { results } = await run([look]);
  const output = results[0]?.output ?? '';
  assert.match(output, /^127\.0\.1\.1 web-1\.example\.org web-1\n/);
  for (const type of ['ed25519', 'ecdsa']) {
    assert.match(output, new RegExp(`^-rw-r--r--.* ssh_host_${type}_key\\.pub$`, 'm'));
    assert.match(output, new RegExp(`^-rw-------.* ssh_host_${type}_key$`, 'm'));
  }
});

test('a host key that was put there in part is closed, and sshd started with it', async () => {
  way = ways['from files'] as Way;
  handOver([]);
  const key = join(root, 'etc/ssh/ssh_host_ed25519_key');
  chmodSync(key, 0o644);
  assert.equal(await boot().ended, 0);
  assert.equal(statSync(key).mode & 0o777, 0o600);
  assert.match(readFileSync(join(root, 'systemctl.args'), 'utf8'), /^restart ssh\.service$/m);
});

const seed: Seed = {
  ...{ instanceId: 'srv-1', hostname: 'web-1.example.org', passwordLogin: true },
  ...{ network: '{"version": 2}\n', userData: Buffer.from('#cloud-config\nruncmd: [true]\n') },
};
const instance = () => join(root, 'var/lib/cloud/instance');

const systemState = () => join(root, 'system-state');

/** cloud-init, whose last unit has this state, and which says this. */
function fakeCloudInit(unit: string, said = '{"status": "done", "errors": []}'): void {
  writeFileSync(join(root, 'unit'), unit);
  writeFileSync(systemState(), 'running');
  const states = `is-active) cat ${root}/unit;; is-system-running) cat ${systemState()};;`;
  fakeProgram('systemctl', `case $1 in ${states} list-jobs) cat ${root}/jobs 2>/dev/null;; esac`);
  // It waits for the same, and asks more often.
  fakeProgram('sleep', `PATH=${process.env.PATH} exec sleep 0.1`);
  fakeProgram('cloud-init', `[ "$1" != status ] || echo '${said}'; [ "$1" != schema ] || exit 0`);
  mkdirSync(instance(), { recursive: true });
  writeFileSync(join(instance(), 'user-data.txt'), seed.userData);
}

on('from files', 'commands wait for the end of cloud-init', async () => {
  fakeCloudInit('activating');
  handOver([`echo ran >>${out}`], byPassword, seed);
  const guest = boot();
  await until(
    'it waits',
    () => progress(1),
    (now) => now.awaitsUserData,
  );
  assert.ok(existsSync(join(root, 'chpasswd.in')), 'root can log in already');
  assert.equal(existsSync(out), false);
  writeFileSync(join(root, 'unit'), 'active');
  assert.equal(await guest.ended, 0);
  const { phase, results, userData } = await progress(1);
  assert.deepEqual([phase, results.length], ['done', 1]);
  assert.deepEqual(userData, { status: '{"status": "done", "errors": []}', schema: '', log: '' });
});

on('from files', 'a cloud-init that does not run is not waited for', async () => {
  fakeCloudInit('inactive', 'status: disabled');
  handOver([], byPassword, seed);
  assert.equal(await boot().ended, 0);
  assert.equal((await progress(0)).userData?.status, 'status: disabled');
});

on('from files', 'a guest without cloud-init carries out the rest, and says so', async () => {
  fakeCloudInit('inactive');
  fakeProgram('cloud-init', 'echo "cloud-init: not found" >&2; exit 127');
  rmSync(instance(), { recursive: true });
  handOver([`echo ran >>${out}`], byPassword, seed);
  assert.equal(await boot().ended, 0);
  const { phase, results, userData } = await progress(1);
  assert.deepEqual([phase, results.length], ['done', 1]);
  assert.deepEqual(userData, { status: 'cloud-init: not found', schema: '', log: '' });
});

on('from files', 'a cloud-init that is still queued is waited for', async () => {
  fakeCloudInit('inactive');
  writeFileSync(join(root, 'jobs'), '12 cloud-final.service start waiting\n');
  handOver([], byPassword, seed);
  const guest = boot();
  await until(
    'it waits',
    () => progress(0),
    (now) => now.awaitsUserData,
  );
  rmSync(join(root, 'jobs'));
  assert.equal(await guest.ended, 0);
});

on('from files', 'errors of the schema and of the log are reported', async () => {
  fakeCloudInit('failed');
  const check = `[ "$*" = "schema --config-file ${instance()}/user-data.txt" ] && echo 'schema errors: a: b' >&2; exit 1`;
  fakeProgram('cloud-init', check);
  handOver([], byPassword, seed);
  writeFileSync(
    join(root, 'var/log/cloud-init.log'),
    'x - util.py[DEBUG]: no\nx - util.py[WARNING]: careful\nx - util.py[ERROR]: wrong\n',
  );
  assert.equal(await boot().ended, 0);
  const { userData } = await progress(0);
  assert.equal(userData?.schema, 'schema errors: a: b');
  assert.equal(userData?.log, 'x - util.py[WARNING]: careful\nx - util.py[ERROR]: wrong');
});

on('from files', 'of other formats than a cloud-config, its merged parts are checked', async () => {
  fakeCloudInit('active');
  fakeProgram('cloud-init', `echo "$@" >>${root}/asked`);
  writeFileSync(join(instance(), 'user-data.txt'), '#!/bin/sh\n');
  writeFileSync(join(instance(), 'cloud-config.txt'), '');
  handOver([], byPassword, seed);
  assert.equal(await boot().ended, 0);
  assert.doesNotMatch(readFileSync(join(root, 'asked'), 'utf8'), /schema/);
  writeFileSync(join(instance(), 'cloud-config.txt'), '#cloud-config\n{}\n');
  handOver([], byPassword, seed);
  assert.equal(await boot().ended, 0);
  assert.match(
    readFileSync(join(root, 'asked'), 'utf8'),
    /^schema --config-file .*cloud-config\.txt$/m,
  );
});

on('from files', 'a status that is too long is asked for in a line', async () => {
  fakeCloudInit('active');
  const long = "head -c 40000 /dev/zero | tr '\\0' x";
  const answers = `"status --format=json") ${long};; status) echo "status: error";;`;
  fakeProgram('cloud-init', `case "$*" in ${answers} esac`);
  handOver([], byPassword, seed);
  assert.equal(await boot().ended, 0);
  assert.equal((await progress(0)).userData?.status, 'status: error');
});

for (const [what, line] of [
  ['cloud-init is about to restart the guest', 'python3\0/bin/cloud-init\0modules\0--mode=final\0'],
  ['a program is about to restart the guest', '/sbin/shutdown\0-r\0now\0'],
  ['a script is about to power off the guest', 'poweroff\0'],
  ['OpenRC stops the guest', '/sbin/openrc\0shutdown\0'],
] as const) {
  on('from files', `no command starts while ${what}`, async () => {
    fakeCloudInit('active');
    const lingering = join(root, 'proc/123');
    mkdirSync(lingering, { recursive: true });
    writeFileSync(join(lingering, 'cmdline'), line);
    handOver([`echo ran >>${out}`], byPassword, seed);
    const first = boot();
    await until('it has asked cloud-init', () =>
      existsSync(join(root, 'var/lib/berth/work/user-data')),
    );
    writeFileSync(systemState(), 'stopping');
    assert.equal(await first.ended, 0);
    assert.equal(existsSync(out), false);
    rmSync(lingering, { recursive: true });
    fakeCloudInit('active', 'status: error');
    assert.equal(await boot().ended, 0);
    const { phase, userData } = await progress(1);
    assert.equal(phase, 'done');
    assert.equal(readFileSync(out, 'utf8'), 'ran\n');
    assert.match(userData?.status ?? '', /done/, 'what it said first is kept');
  });
}

on('from files', 'no command starts if the guest begins to stop a moment later', async () => {
  fakeCloudInit('active');
  fakeProgram('sleep', `echo stopping >${systemState()}`);
  handOver([`echo ran >>${out}`], byPassword, seed);
  assert.equal(await boot().ended, 0);
  assert.equal(existsSync(out), false);
  fakeCloudInit('active');
  assert.equal(await boot().ended, 0);
  assert.equal((await progress(1)).phase, 'done');
  assert.equal(readFileSync(out, 'utf8'), 'ran\n');
});

on('from files', 'a cloud-init that ends because the guest stops is asked later', async () => {
  fakeCloudInit('failed', '{"status": "running"}');
  writeFileSync(systemState(), 'stopping');
  handOver([], byPassword, seed);
  assert.equal(await boot().ended, 0);
  assert.equal((await progress(0)).awaitsUserData, true);
  fakeCloudInit('active');
  assert.equal(await boot().ended, 0);
  const { phase, userData } = await progress(0);
  assert.equal(phase, 'done');
  assert.match(userData?.status ?? '', /done/);
});

on(
  'by cloud-init',
  'without systemd, cloud-init goes on while commands wait for its end',
  async () => {
    fakeCloudInit('active');
    const goOn = join(root, 'go-on');
    handOver([`echo ran >>${out}`], byPassword, seed);
    const path = `${root}/bin:${process.env.PATH}`;
    const env = { PATH: path, BERTH_ROOT: root, BERTH_PATH: path };
    const script = `${join(root, way.runner)}; touch ${root}/went-on; until [ -e ${goOn} ]; do sleep 0.1; done`;
    const cloudInit = spawn('/bin/sh', ['-c', script], { env, stdio: 'inherit', detached: true });
    groups.push(cloudInit.pid as number);
    await until('cloud-init goes on', () => existsSync(join(root, 'went-on')));
    await until(
      'the commands wait',
      () => progress(1),
      (now) => now.awaitsUserData,
    );
    assert.equal(existsSync(out), false);
    writeFileSync(goOn, '');
    await until(
      'they have run',
      () => progress(1),
      ({ phase }) => phase === 'done',
    );
    assert.equal(readFileSync(out, 'utf8'), 'ran\n');
    await until('its scripts are gone', () => scriptsLeft().length === 0);
  },
);

on('by cloud-init', 'with systemd, a unit runs the script, and not cloud-init', async () => {
  fakeCloudInit('active');
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true });
  handOver([`echo ran >>${out}`], byPassword, seed);
  assert.equal(await boot().ended, 0);
  assert.equal((await progress(1)).phase, 'booting');
  const units = join(root, 'etc/systemd/system');
  const wants = readFileSync(join(units, 'multi-user.target.d/berth.conf'), 'utf8');
  assert.match(wants, /^Wants=berth-first-start\.service$/m);
  const unit = readFileSync(join(units, 'berth-first-start.service'), 'utf8');
  assert.match(unit, /^ExecStart=\/bin\/sh \/var\/lib\/berth\/runner$/m);
  assert.match(unit, /^After=cloud-config\.service$/m);
  way = { runner: '/var/lib/berth/runner' };
  assert.equal(await boot().ended, 0);
  assert.equal((await progress(1)).phase, 'done');
  assert.equal(readFileSync(out, 'utf8'), 'ran\n');
  assert.deepEqual(scriptsLeft(), []);
  assert.deepEqual(readdirSync(units), [], 'it is as before');
});

onEachWay('with user data, any image gets the settings of cloud-init of this release', () => {
  handOver([], byPassword, seed);
  const settings = readFileSync(join(root, 'etc/cloud/cloud.cfg.d/50-berth.cfg'), 'utf8');
  assert.match(settings, /^datasource_list: \[NoCloud\]$/m);
  assert.match(settings, /^ {2}all: '>> /m, 'it writes nothing to the console');
  assert.doesNotMatch(settings, /_modules:/, 'it has all modules');
});

onEachWay('with user data, only root and administrators can read the logs of cloud-init', () => {
  handOver([], byPassword, seed);
  for (const name of ['cloud-init.log', 'cloud-init-output.log']) {
    assert.equal(statSync(join(root, 'var/log', name)).mode & 0o777, 0o640, name);
  }
});

on('from files', 'with user data, earlier images get the unit of this release', async () => {
  fakeCloudInit('active');
  handOver([], byPassword, seed);
  assert.equal(await boot().ended, 0);
  const unit = join(root, 'etc/systemd/system/berth-first-start.service');
  const order = /^After=cloud-config\.service$/m;
  assert.match(readFileSync(unit, 'utf8'), order, 'the password of the request is set last');
});

on('from files', 'without user data, an image is left as it is', () => {
  handOver([]);
  for (const path of ['etc/cloud/cloud.cfg.d', 'etc/systemd/system']) {
    assert.deepEqual(readdirSync(join(root, path)), []);
  }
});

on('from files', 'public keys that cloud-init has replaced stay', async () => {
  fakeCloudInit('active');
  handOver([], byPassword, seed);
  const key = join(root, 'etc/ssh/ssh_host_ed25519_key.pub');
  writeFileSync(key, 'another key\n');
  assert.equal(await boot().ended, 0);
  assert.equal(readFileSync(key, 'utf8'), 'another key\n');
});

const scriptsLeft = () =>
  Object.values(ways).filter(({ runner }) => existsSync(join(root, runner)));

onEachWay('with user data, the keys are there before cloud-init starts', () => {
  handOver([], byKey, seed);
  const path = join(root, 'root/.ssh/authorized_keys');
  assert.equal(readFileSync(path, 'utf8'), `${keys.join('\n')}\n`);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

on('from files', 'keys that cloud-init has added stay', async () => {
  fakeCloudInit('active');
  handOver([], byKey, seed);
  const path = join(root, 'root/.ssh/authorized_keys');
  writeFileSync(path, 'another key\n', { flag: 'a' });
  assert.equal(await boot().ended, 0);
  assert.equal(readFileSync(path, 'utf8'), `${keys.join('\n')}\nanother key\n`);
});

onEachWay('cloud-init gets the user data as it is, for root only, and ours beside it', () => {
  handOver([], byPassword, seed);
  const folder = join(root, 'var/lib/cloud/seed/nocloud');
  const content = (name: string) => readFileSync(join(folder, name), 'utf8');
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  for (const name of readdirSync(folder)) {
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  }
  assert.equal(content('user-data'), String(seed.userData));
  assert.equal(content('network-config'), seed.network);
  const metaData = { 'instance-id': 'srv-1', 'local-hostname': 'web-1' };
  assert.deepEqual(JSON.parse(content('meta-data')), metaData);
  const ours = JSON.parse(content('vendor-data').replace('#cloud-config\n', ''));
  assert.equal(ours.fqdn, 'web-1.example.org');
  const keepsKeys = 'firstStart' in way ? false : undefined;
  assert.equal(ours.ssh_deletekeys, keepsKeys, 'host keys that were pushed stay');
});
