import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutQuestions } from './terminal-questions.ts';

const without = (text: string) => Buffer.from(withoutQuestions(Buffer.from(text))).toString();

test('what a terminal would answer is left out', () => {
  const questions = [
    ...[
      '\u001b[c',
      '\u001b[0c',
      '\u001b[>c',
      '\u001b[=0c',
      '\u001bZ',
      '\u001b[5n',
      '\u001b[6n',
      '\u001b[?6n',
    ],
    ...['\u001b[?2026$p', '\u001b[18t', '\u001b[x', '\u001b[>0q'],
    ...['\u001b]11;?\u0007', '\u001b]4;1;?\u001b\\', '\u001bP+q544e\u001b\\', '\u001bP$qm\u001b\\'],
  ];
  assert.equal(
    without(questions.map((one, index) => `${index}${one}`).join('')),
    [...questions.keys()].join(''),
  );
});

test('everything else stays as it is', () => {
  const text =
    'Zürich \u001b[1;31mred\u001b[m\u001b[2J\u001b[H\u001b]0;What?\u0007\u001b[?25l\u001b(B 日本 \u001b[10;5H c n';
  assert.equal(without(text), text);
});
