import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clockFinding,
  diskFindings,
  exportFinding,
  type Finding,
  findingsInWords,
  firewallFinding,
  kernelFindings,
  kvmFinding,
  lxcfsFinding,
  type Machine,
  quotaFinding,
  summaryInWords,
  wayToSeeService,
  wayToStartIncus,
} from './doctor.ts';

const gigabyte = 1024 ** 3;

/** Creates a machine with only these files, folders and commands. */
function machine(
  files: Record<string, string> = {},
  more: { commands?: Record<string, string>; free?: number } = {},
): Machine {
  return {
    read: (path) => files[path],
    list: (path) =>
      Object.keys(files)
        .filter((one) => one.startsWith(`${path}/`))
        .map((one) => one.slice(path.length + 1).split('/')[0] ?? ''),
    output: (...command) => more.commands?.[command.join(' ')],
    space: () => ({ free: (more.free ?? 50) * gigabyte, total: 100 * gigabyte }),
    now: new Date('2026-03-04T05:06:07Z'),
  };
}

const withSystemd = { '/run/systemd/system/berth.service': '' };

const states = (findings: Finding[]) => findings.map(({ what, state }) => `${what}: ${state}`);

const goodKernel = {
  '/proc/sys/fs/inotify/max_user_instances': '8192\n',
  '/proc/sys/net/bridge/bridge-nf-call-ip6tables': '1\n',
  '/sys/fs/cgroup/cgroup.controllers': 'cpu memory\n',
  '/etc/subuid': 'root:1000000:1000000000\n',
  '/etc/subgid': 'root:1000000:1000000000\n',
};

test('wrong settings of the kernel are reported with what to do', () => {
  assert.deepEqual(
    new Set(kernelFindings(machine(goodKernel)).map(({ state }) => state)),
    new Set(['ok']),
  );
  const bad = kernelFindings(
    machine({
      '/proc/sys/fs/inotify/max_user_instances': '128\n',
      '/etc/subuid': 'root:100000:65536\n',
      '/etc/subgid': goodKernel['/etc/subgid'],
    }),
  );
  assert.deepEqual(states(bad), [
    'kernel limits: problem',
    'kernel, bridges: problem',
    'cgroups: note',
    '/etc/subuid: problem',
    '/etc/subgid: ok',
  ]);
  assert.equal(bad[0]?.wayOut, 'sysctl -w fs.inotify.max_user_instances=8192');
});

test('a lack of KVM is a note, because containers do not need it', () => {
  assert.equal(kvmFinding(machine()).state, 'note');
  assert.equal(kvmFinding(machine({ '/dev/kvm': '' })).state, 'ok');
});

test('lxcfs must be mounted and respond, and problems are reported with what to do', () => {
  const mounts = { '/proc/mounts': 'lxcfs /var/lib/lxcfs fuse.lxcfs rw 0 0\n' };
  const meminfo = { '/var/lib/lxcfs/proc/meminfo': 'MemTotal: 1 kB\n' };
  assert.equal(lxcfsFinding(machine({ ...mounts, ...meminfo })).state, 'ok');
  const silent = lxcfsFinding(machine({ ...mounts, ...withSystemd }));
  assert.match(silent.says, /does not answer/);
  assert.match(
    silent.wayOut ?? '',
    /umount --lazy \/var\/lib\/lxcfs; systemctl restart lxcfs\. Then/,
  );
  const gone = lxcfsFinding(machine(withSystemd));
  assert.deepEqual([gone.state, /^not mounted/.test(gone.says)], ['problem', true]);
  assert.match(gone.wayOut ?? '', /systemctl start lxcfs\. Then restart the servers\.$/);
});

test('the advice names systemd only on machines that run it', () => {
  const mounts = { '/proc/mounts': 'lxcfs /var/lib/lxcfs fuse.lxcfs rw 0 0\n' };
  const waysOut = (files: Record<string, string>) => {
    const here = machine(files);
    return [
      ...[lxcfsFinding(here), lxcfsFinding(machine({ ...files, ...mounts }))],
      ...[exportFinding(here, '/x'), clockFinding(here)],
      ...kernelFindings(here).filter(({ what }) => what === 'cgroups'),
      ...[{ wayOut: wayToStartIncus(here) }, { wayOut: wayToSeeService(here) }],
    ].map(({ wayOut = '' }) => wayOut);
  };
  for (const words of waysOut(withSystemd)) assert.match(words, /systemctl|systemd[.-]/);
  const without = waysOut({});
  for (const words of without) assert.doesNotMatch(words, /systemctl|systemd[.-]/);
  for (const words of without.slice(0, 2)) assert.match(words, /\(incus admin shutdown\)/);
  assert.equal(without.filter((words) => words.includes('"npm start"')).length, 4);
  assert.match(without[2] ?? '', /npm run db -- backup \/x --keep 14$/);
});

test('a pool of btrfs must have working quotas', () => {
  const pool = { name: 'berth', driver: 'btrfs' };
  const at = '/sys/fs/btrfs/1234';
  const fileSystem = { [`${at}/label`]: 'berth\n' };
  const of = (files: Record<string, string>) =>
    quotaFinding(machine({ ...fileSystem, ...files }), pool);
  const counting = { [`${at}/qgroups/enabled`]: '1\n', [`${at}/qgroups/inconsistent`]: '0\n' };
  assert.equal(of(counting).state, 'ok');
  assert.match(of({}).says, /quotas are off/);
  const lost = of({ ...counting, [`${at}/qgroups/inconsistent`]: '1\n' });
  assert.equal(lost.wayOut, 'btrfs quota rescan -w /var/lib/incus/storage-pools/berth');
  assert.equal(quotaFinding(machine(), pool).state, 'note');
  assert.equal(quotaFinding(machine(), { name: 'berth', driver: 'zfs' }).state, 'ok');
  assert.equal(quotaFinding(machine(), { name: 'berth', driver: 'dir' }).state, 'problem');
});

test('foreign rules that drop traffic of servers are reported', () => {
  const list = (chains: object[]) => ({
    commands: {
      'nft -j list chains': JSON.stringify({ nftables: chains.map((chain) => ({ chain })) }),
    },
  });
  const ours = { table: 'incus', name: 'fwd', hook: 'forward', policy: 'drop' };
  const docker = { table: 'filter', name: 'FORWARD', hook: 'forward', policy: 'drop' };
  assert.equal(firewallFinding(machine({}, list([ours, { table: 'x', name: 'y' }]))).state, 'ok');
  const found = firewallFinding(machine({}, list([ours, docker])));
  assert.match(found.says, /^filter\/FORWARD drops .* Docker/);
  assert.match(found.wayOut ?? '', /DOCKER-USER -i berthbr0/);
  assert.match(firewallFinding(machine()).says, /fails/);
});

test('a clock is ok if any service synchronizes it', () => {
  const systemd = (value: string) => ({
    commands: { 'timedatectl show --property=NTPSynchronized --value': `${value}\n` },
  });
  assert.equal(clockFinding(machine({}, systemd('yes'))).state, 'ok');
  assert.equal(clockFinding(machine({}, systemd('no'))).state, 'problem');
  const chrony = { commands: { 'chronyc tracking': 'Leap status     : Normal\n' } };
  assert.equal(clockFinding(machine({}, chrony)).state, 'ok');
  assert.equal(clockFinding(machine()).state, 'note');
});

test('a nearly full disk, and missing or old exports, are problems', () => {
  assert.deepEqual(states(diskFindings(machine(), { data: '/d' })), ['disk of data: ok']);
  const [full] = diskFindings(machine({}, { free: 1 }), { data: '/d' });
  assert.deepEqual([full?.state, full?.says], ['problem', '1.0 GiB of 100.0 GiB are free at /d']);
  const [small] = diskFindings(machine({}, { free: 0.02 }), { data: '/d' });
  assert.equal(small?.says, '20 MiB of 100.0 GiB are free at /d');
  const exports = (name: string) => exportFinding(machine({ [`/x/${name}`]: '' }), '/x').state;
  assert.equal(exports('berth-20260303T050607Z.gz'), 'ok');
  assert.equal(exports('berth-20260301T050607Z.gz'), 'problem');
  assert.equal(exports('before-1.0.0-20260304T000000Z.gz'), 'problem');
});

test('the advice is below the problem', () => {
  const printed = findingsInWords([
    { what: 'clock', state: 'ok', says: 'right:\n- always' },
    { what: 'KVM', state: 'problem', says: 'gone', wayOut: 'Bring it back.' },
  ]);
  assert.equal(
    printed,
    'ok       clock  right:\n                - always\nPROBLEM  KVM    gone\n                → Bring it back.',
  );
});

test('the summary lists what was checked', () => {
  const right: Finding = { what: 'clock', state: 'ok', says: 'right' };
  const wrong: Finding = { what: 'database', state: 'problem', says: 'away', wayOut: 'Start it.' };
  assert.equal(
    summaryInWords([right, right, { ...wrong, state: 'note' }]),
    'No problems. Checked: clock, database.',
  );
  assert.equal(summaryInWords([right, wrong]), '1 problem. Checked: clock, database.');
});
