import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { problems } from '../../service/src/problems/problem.ts';
import { BerthError, classNameOf } from './errors.ts';
import { classOfCode } from './generated/errors.ts';

/** All values of `code` in the schemas of problems. */
function codesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { code } = value as { code?: { enum?: string[] } };
  return [...(code?.enum ?? []), ...Object.values(value).flatMap(codesOf)];
}

test('each code of the contract has a class, and each class a code', async () => {
  const file = new URL('../../contract/openapi.json', import.meta.url);
  const codes = new Set(codesOf(JSON.parse(await readFile(file, 'utf8'))));
  assert.ok(codes.size > 100);
  assert.deepEqual(Object.keys(classOfCode), [...codes].sort());
});

test('each code of the service has a class, except those that belong to no path of the contract', () => {
  const missing = Object.keys(problems).filter((code) => !Object.hasOwn(classOfCode, code));
  // The last two are of the WebSocket of a console.
  assert.deepEqual(missing.sort(), [
    'console_not_found',
    'method_not_allowed',
    'websocket_required',
  ]);
});

test('the class of each code is named after it, and so are its errors', () => {
  for (const [code, Class] of Object.entries(classOfCode)) {
    assert.equal(Class.name, classNameOf(code));
    const error = new Class(code, 'Its detail.');
    assert.ok(error instanceof BerthError);
    assert.equal(error.name, Class.name);
  }
  assert.equal(classNameOf('internal_error'), 'InternalError');
  assert.equal(classNameOf('ssh_key_exists'), 'SshKeyExistsError');
});
