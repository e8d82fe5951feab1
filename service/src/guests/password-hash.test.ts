import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { hashPassword } from './password-hash.ts';

test('the example of the specification', async () => {
  assert.equal(
    await hashPassword('Hello world!', 'saltstring'),
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  );
});

test('the result is that of the C library, for any length', async () => {
  const lengths = Array.from({ length: 128 }, (_, i) => i + 1);
  const ascii = lengths.map((length) => 'Pass word-9'.repeat(12).slice(0, length));
  const others = [7, 16, 21, 32, 33, 64, 96, 127, 128].flatMap((count) => [
    'é'.repeat(count),
    '字'.repeat(count),
    '😀'.repeat(Math.min(count, 127)),
  ]);
  const passwords = [...ascii, ...others];
  const perl = 'while (<STDIN>) { chomp; print crypt($_, q($6$ab./YZ019876zyxw$)), "\\n" }';
  const theirs = execFileSync('perl', ['-e', perl], { input: passwords.join('\n') });
  const ours = await Promise.all(
    passwords.map((password) => hashPassword(password, 'ab./YZ019876zyxw')),
  );
  assert.deepEqual(ours, theirs.toString().trim().split('\n'));
});

test('each hash has its own salt', async () => {
  const made = await Promise.all(Array.from({ length: 50 }, () => hashPassword('the same')));
  assert.equal(new Set(made).size, 50);
  for (const hash of made) assert.match(hash, /^\$6\$[./0-9A-Za-z]{16}\$[./0-9A-Za-z]{86}$/);
});
