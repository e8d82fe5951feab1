import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasRoot, isBeginning, isCutOff, withRootPassword } from './shadow.ts';

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

const whole = 'root:*:1:0:\ndaemon:*:1:0:\nm\xfcller:*:1:0:\n';
const of = (text: string) => Buffer.from(text, 'latin1');

test('a part of a file is recognised, whatever root has in it', () => {
  for (const written of [whole, whole.replace('*', () => hash)]) {
    for (let length = 0; length < written.length; length += 1) {
      const part = written.slice(0, length);
      assert.equal(isBeginning(of(part), of(whole)), true, part);
      assert.equal(isCutOff(of(part), of(whole)), !part.endsWith('\n'), part);
    }
    assert.equal(isBeginning(of(written), of(whole)), false);
  }
});

test('a file with other users is no part of it', () => {
  for (const text of [
    whole.replace('daemon:*', 'daemon:!'),
    whole.replace('daemon', 'bin'),
    'daemon:*',
    `${whole}ada`,
    `${whole}ada:*:1:0:\n`,
  ]) {
    assert.equal(isBeginning(of(text), of(whole)), false, text);
    assert.equal(isCutOff(of(text), of(whole)), false, text);
  }
});

test('a file that ends with a whole line may have been shortened by the guest', () => {
  const shortened = 'root:*:1:0:\ndaemon:*:1:0:\n';
  assert.equal(isBeginning(of(shortened), of(whole)), true);
  assert.equal(isCutOff(of(shortened), of(whole)), false);
});
