import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readEnvironmentFile } from './environment-file.ts';

const valued = [
  ['plain', 'A=1', '1'],
  ['spaces around it', '  A = two words \t', 'two words'],
  ['quotes', 'A="two  words "', 'two  words '],
  ['single quotes, in which nothing is escaped', 'A=\'a \\n "b"\'', 'a \\n "b"'],
  ['quotes beside quotes', `A="x" 'y'`, 'xy'],
  ['text after quotes', 'A="x" y', 'xy'],
  ['quotes within text', 'A=a"b"c', 'a"b"c'],
  ['a backslash', 'A=a\\ \\b\\\\', 'a b\\'],
  ['a continued line', 'A=one\\\ntwo', 'onetwo'],
  ['quotes over lines', 'A="one\ntwo\\\nthree"', 'one\ntwothree'],
  ['escapes in quotes', 'A="\\" \\\\ \\x"', '" \\ \\x'],
  ['a number sign within a value', 'A=a#b', 'a#b'],
  ['an equals sign', 'A=postgresql://h/d?a=b', 'postgresql://h/d?a=b'],
  ['the second of two assignments', 'A=1\nA=2', '2'],
  ['no line end', '# c\n; d\n\nA=1', '1'],
] as const;

for (const [what, text, expected] of valued) {
  test(`systemd reads a value: ${what}`, () => {
    assert.deepEqual(readEnvironmentFile(`${text}\n`).variables, { A: expected });
  });
}

const generator = '/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator';

/** Parses the text with systemd, in another program of it that uses the same parser. */
function asSystemd(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'berth-environment-'));
  try {
    mkdirSync(join(directory, 'environment.d'));
    writeFileSync(join(directory, 'environment.d', '00.conf'), text);
    const env = { XDG_CONFIG_HOME: directory };
    const printed = execFileSync(generator, { env, encoding: 'utf8', stdio: 'pipe' });
    return execFileSync('sh', ['-c', 'eval "$0"; printf %s "$A"', printed], { encoding: 'utf8' });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('systemd itself reads the same values', {
  skip: !existsSync(generator) && 'this machine has no systemd',
}, () => {
  for (const [what, text, expected] of valued) {
    // The program does not print line ends unchanged.
    if (!expected.includes('\n')) assert.equal(asSystemd(`${text}\n`), expected, what);
  }
});

for (const [what, text, words] of [
  ['export', 'export A=1', /Line 1 is ignored.*Leave "export" out/],
  ['a line without a value', 'B=1\nA', /Line 2 is ignored: it has no "="/],
  ['a comment behind a value', 'A=8080 # the port', /A has a "#" in it: .*separate line/],
  [
    'a variable that a shell would expand',
    'A=$HOME/x',
    /A has a "\$" in it: variables are not expanded/,
  ],
  ['quotes that do not end', 'A="x\nB=2', /quotes that begin after A= in line 1 do not end/],
  ['a continued comment', '# x \\\nA=1', /Line 1 is a comment.*before 254/],
] as const) {
  test(`a file is reported if it has ${what}`, () => {
    assert.match(readEnvironmentFile(`${text}\n`).warnings.join('\n'), words);
  });
}

test('quoted values cause no warnings', () => {
  const { warnings } = readEnvironmentFile('A="x # y $z"\nB=\'# $\'\n');
  assert.deepEqual(warnings, []);
});
