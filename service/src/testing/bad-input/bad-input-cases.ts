import { gzipSync } from 'node:zlib';
import type { InjectOptions } from 'fastify';
import { pointerPart } from '../../requests/bodies/pointer.ts';
import type { Installation } from '../fixtures.ts';
import { serverBody } from '../servers.ts';

/** A request that must be refused, with the expected error. A response to `HEAD` has no `code`. */
export interface BadCase {
  name: string;
  request: InjectOptions & { url: string };
  status: number;
  code?: string;
  /** The positions of all invalid values in any order: `/cpu` in the body, and `?limit` in the query. */
  pointers?: string[];
  /** Headers that the answer must have. */
  answered?: Record<string, RegExp>;
}

/** The objects that the cases use, with their states. */
export interface World extends Installation {
  started: number;
  stopped: number;
  paused: number;
  creating: number;
  deleting: number;
  failed: number;
  /** Servers that must stop because their traffic allowance is used up. */
  exceeded: { started: number; stopped: number };
  /** A stopped server that is being started. */
  starting: number;
  operation: number;
  foreignServer: number;
  foreignOperation: number;
  disabledLocation: number;
  disabledOs: number;
  /** Sizes that no server can get, by the reason. */
  sizes: Record<'deleted' | 'deprecated' | 'elsewhere' | 'huge' | 'tiny' | 'thin', number>;
  /** A size that servers can get. */
  goodSize: number;
  /** A project whose servers can only have such sizes, with a token and a server. */
  held: { token: string; server: number };
  tokens: Record<'expired' | 'revoked' | 'unknown' | 'reader' | 'good', string>;
}

export function post(url: string, payload: unknown, headers = {}): BadCase['request'] {
  const text = typeof payload === 'string' || Buffer.isBuffer(payload);
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: text ? payload : JSON.stringify(payload),
  };
}

export type Row = [name: string, value: unknown, pointer?: string];

const refused = { status: 422, code: 'validation_failed' };

/** Invalid values for any field except the list. JSON.parse creates numbers that JSON.stringify can't write. */
export const notText: Row[] = [
  ['a number', 5],
  ['null', null],
  ['an object', {}],
  ['a list', ['web']],
  ['true', true],
];

const notWhole: Row[] = [
  ['a text', '2'],
  ['null', null],
  ['an object', {}],
  ['a list', [2]],
  ['true', true],
  ['a fraction', 1.5],
  ['0', 0],
  ['-1', -1],
];

/** Invalid references by id or name. */
export const notReferences: Row[] = [
  ...notWhole.filter(([name]) => name !== 'a text'),
  ['an empty text', ''],
  ['a name that nobody has', 'nowhere'],
  ['a name with NUL', 'test\0'],
  ['a name with an escape character', 'test\x1b[2J'],
  ['half a character', '\ud83d'],
  ['a name that is too long', 'x'.repeat(255)],
  ['digits that are no id', '007'],
  ['digits beyond all ids', '9'.repeat(30)],
  ['the UUID of nothing', '6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10'],
];

const labels = (...lengths: number[]) => lengths.map((n) => 'a'.repeat(n)).join('.');

const badNames: Row[] = [
  ...['', '-web', 'web-', 'web_1', 'web.', '.web', 'a..b', 'a.-b', 'web 1', ' web', 'web/1'],
  ...[
    'wéb',
    '服务器',
    'web\n',
    'web\0',
    '10.0.0.1',
    '1.2.3.4',
    '7',
    '007',
    '999.1.1.1',
    '::1',
    'fe80::1',
  ],
  ...['[::1]', "web';drop", '*', labels(64), `a.${labels(64)}`, labels(63, 63, 63, 62)],
].map((name) => [JSON.stringify(name.slice(0, 20)) + (name.length > 20 ? '…' : ''), name]);

export const badPasswords: Row[] = [
  ['empty', ''],
  ['7 characters', 'sevench'],
  ['7 characters of 2 units each', '😀'.repeat(7)],
  ['129 characters', 'x'.repeat(129)],
  ['128 characters of 4 bytes each', '😀'.repeat(128)],
  ['with NUL', 'long\0enough'],
  ['with a line feed', 'long\nenough'],
  ['with a carriage return', 'long\renough'],
  ['with a tab', 'long\tenough'],
  ['with DEL', 'long\x7fenough'],
  ['with U+0085', 'long\u0085enough'],
  ['with half a character', 'long\ud83denough'],
];

const badCommands: Row[] = [
  ['a text', 'ls', '/initialCommands'],
  ['null', null, '/initialCommands'],
  ['a number', 1, '/initialCommands'],
  ['an object', { 0: 'ls' }, '/initialCommands'],
  ['65 of them', Array(65).fill('ls'), '/initialCommands'],
  ['one of 4097 bytes', ['ls', 'x'.repeat(4097)], '/initialCommands/1'],
  ['one over 4 KiB in UTF-8 only', ['世'.repeat(1366)], '/initialCommands/0'],
  ['with NUL', ['true\0'], '/initialCommands/0'],
  ['with an escape character', ['true\x1b[2J'], '/initialCommands/0'],
  ['with U+0085', ['true\u0085'], '/initialCommands/0'],
  ['an argv without a program', ['ls', 'ls', []], '/initialCommands/2'],
  ['an argv with NUL', [['ls', 'a\0b']], '/initialCommands/0'],
  ['an argv with a number', [['sleep', 1]], '/initialCommands/0'],
  ['an argv of 4097 bytes together', [['x'.repeat(2000), 'y'.repeat(2097)]], '/initialCommands/0'],
  ['a list in an argv', [['ls', ['a']]], '/initialCommands/0'],
  ['a null among them', [null], '/initialCommands/0'],
  ['a number among them', [1], '/initialCommands/0'],
  ['an object among them', [{ command: 'ls' }], '/initialCommands/0'],
];

const badKeys: Row[] = [
  ['a text', 'laptop', '/ssh_keys'],
  ['a number', 1, '/ssh_keys'],
  ['null', null, '/ssh_keys'],
  ['an object', { 0: 'laptop' }, '/ssh_keys'],
  ['true', true, '/ssh_keys'],
  ['21 of them', Array(21).fill('laptop'), '/ssh_keys'],
  ...notReferences.map(([name, value]): Row => [`${name} among them`, [value], '/ssh_keys/0']),
  ['one that is not there', [4711], '/ssh_keys/0'],
  ['a name and an id that are not there', ['laptop', 4711], '/ssh_keys/0'],
];

const userData = '#cloud-config\npackages: [nginx]\n';
const packed = gzipSync(userData);
const base64 = (bytes: Buffer) => bytes.toString('base64');

const badUserData: Row[] = [
  ['empty', ''],
  ['blank', ' \n'],
  ['of 64 KiB and a byte', userData.padEnd(64 * 1024 + 1, '#')],
  ['over 64 KiB in UTF-8 only', `${userData}#${'世'.repeat(22_000)}`],
  ['gzip of 64 KiB and a byte in base64', base64(packed).padEnd(64 * 1024 + 1, 'A')],
  ['with NUL', `${userData}\0`],
  ['with an escape character', `${userData}#\x1b[2J`],
  ['with DEL', `${userData}#\x7f`],
  ['with U+0085', `${userData}#\u0085`],
  ['with half a character', `${userData}#\ud83d`],
  ['with a byte order mark', `\ufeff${userData}`],
  ['without a header', 'packages: [nginx]\n'],
  ['with a header that is none', '# cloud-config\n'],
  ['JSON', '{"packages": ["nginx"]}'],
  [
    'a multi-part message without its version',
    'Content-Type: multipart/mixed; boundary=b\n\n--b--',
  ],
  ['text in base64', base64(Buffer.from(userData))],
  ['gzip as it is', packed.toString('latin1')],
  ['gzip in base64 that is cut', base64(packed).slice(0, -3)],
  ['gzip in base64 with a strange character', base64(packed).replace('H4sI', 'H4sI*')],
  ['gzip in the other base64', `${base64(packed).slice(0, -4)}-_==`],
  ['gzip that is cut', base64(packed.subarray(0, -1))],
  ['gzip with a wrong checksum', base64(Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)]))],
  ['gzip of something else', base64(gzipSync('packages: [nginx]\n'))],
  ['gzip of nothing', base64(gzipSync(''))],
  ['gzip of 1 MiB and a byte', base64(gzipSync(userData.padEnd(2 ** 20 + 1, '#')))],
];

const badLogins: Row[] = [
  ['a text', 'no'],
  ['a text that is true in forms', 'off'],
  ['a number', 0],
  ['null', null],
  ['an object', {}],
  ['a list', [false]],
  ['false without a key', false],
];

const badGroups: Row[] = [
  ...['', '-db', 'db-', '.db', 'd b', 'dé', 'db\n', 'db\0', 'db/1', 'x'.repeat(64)].map(
    (group): Row => [JSON.stringify(group.slice(0, 20)), group],
  ),
];

const longKey = `${'a'.repeat(254)}/x`;

/** Of a create, and of an update unless null is allowed there. */
const badLabels: Row[] = [
  ['a text', 'env=prod', '/labels'],
  ['a number', 1, '/labels'],
  ['a list', ['env'], '/labels'],
  ...['', '-env', 'env-', 'a b', 'a/b/c', 'A/b', '/a', 'a/', 'é', 'env\n', '\0', '__proto__'].map(
    (key): Row => [`the key ${JSON.stringify(key)}`, { [key]: 'x' }, `/labels/${pointerPart(key)}`],
  ),
  ['a long key', { ['a'.repeat(64)]: 'x' }, `/labels/${pointerPart('a'.repeat(64))}`],
  ['a long prefix', { [longKey]: 'x' }, `/labels/${pointerPart(longKey)}`],
  ...['-', 'a b', 'é', 'x\n', '\0', 'a'.repeat(64), 1, true, ['a'], {}].map(
    (value): Row => [`the value ${JSON.stringify(value)}`, { env: value }, '/labels/env'],
  ),
];

const manyLabels = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, '']));

const badNotes: Row[] = [
  ['with NUL', 'a\0'],
  ['with an escape character', '\x1b[2J'],
  ['with a change of direction', '\u202e'],
  ['with half a character', '\ud83d'],
  ['2001 characters', 'x'.repeat(2001)],
];

const badProtections: Row[] = [
  ['a text', 'delete', '/protection'],
  ['null', null, '/protection'],
  ['a list', ['delete'], '/protection'],
  ['another action', { stop: true }, '/protection/stop'],
  ['a text in it', { delete: 'true' }, '/protection/delete'],
  ['null in it', { rebuild: null }, '/protection/rebuild'],
];

/** Numbers as text, because JSON.stringify writes them differently. */
const numerals = ['-0', '1e400', '-1e400', '1e99', '9007199254740992', '1e-7', '2.0000001'];

function fieldRows(world: World): [field: string, row: Row][] {
  const of = (field: string, rows: Row[]) => rows.map((row) => [field, row] as [string, Row]);
  const { disabledLocation, disabledOs } = world;
  const unknown: Row[] = [
    ['one that is not there', 4711],
    ['the largest id', Number.MAX_SAFE_INTEGER],
  ];
  return [
    ...of('name', [...notText, ...badNames]),
    ...of('password', [...notText, ...badPasswords]),
    ...of('initialCommands', badCommands),
    ...of('location_id', [...notReferences, ...unknown, ['a disabled one', disabledLocation]]),
    ...of('os_id', [...notReferences, ...unknown, ['a disabled one', disabledOs]]),
    ...of('ssh_keys', badKeys),
    ...of('password_login', badLogins),
    ...of('user_data', [...notText, ...badUserData]),
    ...of('group', [...notText, ...badGroups]),
    ...of('labels', [...badLabels, ['null', null], ['65 of them', manyLabels(65)]]),
    ...of('labels', [['null in it', { env: null }, '/labels/env']]),
    ...of('notes', [...notText, ...badNotes]),
    ...of('protection', badProtections),
    ...of('cpu', [...notWhole, ['above the maximum', 5]]),
    ...of('ram', [...notWhole, ['above the maximum', 8193], ['below that of the OS', 255]]),
    ...of('disk', [...notWhole, ['above the maximum', 101], ['below that of the OS', 1]]),
  ];
}

const erases: Row[] = [
  ['missing', undefined],
  ['false', false],
  ['null', null],
  ['a text', 'true'],
  ['a number', 1],
  ['an object', {}],
  ['a list', [true]],
];

/** A body that rebuilds a server. */
export const rebuildBody = { erase: true, password: 'correct horse battery', initialCommands: [] };

/** Every field of a rebuild and of a resize, with the invalid values of a create. */
export function changeCases(world: World): BadCase[] {
  const login = ['password', 'ssh_keys', 'password_login'];
  const inRebuild = ['os_id', ...login, 'user_data', 'initialCommands'];
  const rows = fieldRows(world);
  const of = (...fields: string[]) => rows.filter(([field]) => fields.includes(field));
  const bad = (action: string, body: object, [field, row]: [string, Row]) => {
    const [name, value, pointer = `/${field}`] = row;
    return {
      name: `${action} with ${field}: ${name}`,
      request: post(`/v1/servers/${world.started}/${action}`, { ...body, [field]: value }),
      ...refused,
      pointers: [pointer],
    };
  };
  const missing: Row = ['missing', undefined];
  return [
    ...of(...inRebuild).map((row) => bad('rebuild', rebuildBody, row)),
    ...erases.map((row) => bad('rebuild', rebuildBody, ['erase', row])),
    bad('rebuild', rebuildBody, ['password', missing]),
    bad('rebuild', rebuildBody, ['initialCommands', missing]),
    bad('rebuild', rebuildBody, ['name', ['of a create', 'web-1']]),
    bad('rebuild', rebuildBody, ['disk', ['of a create', 40]]),
    {
      name: 'rebuild with several errors',
      request: post(`/v1/servers/${world.started}/rebuild`, {
        ...{ ...rebuildBody, erase: false, os_id: 4711, ssh_keys: [4711] },
      }),
      ...refused,
      pointers: ['/erase', '/os_id', '/ssh_keys/0'],
    },
    ...of('cpu', 'ram', 'disk').map((row) => bad('resize', {}, row)),
  ];
}

const amounts = ['location_id', 'os_id', 'cpu', 'ram', 'disk'];

/** Every field of a create, with every kind of invalid value. */
export function fieldCases(world: World): BadCase[] {
  const fields = Object.keys(serverBody(world));
  const numbers = fields.filter((field) => amounts.includes(field));
  const written = numbers.flatMap((field) => numerals.map((numeral) => [field, numeral] as const));
  return [
    ...fieldRows(world).map(([field, [name, value, pointer = `/${field}`]]) => ({
      name: `${field}: ${name}`,
      request: post('/v1/servers', serverBody(world, { [field]: value })),
      ...refused,
      pointers: [pointer],
    })),
    ...written.map(([field, numeral]) => {
      const text = JSON.stringify(serverBody(world, { [field]: 'here' }));
      return {
        name: `${field}: ${numeral}`,
        request: post('/v1/servers', text.replace('"here"', numeral)),
        ...refused,
        pointers: [`/${field}`],
      };
    }),
    ...fields.map((field) => ({
      name: `${field}: missing`,
      request: post('/v1/servers', serverBody(world, { [field]: undefined })),
      ...refused,
      pointers: [`/${field}`],
    })),
    ...severalAtOnce(world),
  ];
}

/** Every field of an update, with every kind of invalid value. */
export function updateCases(world: World): BadCase[] {
  const of = (field: string, rows: Row[]) => rows.map((row) => [field, row] as [string, Row]);
  const rows = [
    ...of('name', [...notText, ...badNames]),
    ...of('labels', [...badLabels, ['65 of them', manyLabels(65)]]),
    ...of('labels', [['129 changes', manyLabels(129)]]),
    ...of('notes', [...notText, ...badNotes]),
    ...of('protection', badProtections),
    ...of('cpu', [['a field of a create', 1]]),
  ];
  const update = (payload: unknown, id = world.started) => ({
    ...post(`/v1/servers/${id}`, payload),
    method: 'PATCH' as const,
  });
  return [
    ...rows.map(([field, [name, value, pointer = `/${field}`]]) => ({
      name: `${field}: ${name}`,
      request: update({ [field]: value }),
      ...refused,
      pointers: [pointer],
    })),
    { name: 'a list', request: update([]), ...refused, pointers: [''] },
    {
      name: 'a server of another project',
      request: update({}, world.foreignServer),
      status: 404,
      code: 'server_not_found',
    },
  ];
}

function severalAtOnce(world: World): BadCase[] {
  const all = Object.keys(serverBody(world)).map((field) => `/${field}`);
  const { disabledLocation, disabledOs } = world;
  const rows: [name: string, body: Record<string, unknown>, pointers: string[]][] = [
    ['all fields missing', {}, all],
    ['all fields null', Object.fromEntries(all.map((p) => [p.slice(1), null])), all],
    [
      'location and OS unknown',
      serverBody(world, { location_id: 4711, os_id: 4711 }),
      ['/location_id', '/os_id'],
    ],
    [
      'location and OS disabled',
      serverBody(world, { location_id: disabledLocation, os_id: disabledOs }),
      ['/location_id', '/os_id'],
    ],
    [
      'all sizes beyond bounds',
      serverBody(world, { cpu: 5, ram: 9000, disk: 101 }),
      ['/cpu', '/ram', '/disk'],
    ],
    ['two bad commands', serverBody(world, { initialCommands: [1, 'ls', []] }), commands(0, 2)],
    ['an unknown field', serverBody(world, { node: 'node-1' }), ['/node']],
    ['a field in another case', serverBody(world, { CPU: 1 }), ['/CPU']],
    ['a field named like a pointer', serverBody(world, { 'a/b~c': 1 }), ['/a~1b~0c']],
    ['constructor', serverBody(world, { constructor: {} }), ['/constructor']],
  ];
  const asForm = new URLSearchParams({ ...formFields(world), cpu: '0', ram: '1e3' }).toString();
  const formType = { 'content-type': 'application/x-www-form-urlencoded' };
  return [
    ...rows.map(([name, body, pointers]) => ({
      name: `create with ${name}`,
      request: post('/v1/servers', body),
      ...refused,
      pointers,
    })),
    {
      name: 'create with two bad numbers in a form',
      request: post('/api/v1/servers', asForm, formType),
      ...refused,
      pointers: ['/cpu', '/ram'],
    },
  ];
}

function commands(...at: number[]): string[] {
  return at.map((index) => `/initialCommands/${index}`);
}

/** The body of a create as the fields of a form. */
export function formFields(world: World): Record<string, string> {
  const { initialCommands, ...others } = serverBody(world);
  const texts = Object.entries(others).map(([field, value]) => [field, String(value)]);
  return { ...Object.fromEntries(texts), 'initialCommands[]': String(initialCommands[0]) };
}
