import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SetupError } from '../../../setup/commands.mjs';
import { plainShell } from '../edge/settings.ts';
import { strictTargets } from '../webhooks/url.ts';
import { loadConfig } from './config.ts';

/** Checks that each of these values is refused with an error that names the variable and the value. */
function refuses(name: string, values: string[]): void {
  for (const value of values) {
    const refusal = (error: unknown) =>
      error instanceof SetupError && error.message.includes(name) && error.message.includes(value);
    assert.throws(() => loadConfig({ [name]: value }), refusal, `${name}=${value}`);
  }
}

test('limits have the documented defaults, and can be set', () => {
  assert.deepEqual(loadConfig({}).limits, {
    reads: { perSecond: 100, burst: 200 },
    actions: { perSecond: 5, burst: 20 },
    failures: { perSecond: 10 / 60, burst: 20 },
    public: { perSecond: 100, burst: 500 },
    attempts: { perSecond: 10 / 60, burst: 20 },
    sign_in_starts: { perSecond: (10 / 60) * 6, burst: 120 },
    networks: { perSecond: (10 / 60) * 8, burst: 160 },
    accounts: { perSecond: 1 / 60, burst: 20 },
    strangers: { perSecond: 10 / 60 / 50, burst: 3 },
    changes: { perSecond: 1, burst: 1000 },
    projects: { perSecond: 2, burst: 2000 },
  });
  const { limits } = loadConfig({ BERTH_LIMIT_READS: '1/1', BERTH_LIMIT_BAD_TOKENS: '60/7' });
  assert.deepEqual(limits.reads, { perSecond: 1, burst: 1 });
  assert.deepEqual(limits.failures, { perSecond: 1, burst: 7 });
  assert.deepEqual(limits.attempts, { perSecond: 1, burst: 7 });
});

test('metrics of servers are exported only if they are turned on', () => {
  assert.equal(loadConfig({}).metricsOfServers, false);
  assert.equal(loadConfig({ BERTH_METRICS_SERVERS: 'true' }).metricsOfServers, true);
});

test('image servers are https addresses, and the default is the public one', () => {
  assert.deepEqual(loadConfig({}).imageServers, ['https://images.linuxcontainers.org']);
  assert.deepEqual(loadConfig({ BERTH_IMAGE_SERVERS: '' }).imageServers, []);
  const two = 'https://images.linuxcontainers.org/, https://Images.example:8443/streams/';
  assert.deepEqual(loadConfig({ BERTH_IMAGE_SERVERS: two }).imageServers, [
    'https://images.linuxcontainers.org',
    'https://images.example:8443/streams',
  ]);
  refuses('BERTH_IMAGE_SERVERS', [
    'images.example',
    'http://images.example',
    'https://a@b.example',
  ]);
  refuses('BERTH_METRICS_SERVERS', ['', '1', 'yes', 'TRUE']);
});

test('protected addresses are addresses and networks, and the default is none', () => {
  assert.deepEqual(loadConfig({}).protectedAddresses, []);
  const given = '198.51.100.7, 203.0.113.0/24,2001:db8::5';
  assert.deepEqual(loadConfig({ BERTH_PROTECTED_ADDRESSES: given }).protectedAddresses, [
    '198.51.100.7/32',
    '203.0.113.0/24',
    '2001:db8::5/128',
  ]);
  refuses('BERTH_PROTECTED_ADDRESSES', ['db.example.com', '10.0.0.0/33', '10.0.0.1:5432']);
});

test('this machine is a location unless that is turned off', () => {
  assert.deepEqual(loadConfig({}).local, { project: 'berth', pool: 'berth', network: 'berthbr0' });
  assert.equal(loadConfig({ BERTH_LOCAL: 'false' }).local, undefined);
  refuses('BERTH_LOCAL', ['', '0', 'no', 'FALSE']);
});

test('an invalid limit is refused with an explanation', () => {
  const bad = ['', '5', '5/', '/5', '0/5', '5/0', '1.5/2', '-1/2', '5/1000001', '5/20/3', '5 / 20'];
  for (const what of ['READS', 'ACTIONS', 'BAD_TOKENS', 'PUBLIC']) {
    refuses(`BERTH_LIMIT_${what}`, bad);
  }
});

test('a PostgreSQL on another machine needs a verified certificate, unless that is turned off', () => {
  const elsewhere = 'postgresql://berth:canary@db.example.com/berth';
  const refused = (error: unknown) => {
    assert.ok(error instanceof SetupError);
    assert.match(error.message, /^DATABASE_URL .*another machine.*sslmode=verify-full/);
    assert.match(error.wayOut, /sslmode=verify-full.*sslrootcert.*BERTH_DATABASE_INSECURE=true/);
    assert.ok(!`${error.message} ${error.wayOut}`.includes('canary'));
    return true;
  };
  for (const DATABASE_URL of [elsewhere, `${elsewhere}?sslmode=require`]) {
    assert.throws(() => loadConfig({ DATABASE_URL }), refused);
    const insecure = { DATABASE_URL, BERTH_DATABASE_INSECURE: 'true' };
    assert.equal(loadConfig(insecure).databaseUrl, DATABASE_URL);
  }
  const fromEnvironment = { DATABASE_URL: 'postgresql:///berth', PGHOST: 'db.example.com' };
  assert.throws(() => loadConfig(fromEnvironment), refused);
  const DATABASE_URL = `${elsewhere}?sslmode=verify-full`;
  assert.equal(loadConfig({ DATABASE_URL }).databaseUrl, DATABASE_URL);
  refuses('BERTH_DATABASE_INSECURE', ['', '1', 'yes']);
  const none = /not the URL of a PostgreSQL/;
  for (const url of ['foo', 'postgresql://a b:x:y/z', 'mysql://localhost/berth']) {
    assert.throws(() => loadConfig({ DATABASE_URL: url }), none, url);
  }
});

test('webhooks can be only on the Internet and on https, unless the settings allow more', () => {
  assert.deepEqual(loadConfig({}).webhooks, strictTargets);
  const given = { BERTH_WEBHOOK_NETWORKS: '10.0.5.0/24,::1', BERTH_WEBHOOK_HTTP: 'true' };
  assert.deepEqual(loadConfig(given).webhooks, {
    allowHttp: true,
    allowedNetworks: ['10.0.5.0/24', '::1/128'],
  });
  refuses('BERTH_WEBHOOK_NETWORKS', ['a', '10.0.0.0/33', 'localhost']);
  refuses('BERTH_WEBHOOK_HTTP', ['', '1', 'yes']);
});

test('host names, proxies and TLS files are parsed', () => {
  const { shell } = loadConfig({
    BERTH_ALLOWED_HOSTS: ' API.example.com,192.0.2.1, [2001:DB8::1],',
    BERTH_TRUST_PROXY: '10.0.0.0/8, 192.0.2.7,2001:db8::/32,::1',
    BERTH_TLS_CERT: '/a/cert.pem',
    BERTH_TLS_KEY: '/a/key.pem',
    BERTH_MAX_CONNECTIONS: '100',
    BERTH_MAX_STREAMS: '20',
    BERTH_MAX_EVENT_STREAMS: '30',
    BERTH_LEAST_SPEED: '1',
  });
  assert.deepEqual(shell, {
    allowedHosts: ['api.example.com', '192.0.2.1', '[2001:db8::1]'],
    trustedProxies: ['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32', '::1/128'],
    tls: { cert: '/a/cert.pem', key: '/a/key.pem' },
    maxConnections: 100,
    maxStreams: 20,
    maxEventStreams: 30,
    leastSpeed: 1,
  });
  assert.deepEqual(loadConfig({}).shell, plainShell);
});

test('invalid host names, proxies and TLS files are refused with an explanation', () => {
  refuses('BERTH_ALLOWED_HOSTS', ['a b', 'a:80', 'http://a', '*', '::1', 'a..b', '*.a']);
  refuses('BERTH_TRUST_PROXY', [
    'a',
    '10.0.0.0/33',
    '10.0.0.0/',
    '/8',
    '::/129',
    '10.0.0.0/8/8',
    'true',
  ]);
  refuses('BERTH_TRUST_PROXY', ['0.0.0.0/0', '::/0', '128.0.0.0/1', '10.0.0.0/7', '2000::/3']);
  refuses('BERTH_TRUST_PROXY', ['::ffff:0:0/96', '::/8', '::ffff:0.0.0.0/103']);
  const anybody = /can claim any client address/;
  assert.match(refusal({ BERTH_TRUST_PROXY: '192.0.2.7, 0.0.0.0/0' })?.message ?? '', anybody);
  assert.equal(refusal({ BERTH_TRUST_PROXY: 'fc00::/7,::1,::ffff:10.0.0.0/104' }), undefined);
  assert.equal(refusal({ BERTH_PROTECTED_ADDRESSES: '0.0.0.0/0' }), undefined);
  refuses('BERTH_MAX_CONNECTIONS', ['9', '1.5', 'many']);
  refuses('BERTH_MAX_STREAMS', ['9', '10001', 'many']);
  refuses('BERTH_MAX_EVENT_STREAMS', ['9', '100001', 'many']);
  refuses('BERTH_LEAST_SPEED', ['0', '1.5', '4k']);
  const both = /needs both/;
  for (const name of ['BERTH_TLS_CERT', 'BERTH_TLS_KEY']) {
    const halfway = (error: unknown) => error instanceof SetupError && both.test(error.wayOut);
    assert.throws(() => loadConfig({ [name]: 'x.pem' }), halfway);
  }
});

/** The error of a service that would start with these settings; undefined if there is none. */
function refusal(env: Record<string, string>): SetupError | undefined {
  try {
    loadConfig(env);
    return undefined;
  } catch (error) {
    if (error instanceof SetupError) return error;
    throw error;
  }
}

test('an unknown log level is refused with the list of levels', () => {
  const { message = '' } = refusal({ BERTH_LOG_LEVEL: 'verbose' }) ?? {};
  assert.match(message, /^BERTH_LOG_LEVEL must be one of trace, debug, .*silent, not "verbose"\.$/);
  for (const BERTH_LOG_LEVEL of ['trace', 'silent', 'warn']) {
    assert.equal(loadConfig({ BERTH_LOG_LEVEL }).logLevel, BERTH_LOG_LEVEL);
  }
});

test('an unknown setting is refused, with the one that was probably meant', () => {
  for (const [name, meant] of [
    ['BERTH_ALLOWED_HOST', 'BERTH_ALLOWED_HOSTS'],
    ['BERTH_LOGLEVEL', 'BERTH_LOG_LEVEL'],
    ['BERTH_LOG_LEVLE', 'BERTH_LOG_LEVEL'],
    ['berth_port', 'BERTH_PORT'],
    ['BERTH_DATABASE_URL', 'DATABASE_URL'],
    ['BERTH_LOCAL_POLL', 'BERTH_LOCAL_POOL'],
    ['BERTH_POOL', 'BERTH_LOCAL_POOL'],
    ['BERTH_PROT', 'BERTH_PORT'],
    ['BERTH_LOG', 'BERTH_LOG_LEVEL'],
    ['BERTH_DATA', 'BERTH_DATA_DIR'],
  ] as const) {
    const refused = refusal({ [name]: 'canary' });
    assert.equal(refused?.message, `${name} is not a setting of Berth.`);
    assert.equal(refused?.wayOut, `Did you mean ${meant}?`);
  }
  for (const name of ['BERTH_COLOUR', 'BERTH_NODE', 'BERTH_PATH', 'BERTH_ROOT', 'BERTH_LIMIT']) {
    assert.match(refusal({ [name]: 'red' })?.wayOut ?? '', /npm run config -- show/, name);
  }
});

test('variables of clients, of tests and of other programs are ignored', () => {
  const others = { BERTH_TOKEN: 'x', BERTH_URL: 'y', BERTH_TEST_POSTGRES: 'z', DATABASE_URLS: '' };
  assert.equal(refusal({ ...others, PATH: '/bin' }), undefined);
});

test('all mistakes are reported at once', () => {
  const wrong = { BERTH_PORT: 'x', BERTH_LOG_LEVEL: 'loud', BERTH_HOSTS: 'y' };
  const { message, output } = refusal(wrong) ?? {};
  assert.equal(message, '3 settings are wrong:');
  for (const name of Object.keys(wrong)) assert.match(output ?? '', new RegExp(`^${name} `, 'm'));
  assert.match(output ?? '', /Did you mean BERTH_HOST\?/);
});

test('settings that depend on each other are checked unless one of them is wrong', () => {
  const wrong = {
    BERTH_PORT: 'x',
    BERTH_TLS_CERT: '/cert.pem',
    DATABASE_URL: 'postgresql://db.example.com/berth',
    BERTH_OIDC_CLIENT_ID: 'berth',
  };
  const { message, output } = refusal(wrong) ?? {};
  assert.equal(message, '4 settings are wrong:');
  for (const name of [...Object.keys(wrong).slice(0, 3), 'An OpenID provider']) {
    assert.match(output ?? '', new RegExp(`^${name} `, 'm'));
  }
  const issuer = { BERTH_OIDC_CLIENT_ID: 'a', BERTH_OIDC_CLIENT_SECRET: 'b' };
  const one = refusal({ ...issuer, BERTH_OIDC_ISSUER: 'http://id.example.com' });
  assert.match(one?.message ?? '', /^BERTH_OIDC_ISSUER must be/);
});

test('the API listens on an address or a host name, without a port', () => {
  refuses('BERTH_HOST', ['a b', '127.0.0.1:80', '[::1]', 'http://a', '999.1.1.1', '10.0.0', '1/8']);
  for (const BERTH_HOST of ['0.0.0.0', '::', 'fe80::1%eth0', 'localhost', 'api-1.example.com']) {
    assert.equal(loadConfig({ BERTH_HOST }).host, BERTH_HOST);
  }
});

test('an empty value is refused if the setting needs one', () => {
  for (const name of ['BERTH_HOST', 'BERTH_DATA_DIR', 'BERTH_PORT', 'BERTH_LOCAL_POOL']) {
    assert.match(refusal({ [name]: '' })?.message ?? '', new RegExp(`^${name} `));
  }
  const { message, wayOut } = refusal({ BERTH_CACHE_DIR: ' ' }) ?? {};
  assert.equal(message, 'BERTH_CACHE_DIR is empty.');
  assert.equal(wayOut, 'Give it a value, or unset it: then it is ~/.cache/berth.');
  assert.equal(loadConfig({ BERTH_INCUS_SOCKET: '' }).incusSocket, undefined);
});

test('the lengths of names in Incus, and of the path of its socket, are limited', () => {
  refuses('BERTH_LOCAL_NETWORK', ['berth-network-01', 'a b', '-x', 'a/b']);
  refuses('BERTH_LOCAL_POOL', ['a b', '../x', 'x'.repeat(64)]);
  assert.match(refusal({ BERTH_INCUS_SOCKET: `/${'x'.repeat(107)}` })?.message ?? '', /107 bytes/);
});
