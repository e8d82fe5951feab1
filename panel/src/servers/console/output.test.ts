import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedOutput } from './output.ts';

/** A terminal that shows something only when it is told to. */
function slowTerminal() {
  let shown = '';
  const working: (() => void)[] = [];
  const output = boundedOutput((data, done) => {
    shown += typeof data === 'string' ? data : Buffer.from(data).toString();
    working.push(done);
  });
  return {
    output,
    shown: () => shown,
    work: () => {
      for (let done = working.shift(); done; done = working.shift()) done();
    },
  };
}

const kilobytes = (count: number, letter: string) => Buffer.from(letter.repeat(count * 1024));

test('output is passed on in order', () => {
  const { output, shown, work } = slowTerminal();
  for (const word of ['one ', 'two ', 'three']) output.add(Buffer.from(word));
  work();
  assert.equal(shown(), 'one two three');
});

test('a terminal that is behind gets no more until it has caught up, and then all', () => {
  const { output, shown, work } = slowTerminal();
  for (let count = 0; count < 1024; count += 1) output.add(kilobytes(1, 'a'));
  assert.equal(shown().length, 256 * 1024);
  work();
  assert.equal(shown().length, 1024 * 1024);
});

test('of a hundred megabytes, the middle is skipped with a note, and the end is shown', () => {
  const { output, shown, work } = slowTerminal();
  for (let count = 0; count < 100 * 16; count += 1) output.add(kilobytes(64, 'a'));
  output.add(Buffer.from('the end'));
  work();
  assert.match(shown(), /^a+\p{Cc}\r\n.*Output was skipped.*\r\na+the end$/u);
  assert.ok(shown().length < 3 * 1024 * 1024);
});

test('what waits can be forgotten', () => {
  const { output, shown, work } = slowTerminal();
  output.add(kilobytes(256, 'a'));
  output.add(kilobytes(1, 'b'));
  output.clear();
  output.add(Buffer.from('c'));
  work();
  assert.match(shown(), /^a+c$/);
});
