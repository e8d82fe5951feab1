import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { program } from '../service/src/testing/tool.ts';

const directory = mkdtempSync(join(tmpdir(), 'berth-chart-'));
after(() => rmSync(directory, { recursive: true }));
const out = join(directory, 'usage.svg');

const history = {
  from: '2026-11-21T12:00:00.000000Z',
  to: '2026-11-21T12:00:30.000000Z',
  step: 15,
  times: ['2026-11-21T12:00:00.000000Z', '2026-11-21T12:00:15.000000Z'],
  series: [
    ['cpu', 'percent'],
    ['ram', 'MiB'],
    ['disk', 'GiB'],
    ['traffic_in', 'bytes'],
    ['traffic_out', 'bytes'],
    ['disk_read', 'bytes'],
    ['disk_write', 'bytes'],
  ].map(([metric, unit]) => ({ metric, unit, values: [1, null] })),
};

let answer: { status: number; body: string };
const service = createServer((_request, response) => {
  response.writeHead(answer.status).end(answer.body);
});
async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const url = await listen(service);
/** A port on which nothing listens. */
const nobody = createServer();
const nowhere = await listen(nobody);
nobody.close();
after(() => service.close());

const chart = (more: Record<string, string>, ...args: string[]) =>
  program([fileURLToPath(new URL('chart.ts', import.meta.url))], '', {
    BERTH_URL: url,
    BERTH_TOKEN: 'a-token',
    ...more,
  })(...args);

test('draws the response of the service', async () => {
  answer = { status: 200, body: JSON.stringify(history) };
  const drawn = await chart({}, '1', '--out', out);
  assert.deepEqual([drawn.code, drawn.stdout], [0, out], drawn.stderr);
  assert.match(readFileSync(out, 'utf8'), /^<svg /);
});

const refused = (status: number, more = {}) => ({
  status,
  body: JSON.stringify({ detail: 'It is so.', ...more }),
});
const troubles = [
  ['no service answers', { env: { BERTH_URL: nowhere } }, /ECONNREFUSED.*\n.*BERTH_URL/],
  ['the address is not a URL', { env: { BERTH_URL: 'here' } }, /BERTH_URL is not a URL: here/],
  [
    'the token is malformed',
    { env: { BERTH_TOKEN: 'gehe\nim' } },
    /is not a token\.\n.*servers:read/,
  ],
  ['the token is refused', { answer: refused(401) }, /401: It is so\.\n.*BERTH_TOKEN/],
  ['the token lacks the scope', { answer: refused(403) }, /403: It is so\.\n.*BERTH_TOKEN/],
  ['the server does not exist', { answer: refused(404) }, /404: It is so\.\n.*GET \/v1\/servers/],
  [
    'the request is invalid',
    { answer: refused(422, { errors: [{ parameter: 'step', detail: 'Too fine.' }] }) },
    /422: It is so\. step: Too fine\./,
  ],
  [
    'something else answers',
    { answer: { status: 200, body: '<html>' } },
    /not a response of Berth/,
  ],
  [
    'the file can not be written',
    { out: join(directory, 'no', 'x') },
    /x can't be .*ENOENT.*\n.*--out/,
  ],
] as const;

for (const [what, trouble, says] of troubles) {
  test(`if ${what}, it reports that and what to do`, async () => {
    const { env = {}, answer: said, out: file } = { env: {}, answer: undefined, out, ...trouble };
    answer = said ?? { status: 200, body: JSON.stringify(history) };
    const { code, stderr, stdout } = await chart(env, '1', '--out', file);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, says);
    assert.equal(stderr.trim().split('\n').length, 2, stderr);
    assert.doesNotMatch(stderr, /gehe|a-token/);
  });
}

test('unknown options print the usage', async () => {
  const { code, stderr } = await chart({}, '1', '--file', out);
  assert.equal(code, 2);
  assert.match(stderr, /^Draws the usage of a server/);
});
