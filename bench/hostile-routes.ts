import { filled, type HostileRequest, json, numbered, request } from './raw-request.ts';

// Expensive bodies of routes other than the create of a server. None of them has a password, whose hash would hide the
// rest.

/** A field of the format of SSH keys (RFC 4251, section 5): its length and its bytes. */
function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The name of a key that the requests create, and to which the later ones refer. */
const keyName = 'largest';
const largestRsaKey = Buffer.concat([
  field(Buffer.from('ssh-rsa')),
  field(Buffer.from([1, 0, 1])),
  field(Buffer.concat([Buffer.from([0]), Buffer.alloc(2048, 0xff)])),
]).toString('base64');
const key = (text: string) => JSON.stringify({ name: keyName, public_key: text });

const size = { name: 'hostile', location_id: 1, os_id: 1, cpu: 1, ram: 512, disk: 4 };
const mostCommands = Array.from({ length: 62 }, () => 'x'.repeat(4096));
const withKeys = (keys: string[]) => ({ ssh_keys: keys, password_login: false });
const texts = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at));

const [keys, dryRun] = ['/v1/ssh-keys', '/v1/servers/dry-run'];
const [rebuild, suspend] = ['/v1/servers/1/rebuild', '/v1/servers/1/suspend'];
const [location, members] = ['/v1/locations/1', '/v1/projects/1/members'];

const [server, webhooks] = ['PATCH /v1/servers/1', '/v1/webhooks'];
const bulk = '/v1/servers/actions';
const webhook = (url: string) =>
  filled(`{"name":"hostile","types":["server.started"],"url":"${url}`, '/a', '!"}');

const bodies: [name: string, route: string, body: string][] = [
  [
    'the most labels',
    server,
    JSON.stringify({
      labels: Object.fromEntries(
        texts(64, (at) => `${'k'.repeat(60)}${at}`).map((name) => [name, 'v'.repeat(63)]),
      ),
    }),
  ],
  [
    'more labels than are accepted',
    server,
    `{"labels":{${numbered(4980, (at) => `"k${at}":"v"`)}}}`,
  ],
  ['a label that nearly fits', server, filled('{"labels":{"a', '-', '":"v"}}')],
  ['notes of line breaks', server, filled('{"notes":"', '\\n', '"}')],
  ['a webhook of a long URL', webhooks, webhook('https://a')],
  [
    'a webhook of a host of very many labels',
    webhooks,
    filled('{"name":"hostile","url":"https://', 'a.', '/"}'),
  ],
  [
    'a webhook of many types',
    webhooks,
    `{"name":"hostile","types":[${numbered(4980, () => '"server.started"')}]}`,
  ],
  [
    'an action on many servers',
    bulk,
    `{"action":"start","ids":[${numbered(4980, (at) => String(at + 1_000_000))}]}`,
  ],
  [
    'an action on the most servers by name',
    bulk,
    JSON.stringify({ action: 'start', ids: texts(100, (at) => `no-such-server-${at}`) }),
  ],
  [
    'an action on a selector of many values',
    bulk,
    filled('{"action":"start","label_selector":"a in (a', ',a', ')"}'),
  ],
  ['a size of a long name', '/v1/sizes', filled('{"name":"a', '-', '!"}')],
  [
    'a size of many locations',
    '/v1/sizes',
    `{"name":"a","location_ids":[${numbered(4980, (at) => String(at))}]}`,
  ],
  ['an adoption of a long name', '/v1/drift/1/adopt', filled('{"name":"', 'a.', '"}')],
  ['a program of a long name', '/v1/device-authorizations', filled('{"name":"', 'a ', '"}')],
  ['a code of a program', '/v1/device-authorizations/token', filled('{"device_code":"', 'a', '"}')],
  ['a setup of a long code', '/v1/setup', filled('{"code":"', 'a', '"}')],
  ['the largest SSH key', keys, key(`ssh-rsa ${largestRsaKey} ${'a'.repeat(5000)}`)],
  ['an SSH key of blanks', keys, key(`ssh-rsa${' \t'.repeat(4090)}A`)],
  ['an SSH key of more blanks', keys, filled('{"public_key":"ssh-rsa', ' ', 'A"}')],
  [
    'an SSH key whose comment looks like many keys',
    keys,
    key(`ssh-ed25519 AAAA ${'AAAA '.repeat(1600)}`),
  ],
  ['an SSH key of words', keys, key('a '.repeat(4090))],
  ['an SSH key that nearly is a private one', keys, key('-----BEGIN A '.repeat(600))],
  [
    'the largest dry run without a password',
    dryRun,
    JSON.stringify({ ...size, ...withKeys([keyName]), initialCommands: mostCommands }),
  ],
  [
    'the most names of SSH keys',
    dryRun,
    JSON.stringify({ ...size, ...withKeys(texts(20, (at) => `${at}`.padEnd(100, 'é'))) }),
  ],
  [
    'more names of SSH keys than are accepted',
    dryRun,
    JSON.stringify({ ...size, ...withKeys(texts(4980, (at) => `k${at}`)) }),
  ],
  [
    'the largest rebuild without a password',
    rebuild,
    JSON.stringify({ ...withKeys([keyName]), initialCommands: mostCommands }),
  ],
  ['a rebuild of zeros', rebuild, `{"initialCommands":[${numbered(4990, () => '0')}]}`],
  ['a reason of blanks', suspend, filled('{"reason":"', ' ', '"}')],
  ['a reason of line breaks', suspend, filled('{"reason":"', '\\n', '"}')],
  ['a reason of the most blanks', suspend, JSON.stringify({ reason: ' '.repeat(500) })],
  ['a long email address of a member', members, filled('{"role":"viewer","email":"', 'a', '@"}')],
  ['a member at many hosts', members, filled('{"role":"viewer","email":"a', '@a', '"}')],
  ['many fields of a member', members, `{${numbered(4990, (at) => `"${at}":"owner"`)}}`],
  [
    'the most networks of a token',
    '/v1/tokens',
    JSON.stringify({
      name: ' ',
      scopes: ['servers:read'],
      allowed_networks: texts(50, (at) => `fd00:0000:0000:0000:0000:0000:0000:${at}000/1`),
    }),
  ],
  [
    'more networks of a token than are accepted',
    '/v1/tokens',
    `{"allowed_networks":[${numbered(4980, (at) => `"${at}::/129"`)}]}`,
  ],
  [
    'the most networks that a location allows',
    `PATCH ${location}`,
    JSON.stringify({ allowed_destinations: texts(100, (at) => `10.${at}.0.0/16`) }),
  ],
  [
    'the most operating systems of a location',
    `PATCH ${location}`,
    JSON.stringify({ os_ids: texts(1000, (at) => `no-such-system-${at}`) }),
  ],
  ['an address pool of colons', '/v1/address-pools', filled('{"cidr":"', ':', '/0"}')],
  ['a project of a long name', '/v1/projects', filled('{"name":"a', ' ', '!"}')],
  [
    'a quota of many fields',
    '/v1/projects',
    `{"name":"a","quota":{${numbered(4980, (at) => `"q${at}":-1`)}}}`,
  ],
  [
    'an image server of a long path',
    '/v1/operating-systems',
    filled('{"source":{"server":"https://a', '/a', '!","alias":"a"}}'),
  ],
  [
    'a long confirmation that a node is lost',
    '/v1/nodes/simulated/declare-lost',
    filled('{"confirm":"', 'a', '"}'),
  ],
  [
    'settings of many fields',
    'PATCH /v1/settings',
    `{"retention":{${numbered(4980, (at) => `"r${at}":0`)}}}`,
  ],
];

/** @param authorization the header of a token of an administrator */
export function requestsOfOtherRoutes(authorization: string): HostileRequest[] {
  const headers = { Authorization: authorization, 'Content-Type': json };
  return bodies.map(([name, route, body]) => {
    const [path = '', method = 'POST'] = route.split(' ').toReversed();
    return request(name, { method, path, headers }, body);
  });
}
