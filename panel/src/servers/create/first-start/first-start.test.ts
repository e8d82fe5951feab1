import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BerthError } from '@berth/client';
import { commandErrors, withCommand, withoutCommand, withText } from './commands.ts';
import { commandExamples } from './examples.ts';
import { labelError, labelsOf } from './labels.ts';
import { sizeOfUserData } from './size.ts';

test('commands are added in place of a blank one at the end, changed and removed', () => {
  const one = withCommand([], 'true');
  const two = withCommand(one, '');
  const example = withCommand(two, 'uname -a');
  assert.deepEqual(
    example.map(({ text }) => text),
    ['true', 'uname -a'],
  );
  assert.equal(new Set([...two, ...example].map(({ key }) => key)).size, 3);
  const [first] = example;
  assert.deepEqual(withText(example, first?.key ?? 0, 'false')[0]?.text, 'false');
  assert.deepEqual(withoutCommand(example, first?.key ?? 0), example.slice(1));
});

test('the error of a command is shown at it, although blank ones were not sent', () => {
  const entries = ['true', '', 'x'.repeat(5000)].map((text, index) => ({ key: index + 7, text }));
  const errors = [
    { pointer: '/initialCommands/1', detail: 'Is too long.' },
    { pointer: '/initialCommands/1', detail: 'Is something else, too.' },
    { pointer: '/name', detail: 'Is taken.' },
  ];
  const invalid = new BerthError('validation_failed', 'No.', { errors });
  assert.deepEqual([...commandErrors(invalid, entries)], [[9, 'Is too long.']]);
  assert.equal(commandErrors(new TypeError('x'), entries).size, 0);
  assert.equal(commandErrors(null, entries).size, 0);
});

test('examples use the package manager of the operating system', () => {
  const texts = (slug: string) => commandExamples(slug).map(({ text }) => text);
  assert.match(texts('debian-12').join(), /apt-get/);
  assert.match(texts('alpine-3.22').join(), /apk add/);
  assert.doesNotMatch(texts('plan9').join(), /apt-get|apk|dnf/);
});

test('labels are values by keys, separated by commas or spaces', () => {
  const labels = labelsOf(' env=prod,web  url=a=b, env=test ');
  assert.deepEqual(labels, { env: 'test', web: '', url: 'a=b' });
  assert.deepEqual(labelsOf(' '), {});
});

test('the error of a label is shown with its key', () => {
  const errors = [
    { pointer: '/name', detail: 'Is taken.' },
    { pointer: '/labels/example.com~1tier', detail: 'Is too long.' },
  ];
  const invalid = new BerthError('validation_failed', 'No.', { errors });
  assert.equal(labelError(invalid), 'example.com/tier: Is too long.');
  assert.equal(labelError(new BerthError('validation_failed', 'No.')), undefined);
  assert.equal(labelError(null), undefined);
});

test('the size of user data counts bytes', () => {
  assert.equal(sizeOfUserData(''), '0 B of 64 KiB');
  assert.equal(sizeOfUserData('é'.repeat(1024)), '2 KiB of 64 KiB');
});
