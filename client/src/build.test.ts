import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { writeBundle } from '../build.ts';
import { json, serve } from '../testing/server.ts';

const directory = mkdtempSync(join(tmpdir(), 'berth-client-'));
const bundle = join(directory, 'index.js');
before(() => writeBundle(directory));
after(() => rmSync(directory, { recursive: true }));

test('the built file has at most 12 KB when it is compressed', () => {
  const { length } = gzipSync(readFileSync(bundle));
  assert.ok(length <= 12_000, `It has ${length} bytes.`);
});

/** What Node.js has and browsers do not have is taken away before the file is loaded. */
const asInBrowser = `
import { isBuiltin, registerHooks } from 'node:module';
const { log } = console;
registerHooks({
  resolve(specifier, context, next) {
    if (isBuiltin(specifier)) throw new Error('It imports ' + specifier);
    return next(specifier, context);
  },
});
const [, , url] = process.argv;
// Node.js itself loads its fetch late, and needs one of them for that.
await fetch(url).then((response) => response.text());
for (const name of ['process', 'global']) delete globalThis[name];
const { createBerth, items, waitForOperation, ServerNotFoundError } = await import('./index.js');
const berth = createBerth({ url });
for await (const { id } of items(berth, '/v1/servers')) log(id);
await waitForOperation(berth, 7, { onProgress: ({ message }) => log(message) });
await berth.DELETE('/v1/servers/{id}', { params: { path: { id: 1 } } }).catch((error) => {
  log(error instanceof ServerNotFoundError, error.constructor.name, error.name, error.detail);
});
`;

test('the built file runs without modules and globals of Node.js', async () => {
  const { url } = await serve([
    json([]),
    json([{ id: 42 }]),
    json({ id: 7, status: 'succeeded', message: 'It is done.' }),
    json({ code: 'server_not_found', detail: 'It is gone.' }, {}, 404),
  ]);
  const program = join(directory, 'program.mjs');
  writeFileSync(program, asInBrowser);
  const { stdout } = await promisify(execFile)(process.execPath, [program, url]);
  // The fetch of Node.js always needs these, so they can't be taken away.
  assert.doesNotMatch(readFileSync(bundle, 'utf8'), /\b(Buffer|setImmediate|clearImmediate)\b/);
  assert.equal(
    stdout,
    '42\nIt is done.\ntrue ServerNotFoundError ServerNotFoundError It is gone.\n',
  );
});
