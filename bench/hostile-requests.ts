import { gzipSync } from 'node:zlib';
import { requestsOfOtherRoutes } from './hostile-routes.ts';
import { meteredServers } from './hostile-rows.ts';
import {
  create,
  filled,
  type Head,
  type HostileRequest,
  json,
  mostBytes,
  numbered,
  request,
} from './raw-request.ts';

const form = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=b';
const commands = '{"initialCommands":';
const name36 = (at: number) => at.toString(36);
const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`;

/**
 * JSON bodies of a create: well-known attacks, and some that this parser could be vulnerable to.
 */
const bodies: Record<string, string> = {
  'lists in lists': '['.repeat(mostBytes / 2) + ']'.repeat(mostBytes / 2),
  'lists in lists, never closed': '['.repeat(mostBytes),
  'objects in objects': filled('', '{"a":', ''),
  'objects in objects under a known field': `{"name":${'{"a":'.repeat(31)}1${'}'.repeat(32)}`,
  'a list of zeros': filled(`${commands}[0`, ',0', ']}'),
  'a list of the most zeros that are accepted': `${commands}[${numbered(4990, () => '0')}]}`,
  'a list of empty lists': filled(`${commands}[[]`, ',[]', ']}'),
  'a list of empty objects': filled(`${commands}[{}`, ',{}', ']}'),
  'commands of the most zeros that are accepted': `${commands}[${numbered(64, () => `[${numbered(75, () => '0')}]`)}]}`,
  'a list of empty texts': filled(`${commands}[""`, ',""', ']}'),
  'a command of empty texts': filled(`${commands}[[""`, ',""', ']]}'),
  'many fields': `{${numbered(24_000, (at) => `"${name36(at)}":0`)}}`,
  'the most fields that are accepted': `{${numbered(4990, (at) => `"${'k'.repeat(40)}${at}":0`)}}`,
  'fields that are numbers': `{${numbered(20_000, (at) => `"${at * 101}":0`)}}`,
  'fields that are large numbers': `{${numbered(4990, (at) => `"${4294967294 - at * 131}":0`)}}`,
  'a field with a long name': filled('{"', 'a', '":0}'),
  'a field again and again': filled('{"a":0', ',"a":0', '}'),
  'fields of the prototype': `{${numbered(4990, (at) => `"${['__proto__', 'constructor', 'toString'][at % 3]}${'\\u0020'.repeat(at % 7)}":{}`)}}`,
  'a number of 260,000 digits': `{"cpu":${'9'.repeat(260_000)}}`,
  'a fraction of 260,000 digits': `{"cpu":0.${'1'.repeat(260_000)}e9}`,
  'numbers beyond all bounds': filled('{"x":[1e309', ',1e309', ']}'),
  'the most numbers beyond all bounds that are accepted': `{"x":[${numbered(4990, () => '1e309')}]}`,
  'a text of escapes': filled('{"name":"', '\\u00e9', '"}'),
  'a text of halves of characters': filled('{"password":"', '\\ud83d', '"}'),
  'a text of backslashes': filled('{"name":"', '\\\\', '"}'),
  'quotes that never close': filled('"', '\\"', ''),
  blanks: filled('', ' ', '{}'),
  'a host name of very many labels': filled('{"name":"', 'a.', '!"}'),
  'a host name of long labels': filled('{"name":"', `${'a'.repeat(63)}.`, '-"}'),
  'a host name of hyphens': filled('{"name":"a', '-', '"}'),
  'a host name of digits': filled('{"name":"', '1.', '"}'),
  'a password of four-byte characters': filled('{"password":"', '😀', '"}'),
  'a group that nearly fits': filled('{"group":"a', '._', '!"}'),
  'a command of control characters at its end': filled(`${commands}["`, 'a', '\\u0001"]}'),
};

const forms: [name: string, type: string, body: string][] = [
  ['a form of 50,000 fields', form, numbered(50_000, name36, '&')],
  [
    'a form of the most fields that are accepted',
    form,
    numbered(4990, (at) => `${name36(at)}=%41`, '&'),
  ],
  ['a form of nothing but dividers', form, '&'.repeat(mostBytes)],
  ['a form of one list', form, filled('a', '&initialCommands[]=x', '')],
  ['a form of lists in a list', form, numbered(4990, () => 'initialCommands[1][]=x', '&')],
  ['a form of escapes', form, filled('name=', '%F0%9F%98%80', '')],
  ['a form of brackets', form, filled('initialCommands', '[', '=1')],
  [
    'a multipart form of thousands of parts',
    multipart,
    `${numbered(3800, (at) => part(name36(at)), '')}--b--\r\n`,
  ],
  [
    'a multipart form of the most parts that are accepted',
    multipart,
    `${numbered(1000, (at) => part(name36(at)), '')}--b--\r\n`,
  ],
  ['a multipart form of headers', multipart, filled('--b\r\n', 'A:\r\n', '\r\n--b--\r\n')],
  [
    'a multipart form of parameters',
    multipart,
    `--b\r\nContent-Disposition: form-data; ${'name="a"; '.repeat(12_000)}\r\n\r\n1\r\n--b--\r\n`,
  ],
  [
    'a multipart form of what looks like its end',
    multipart,
    filled(part('a'), '\r\n--', '\r\n--b--\r\n'),
  ],
];

const longest = 15_000;

const selecting = (selector: string) => `${create}?label_selector=${selector.slice(0, longest)}`;

/** Paths and headers, which together are limited to 16 KiB. */
const heads: [name: string, head: Head][] = [
  [
    'a query of many fields',
    { path: `${create}?${numbered(2600, name36, '&').slice(0, longest)}` },
  ],
  ['a query of one field', { path: `${create}?${'status&'.repeat(longest / 7)}` }],
  [
    'a cursor of lists in lists',
    { path: `${create}?cursor=${Buffer.from('['.repeat(700)).toString('base64url')}` },
  ],
  ['a long cursor', { path: `${create}?cursor=${'W'.repeat(longest)}` }],
  ['a filter of many names', { path: `${create}?location_id=${numbered(2900, name36)}` }],
  [
    'a filter of one value again and again',
    { path: `/v1/operations?status=${'failed,'.repeat(longest / 7)}failed` },
  ],
  ['a search for a long name', { path: `${create}?q=${'a'.repeat(longest)}` }],
  ['a filter that nearly fits', { path: `/v1/audit?address=${':'.repeat(longest)}` }],
  ['metrics of a history', { path: `/v1/servers/1/usage?metrics=${'cpu,'.repeat(longest / 4)}` }],
  ['a selector of many values', { path: selecting(`a%20in%20(${numbered(2900, name36)})`) }],
  [
    'a selector of many requirements',
    { path: selecting(numbered(2900, (at) => `!${name36(at)}`)) },
  ],
  ['a selector of brackets', { path: selecting(`a%20in%20${'('.repeat(longest - 20)}`) }],
  ['a path of dots', { path: `/v1/${'../'.repeat(longest / 3)}` }],
  ['a path of escapes', { path: `/v1/servers/${'%2F'.repeat(80)}` }],
  [
    'the most headers that are accepted',
    {
      headers: Object.fromEntries(
        Array.from({ length: 95 }, (_, at) => [`X-${at}`, 'y'.repeat(120)]),
      ),
    },
  ],
  [
    'more headers than are accepted',
    { headers: Object.fromEntries(Array.from({ length: 1900 }, (_, at) => [`X${at}`, ''])) },
  ],
  ['a header of media types', { headers: { Accept: 'a/b;q=0,'.repeat(longest / 8) } }],
  ['a header of cookies', { headers: { Cookie: 'a=b; '.repeat(longest / 5) } }],
  [
    'a header of preferences',
    { headers: { Prefer: `wait=${' '.repeat(20)}x,`.repeat(longest / 28) } },
  ],
  ['a header of addresses', { headers: { 'X-Forwarded-For': '1,'.repeat(longest / 2) } }],
  [
    'a long Idempotency-Key',
    { method: 'POST', headers: { 'Idempotency-Key': 'k'.repeat(longest) } },
  ],
];

/** Texts for which the estimate of password strength takes longest. */
const passwords: Record<string, string> = {
  'of words with other letters': 'p4$$w0rd'.repeat(16),
  'of dates': '19901231'.repeat(16),
  'of nothing but other letters': '4@8({[<3'.repeat(16),
};

const longestUserData = 64 * 1024;

/** Of gzip in base64, which may have several members. */
function members(count: number, bytes: number): string {
  const member = gzipSync(Buffer.alloc(bytes, '#'));
  return Buffer.concat(Array.from({ length: count }, () => member)).toString('base64');
}

/** User data that takes longest to check. It is invalid, so that nothing is created. */
const userData: Record<string, string> = {
  'that unpacks to the most that is accepted': members(1, 2 ** 20),
  'that unpacks to far more': members(40, 2 ** 20),
  'of many members': members(2000, 1),
  'that is nearly base64': `${'A'.repeat(longestUserData - 1)}!`,
  'that is nearly gzip in base64': `${'H4sI'.padEnd(longestUserData - 1, 'A')}!`,
  'of blanks': `${' '.repeat(longestUserData - 1)}#`,
  'of line breaks in base64': 'AAAA\n'.repeat(longestUserData / 5),
};

export function hostileRequests(token: string): HostileRequest[] {
  const Authorization = `Bearer ${token}`;
  const known = (type: string) => ({ Authorization, 'Content-Type': type });
  const post = { method: 'POST', headers: known(json) };
  const user = (password: string) =>
    JSON.stringify({
      email: `${'a'.repeat(60)}@${'b.c-'.repeat(40)}d`,
      name: 'a b '.repeat(24),
      password,
    });
  const fields = { name: 'hostile', location_id: 1, os_id: 1, cpu: 1, ram: 512, disk: 4 };
  const server = (commandBytes: number) =>
    JSON.stringify({
      ...fields,
      password: '四'.repeat(128),
      initialCommands: Array.from({ length: 62 }, () => 'x'.repeat(commandBytes)),
    });
  const withUserData = (user_data: string) =>
    JSON.stringify({ ...fields, password: 'choose-4-yourself', initialCommands: [], user_data });
  const withKey = { ...post.headers, 'Idempotency-Key': 'hostile' };
  return [
    ...Object.entries(bodies).map(([name, body]) => request(name, post, body)),
    ...forms.map(([name, type, body]) =>
      request(name, { method: 'POST', headers: known(type) }, body),
    ),
    ...heads.map(([name, head]) =>
      request(name, { ...head, headers: { Authorization, ...head.headers } }),
    ),
    ...requestsOfOtherRoutes(Authorization),
    ...Object.entries(passwords).map(([name, password]) =>
      request(`a password ${name}`, { ...post, path: '/v1/users' }, user(password)),
    ),
    ...Object.entries(userData).map(([name, text]) =>
      request(`user data ${name}`, post, withUserData(text)),
    ),
    request('the largest possible create', post, server(4096)),
    request('the same with an Idempotency-Key', { ...post, headers: withKey }, server(4096)),
    request(
      'a compressed body',
      { ...post, headers: { ...post.headers, 'Content-Encoding': 'gzip' } },
      filled('', 'x', ''),
    ),
    request(
      'a request to an unknown path, without a token',
      { method: 'POST', path: '/nothing', headers: { 'Content-Type': json } },
      bodies['lists in lists'],
    ),
    request(
      'a body of many fields, without a token',
      { method: 'POST', headers: { 'Content-Type': json } },
      bodies['many fields'],
    ),
    request(
      'a sign-in with many fields',
      { method: 'POST', path: '/v1/session', headers: { 'Content-Type': json } },
      bodies['many fields'],
    ),
    request(
      'a sign-in with a long password',
      { method: 'POST', path: '/v1/session', headers: { 'Content-Type': json } },
      filled('{"email":"a@example.com","password":"', 'a', '"}'),
    ),
    request(
      'a sign-in with a long passkey id',
      { method: 'POST', path: '/v1/session/passkey', headers: { 'Content-Type': json } },
      filled('{"id":"', 'A', '"}'),
    ),
    request('the OpenAPI document', { path: '/openapi.json' }),
    request(`all metrics, with those of ${meteredServers.toLocaleString('en-US')} servers`, {
      path: '/metrics',
      headers: { Authorization },
    }),
  ];
}
