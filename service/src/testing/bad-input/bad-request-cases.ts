import { gzipSync } from 'node:zlib';
import { digestOf } from '../../requests/pagination.ts';
import { serverBody } from '../servers.ts';
import { badFilters } from './bad-filter-cases.ts';
import { type BadCase, formFields, post, type World } from './bad-input-cases.ts';

const malformed = { status: 400, code: 'malformed_request' };
const invalid = { status: 422, code: 'validation_failed' };
const unsupported = { status: 415, code: 'unsupported_media_type' };
const tooLarge = { status: 413, code: 'body_too_large' };

const form = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=edge';

/** Bodies that can't be parsed, or that have a wrong type. */
export function bodyCases(world: World): BadCase[] {
  const good = JSON.stringify(serverBody(world));
  const create = (payload: unknown, type?: string) =>
    post('/v1/servers', payload, type && { 'content-type': type });
  const withField = (field: string) => good.replace('{', `{${field},`);
  const part = (name: string, more = '') =>
    `--edge\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\nx\r\n`;
  const fields = new URLSearchParams(formFields(world)).toString();
  const broken: [name: string, payload: unknown, type?: string][] = [
    ['a body that is not JSON', 'name=web'],
    ['truncated JSON', good.slice(0, -1)],
    ['JSON cut within a text', good.slice(0, 9)],
    ['JSON with more after it', `${good}x`],
    ['two JSON values', `${good}${good}`],
    ['single quotes', good.replaceAll('"', "'")],
    ['a comma too many', good.replace('}', ',}')],
    ['a comment', `${good} // web`],
    ['a byte order mark twice', `\ufeff\ufeff${good}`],
    ['NaN', good.replace('"cpu":1', '"cpu":NaN')],
    ['a number with a plus sign', good.replace('"cpu":1', '"cpu":+1')],
    ['a number with a zero before it', good.replace('"cpu":1', '"cpu":01')],
    ['a hexadecimal number', good.replace('"cpu":1', '"cpu":0x1')],
    ['a raw line feed in a text', good.replace('web-1', 'web\n1')],
    ['a bare NUL', '\0'],
    ['blanks only', '   '],
    ['brackets that do not close', '['.repeat(100_000)],
    ['objects that do not close', '{"a":'.repeat(40_000)],
    ['a key given twice', withField('"name":"other"')],
    ['a key given twice, once escaped', withField('"\\u006eame":"other"')],
    ['a key given twice within a command', withField('"initialCommands":[{"a":1,"a":2}]')],
    ['a key given twice in a list in a list', withField('"x":[[{"\\u0061":1,"a":2}]]')],
    ['__proto__ twice', withField('"__proto__":1,"__proto__":2')],
    ['invalid UTF-8', Buffer.from(good.replace('web-1', 'w\xe9b'), 'latin1')],
    ['UTF-16', Buffer.from(good, 'utf16le')],
    ['half a UTF-8 character', Buffer.concat([Buffer.from(good), Buffer.from([0xe4, 0xb8])])],
    ['a form with a broken escape', `${fields}&x=%zz`, form],
    ['a form with an escape that is not UTF-8', `${fields}&x=%ff`, form],
    ['a form with a field given twice', `${fields}&cpu=1`, form],
    ['a multipart form without a boundary', part('name'), 'multipart/form-data'],
    ['a multipart form that does not end', part('name'), multipart],
    ['a multipart form with another boundary', `${part('name')}--other--\r\n`, multipart],
    ['a multipart form that is not one', good, multipart],
    ['a multipart part without a name', '--edge\r\n\r\nx\r\n--edge--\r\n', multipart],
    ['a multipart field twice', `${part('cpu')}${part('cpu')}--edge--\r\n`, multipart],
  ];
  const wrong: [name: string, payload: unknown, pointer: string, type?: string][] = [
    ['a JSON list', '[]', ''],
    ['a JSON text', '"web"', ''],
    ['a JSON number', '1', ''],
    ['JSON null', 'null', ''],
    ['JSON true', 'true', ''],
    ['30 nested lists', '['.repeat(30) + ']'.repeat(30), ''],
    ['__proto__', withField('"__proto__":{"admin":true}'), '/__proto__'],
    ['a deep unknown field', withField(`"x":${'['.repeat(30)}${']'.repeat(30)}`), '/x'],
    ['a number in a form that is none', `${fields}`.replace('cpu=1', 'cpu=1.5'), '/cpu', form],
    ['a blank number in a form', `${fields}`.replace('cpu=1', 'cpu='), '/cpu', form],
    ['an unknown field of a form', `${fields}&admin=1`, '/admin', form],
    ['__proto__ in a form', `${fields}&__proto__=1`, '/__proto__', form],
    ['NUL in a form', `${fields}`.replace('name=web', 'name=%00web'), '/name', form],
    [
      'a file in a multipart form',
      `${part('name', '; filename="a"')}--edge--\r\n`,
      '/name',
      multipart,
    ],
  ];
  const otherTypes = [
    ...['text/plain', 'text/json', 'application/jsonx', 'application/xml', 'json', '*/*', '/'],
    ...['application/json; charset=utf-16', 'application/json; charset=latin1', 'multipart/mixed'],
    ...['application/vnd.api+json', 'application/octet-stream', `${form}2`, 'x'.repeat(1000)],
  ];
  const size = 256 * 1024;
  const large = [
    ['one byte', `${good}${' '.repeat(size + 1 - Buffer.byteLength(good))}`],
    ['a lot', 'x'.repeat(4 * size)],
  ] as const;
  const gzipped = gzipSync(good);
  const encoded = { 'content-encoding': 'gzip' };
  return [
    ...broken.map(([name, payload, type]) => ({
      ...{ name, request: create(payload, type) },
      ...malformed,
    })),
    ...wrong.map(([name, payload, pointer, type]) => ({
      ...{ name, request: create(payload, type), pointers: [pointer] },
      ...invalid,
    })),
    ...otherTypes.map((type) => ({
      ...{ name: `the type ${type.slice(0, 40)}`, request: create(good, type) },
      ...unsupported,
    })),
    {
      name: 'no type',
      request: { method: 'POST', url: '/v1/servers', payload: good },
      ...unsupported,
    },
    ...large.map(([by, payload]) => ({
      ...{ name: `a body too large by ${by}`, request: create(payload) },
      ...tooLarge,
    })),
    { name: 'a gzipped body', request: post('/v1/servers', gzipped, encoded), ...unsupported },
    {
      name: 'JSON that says it is gzipped',
      request: post('/v1/servers', good, encoded),
      ...unsupported,
    },
    {
      name: 'no body at all',
      request: { method: 'POST', url: '/v1/servers' },
      ...invalid,
      pointers: Object.keys(serverBody(world)).map((field) => `/${field}`),
    },
    {
      name: 'an empty body of an unknown type',
      request: create('', 'text/plain'),
      ...invalid,
      pointers: Object.keys(serverBody(world)).map((field) => `/${field}`),
    },
  ];
}

const noIds = [
  ...['0', '-1', '1e3', 'abc', '01', '1.0', '+1', '%20', '%31%20', '%00', '1%00', '1;2', 'null'],
  ...['0x1', '١', '%D9%A1', '1%2Fstart', '1%0a', '%E2%80%8B1', '9007199254740992'],
  ...['9223372036854775807', '9223372036854775808', '1'.repeat(200), '1'.repeat(300)],
  ...['%31'.repeat(300), '99999'],
];

const routesWithId = [
  ['GET', '/servers/ID', 'server_not_found'],
  ['DELETE', '/servers/ID', 'server_not_found'],
  ['GET', '/servers/ID/status', 'server_not_found'],
  ['POST', '/servers/ID/start', 'server_not_found'],
  ['POST', '/servers/ID/stop', 'server_not_found'],
  ['POST', '/servers/ID/restart', 'server_not_found'],
  ['GET', '/operations/ID', 'operation_not_found'],
  ['GET', '/operations/ID/commands/0/output', 'operation_not_found'],
  ['POST', '/operations/ID/cancel', 'operation_not_found'],
  ['GET', '/locations/ID', 'location_not_found'],
  ['GET', '/operating-systems/ID', 'operating_system_not_found'],
] as const;

/** Ids that do not exist, or belong to another project, on every route with an id. */
export function idCases(world: World): BadCase[] {
  return routesWithId.flatMap(([method, route, code], at) => {
    const foreign = route.startsWith('/servers') ? [String(world.foreignServer)] : [];
    if (route.startsWith('/operations')) foreign.push(String(world.foreignOperation));
    return [...noIds, ...foreign].map((id, index) => {
      const prefix = (at + index) % 3 === 0 ? '/api/v1' : '/v1';
      const url = prefix + route.replace('ID', encodeURI(id).replaceAll('%25', '%'));
      const shown = id.length > 40 ? `${id.slice(0, 10)}… (${id.length})` : id;
      return {
        name: `${method} ${route} of ${shown}`,
        request: { method, url },
        status: 404,
        // The router does not match parts of more than 256 characters.
        code: id.length > 256 ? 'not_found' : code,
      };
    });
  });
}

/** Invalid queries of lists and creates. */
export function queryCases(world: World): BadCase[] {
  const cursor = (order: string, ...parts: unknown[]) => {
    const all = [order, ...parts, digestOf('/servers', order, {})];
    return `cursor=${Buffer.from(JSON.stringify(all)).toString('base64url')}`;
  };
  const bad: [path: string, parameter: string][] = [
    ...['0', '-1', '1001', '1.5', '1e2', 'all', '', '01', '%201', '9999999999999999999'].map(
      (limit) => [`servers?limit=${limit}`, '?limit'] as [string, string],
    ),
    ['servers?limit=1&limit=2', '?limit'],
    ['servers?cursor=', '?cursor'],
    [`servers?cursor=${'a'.repeat(1025)}`, '?cursor'],
    ['servers?sort=name', '?sort'],
    ['servers?sort=--id', '?sort'],
    ['servers?sort=id,hostname', '?sort'],
    ['servers?sort=id&sort=id', '?sort'],
    ['servers?sort=id;drop', '?sort'],
    ['servers?Limit=1', '?Limit'],
    ['servers?page=2', '?page'],
    ['servers?__proto__=1', '?__proto__'],
    ['servers?limit[]=1', '?limit[]'],
    ['servers?a/b=1', '?a/b'],
    [`servers/${world.started}?x=1`, '?x'],
    [`servers/${world.started}/status?x=1`, '?x'],
    ['health?x=1', '?x'],
    ...badFilters(world),
  ];
  const badCursors = [
    ['what is not base64', 'servers', 'cursor=%2B%2F%3D'],
    ['what is not JSON', 'servers', 'cursor=aaaa'],
    ['an object', 'servers', `cursor=${Buffer.from('{"0":"id"}').toString('base64url')}`],
    ['another order', 'servers?sort=-id', cursor('id', 1, 1)],
    ['a text for an id', 'servers', cursor('id', '1', 1)],
    ['an id too large', 'servers', cursor('id', 2 ** 53, 1)],
    ['a host name that is none', 'servers?sort=hostname', cursor('hostname', 'a\0b', 1)],
    ['a day that is none', 'servers?sort=created_at', cursor('created_at', day('2026-02-30'), 1)],
    ['the year 0', 'servers?sort=created_at', cursor('created_at', day('0000-01-01'), 1)],
    ['too much', 'servers', cursor('id', 1, 1, 1)],
    ['a fraction', 'servers', cursor('id', 1.5, 1.5)],
    ['another list', 'operations', cursor('id', 1, 1)],
    ['another filter', 'servers?status=started', cursor('id', 1, 1)],
  ];
  const dryRuns = ['maybe', '2', 'TRUE', ''];
  return [
    ...bad.map(([path, pointer]) => ({
      name: `GET ${path.slice(0, 60)}`,
      request: { url: `/v1/${path}` },
      ...invalid,
      pointers: [pointer],
    })),
    ...badCursors.map(([name, path = '', query]) => ({
      name: `a cursor of ${name}`,
      request: { url: `/v1/${path}${path.includes('?') ? '&' : '?'}${query}` },
      status: 400,
      code: 'invalid_cursor',
      pointers: ['?cursor'],
    })),
    ...dryRuns.map((value) => ({
      name: `dry_run=${value}`,
      request: post(`/v1/servers?dry_run=${value}`, serverBody(world)),
      ...invalid,
      pointers: ['?dry_run'],
    })),
    {
      name: 'an unknown parameter of a create',
      request: post('/v1/servers?dryrun=true', serverBody(world)),
      ...invalid,
      pointers: ['?dryrun'],
    },
    {
      name: 'a dry run with a parameter',
      request: post('/v1/servers/dry-run?dry_run=true', serverBody(world)),
      ...invalid,
      pointers: ['?dry_run'],
    },
    {
      name: 'a dry run with an unknown field',
      request: post('/v1/servers/dry-run', serverBody(world, { dry_run: true })),
      ...invalid,
      pointers: ['/dry_run'],
    },
    {
      name: 'a dry run beyond bounds',
      request: post('/v1/servers/dry-run', serverBody(world, { cpu: 99 })),
      ...invalid,
      pointers: ['/cpu'],
    },
    {
      name: 'an escape in the path that is none',
      request: { url: '/v1/servers/%zz' },
      ...malformed,
    },
  ];
}

function day(date: string): string {
  return `${date}T00:00:00.000000Z`;
}
