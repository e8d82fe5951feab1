import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BerthError } from '@berth/client';
import { changeOf, newWebhookOf } from './form.ts';

function filled(more: Record<string, string> = {}): FormData {
  const form = new FormData();
  const usual = { name: ' deploy-bot ', url: ' https://a.example/b ', label_selector: '' };
  for (const [name, value] of Object.entries({ ...usual, which: 'all', ...more }))
    form.set(name, value);
  return form;
}

const usual = { name: 'deploy-bot', url: 'https://a.example/b', types: [], label_selector: '' };
const pointers = (error: unknown) => (error as BerthError).errors.map(({ pointer }) => pointer);

test('the form becomes the body of a new webhook', () => {
  assert.deepEqual(newWebhookOf(filled()), usual);
  const form = filled({ which: 'some', headers: 'Authorization: Bearer 5f2a:x\n\n X-Team:web ' });
  form.append('types', 'server.started');
  form.append('types', 'server.failed');
  assert.deepEqual(newWebhookOf(form), {
    ...usual,
    types: ['server.started', 'server.failed'],
    headers: { Authorization: 'Bearer 5f2a:x', 'X-Team': 'web' },
  });
});

test('somebody who wants some types and chooses none is told so', () => {
  assert.throws(
    () => newWebhookOf(filled({ which: 'some' })),
    (error) => pointers(error)[0] === '/types',
  );
});

test('a line that is no header is refused', () => {
  for (const headers of ['Bearer 5f2a', 'X-Team:', ': web'])
    assert.throws(
      () => newWebhookOf(filled({ headers })),
      (error) => pointers(error)[0] === '/headers',
    );
});

test('a change keeps the headers unless others are given, or all are removed', () => {
  assert.deepEqual(changeOf(filled()), usual);
  assert.deepEqual(changeOf(filled({ headers: 'X-Team: web' })).headers, { 'X-Team': 'web' });
  assert.deepEqual(changeOf(filled({ remove_headers: 'on' })).headers, {});
});
