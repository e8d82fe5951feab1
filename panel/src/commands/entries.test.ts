import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionsFor, matching, readTyped, serversNamed } from './entries.ts';

test('what was typed is a name, or an action and a name', () => {
  assert.deepEqual(readTyped(' Web-1 '), { name: 'web-1', actions: [] });
  assert.deepEqual(readTyped('stop'), { name: 'stop', actions: [] });
  assert.deepEqual(readTyped('stop web'), { name: 'web', actions: ['stop'] });
  assert.deepEqual(readTyped('st w'), { name: 'w', actions: ['start', 'stop'] });
  assert.deepEqual(readTyped('console web'), { name: 'web', actions: ['console'] });
  assert.deepEqual(readTyped('new server'), { name: '', actions: [] });
  assert.deepEqual(readTyped(''), { name: '', actions: [] });
});

test('of the servers of an earlier answer, those that still match are shown', () => {
  const servers = [{ hostname: 'Web-1' }, { hostname: 'web-2' }, { hostname: 'db-1' }];
  assert.deepEqual(serversNamed(servers, 'web'), servers.slice(0, 2));
  assert.deepEqual(serversNamed(servers, ''), []);
});

test('servers have the actions that they allow now, and their pages', () => {
  const web = { id: 1, hostname: 'web-1', allowed_actions: ['stop', 'restart', 'resize'] };
  const db = { id: 2, hostname: 'db-1', allowed_actions: ['start'] };
  const labels = (servers: (typeof web)[], actions: ('stop' | 'settings')[] = []) =>
    actionsFor(servers, { actions }).map(({ label }) => label);
  assert.deepEqual(labels([web, db]), [
    ...['Stop web-1', 'Restart web-1', 'Console of web-1', 'Settings of web-1'],
    ...['Start db-1', 'Console of db-1', 'Settings of db-1'],
  ]);
  assert.deepEqual(labels([web, db], ['stop']), ['Stop web-1']);
  assert.deepEqual(labels([db], ['stop', 'settings']), ['Settings of db-1']);
  assert.deepEqual(labels([web, web, web, web]), []);
  assert.equal(labels([web, web, web, web], ['stop']).length, 4);
});

test('entries are found by the beginnings of their words, in any order', () => {
  const entries = [{ label: 'New server' }, { label: 'Servers' }, { label: 'SSH keys' }];
  const found = (typed: string) => matching(entries, typed).map(({ label }) => label);
  assert.deepEqual(found('serv'), ['New server', 'Servers']);
  assert.deepEqual(found('ser n'), ['New server']);
  assert.deepEqual(found('keys'), ['SSH keys']);
  assert.deepEqual(found('erver'), []);
  assert.equal(found('').length, 3);
});
