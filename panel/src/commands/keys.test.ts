import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandOf, creationOn } from './keys.ts';

const on = { wentAt: undefined, areSingleKeysOn: true };
const press = (key: string, at = 0, isWithCtrl = false) => ({ key, at, isWithCtrl });

test('single keys have their commands', () => {
  assert.equal(commandOf(press('?'), on), 'help');
  assert.equal(commandOf(press('c'), on), 'create');
  assert.equal(commandOf(press('/'), on), 'search');
  for (const key of ['s', 'g', 'Enter', 'toString'])
    assert.equal(commandOf(press(key), on), undefined);
});

test('g and then a key leads to a page, if the two are pressed one after the other', () => {
  const went = { ...on, wentAt: 1000 };
  assert.deepEqual(commandOf(press('s', 1200), went), { go: '/servers' });
  assert.deepEqual(commandOf(press('S', 1200), went), { go: '/servers' });
  assert.equal(commandOf(press('c', 1200), went), undefined);
  assert.equal(commandOf(press('constructor', 1200), went), undefined);
  assert.equal(commandOf(press('s', 9000), went), undefined);
  assert.equal(commandOf(press('c', 9000), went), 'create');
});

test('without single keys, only those with Ctrl are left', () => {
  const off = { wentAt: 1000, areSingleKeysOn: false };
  assert.equal(commandOf(press('s', 1200), off), undefined);
  assert.equal(commandOf(press('?', 1200), off), undefined);
  assert.equal(commandOf(press('k', 1200, true), off), 'palette');
  assert.equal(commandOf(press('K', 1200, true), off), 'palette');
  assert.equal(commandOf(press('k'), off), undefined);
  assert.equal(commandOf(press('c', 0, true), on), undefined);
});

test('what is created is what the page lists, or a server', () => {
  assert.equal(creationOn('/webhooks/4'), '/webhooks/new');
  assert.equal(creationOn('/tokens'), '/tokens/new');
  assert.equal(creationOn('/operations'), '/servers/new');
});
