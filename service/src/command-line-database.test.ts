import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { toolOn } from './testing/tool.ts';

// Tests the errors of the command-line tools for a database that they can't use.

const directory = mkdtempSync(join(tmpdir(), 'berth-tools-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Responds like a PostgreSQL without TLS: "N" to the request for TLS. */
const withoutTls = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => socket.end('N'));
});
withoutTls.listen(0, '127.0.0.1');
await once(withoutTls, 'listening');
after(() => withoutTls.close());
const { port } = withoutTls.address() as AddressInfo;

const garbage = join(directory, 'garbage.pem');
writeFileSync(garbage, 'This is not a certificate.');
const missing = join(directory, 'missing.pem');

const databases: Record<string, { url: string; says: RegExp }> = {
  'refuses connections': { url: 'postgresql://berth@127.0.0.1:1/berth', says: /ECONNREFUSED/ },
  'is on an unknown host': {
    url: 'postgresql://berth@no-such-host.invalid/berth?sslmode=verify-full',
    says: /no-such-host\.invalid/,
  },
  'offers no TLS': {
    url: `postgresql://berth@127.0.0.1:${port}/berth?sslmode=verify-full`,
    says: /SSL/,
  },
  'has a certificate of an authority whose file is missing': {
    url: `postgresql://berth@127.0.0.1:${port}/berth?sslmode=verify-full&sslrootcert=${missing}`,
    says: /missing\.pem/,
  },
};

const tools: Record<string, string[]> = {
  token: ['list'],
  user: ['list'],
  location: ['list'],
  inspect: ['operations'],
  db: ['export', join(directory, 'export')],
};

async function says(tool: string, args: string[], url: string, words: RegExp) {
  const run = toolOn(url, tool, '', { BERTH_DATA_DIR: directory });
  const { code, stdout, stderr } = await run(...args);
  const [sentence = '', wayOut = '', ...more] = stderr.trim().split('\n');
  assert.equal(code, 1, stderr);
  assert.equal(stdout, '');
  assert.match(sentence, /^The PostgreSQL of DATABASE_URL can't be used: .+\.$/, stderr);
  assert.match(sentence, words);
  assert.match(wayOut, /DATABASE_URL/);
  assert.deepEqual(more, [], 'no stack');
}

for (const [what, { url, says: words }] of Object.entries(databases)) {
  test(`the error for a database that ${what} is one sentence`, async () => {
    await says('token', ['list'], url, words);
  });
}

for (const [tool, args] of Object.entries(tools)) {
  test(`npm run ${tool} says in one sentence that the database is unavailable`, async () => {
    const { url, says: words } = databases['refuses connections'] ?? { url: '', says: /./ };
    await says(tool, args, url, words);
  });
}
