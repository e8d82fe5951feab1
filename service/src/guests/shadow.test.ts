import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasRoot, withRootPassword } from './shadow.ts';

const at = new Date('2026-11-27T12:00:00Z');
const today = 20784;
const hash = '$6$salt$hash';

const changed = (text: string) =>
  withRootPassword(Buffer.from(text, 'latin1'), hash, at)?.toString('latin1');

test('only the hash of root and the day of its change are replaced', () => {
  const rest = 'daemon:*:19700:0:99999:7:::\nrooted:!:1::::::\nada:$6$a$b:19700:0:99999:7:::\n';
  assert.equal(
    changed(`root:*:19700:0:99999:7:::\n${rest}`),
    `root:${hash}:${today}:0:99999:7:::\n${rest}`,
  );
  assert.equal(changed(`${rest}root::0:::::`), `${rest}root:${hash}:${today}:::::`);
});

test('a password that never expires, as on Alpine, still does not', () => {
  assert.equal(changed('root:*::0:::::\nbin:!::0:::::\n'), `root:${hash}::0:::::\nbin:!::0:::::\n`);
});

test('bytes of any encoding are kept', () => {
  assert.equal(
    changed('root:*:1:\nm\xfcller:\xff:1:\n'),
    `root:${hash}:${today}:\nm\xfcller:\xff:1:\n`,
  );
});

test('with the same hash nothing changes, on any day', () => {
  const text = `root:${hash}:19700:0:99999:7:::\n`;
  assert.equal(changed(text), text);
  assert.equal(hasRoot(Buffer.from(text)), true);
});

test('without a line of root there is nothing to change', () => {
  for (const text of ['', '\n', 'daemon:*:1::::::\n', 'rooted:*:1::::::\n', ' root:*:1:\n']) {
    assert.equal(changed(text), undefined, text);
    assert.equal(hasRoot(Buffer.from(text)), false, text);
  }
});
