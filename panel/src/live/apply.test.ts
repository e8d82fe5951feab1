import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@berth/client';
import {
  activitiesAfter,
  changesLists,
  type Server,
  serverAfter,
  serversAfter,
  serverToRead,
  withServer,
} from './apply.ts';

const server = (id: number, status = 'stopped') =>
  ({ id, hostname: `web-${id}`, status, allowed_actions: ['start'] }) as unknown as Server;

const eventOf = (type: string, serverId: number | null, data: object = {}) =>
  ({ id: 1, type, server_id: serverId, data }) as unknown as Event;
const operation = (type: string, serverId: number, id = 7, progress = 40) =>
  eventOf(`operation.${type}`, serverId, {
    operation: { id, kind: 'stop', progress, message: 'Stopping', server_id: serverId },
  });

test('an event of a server changes its row, and no other', () => {
  const servers = [server(1), server(2)];
  const then = { hostname: 'db-2', status: 'started', error: null, labels: {}, specifications: {} };
  const after = serversAfter(servers, [eventOf('server.started', 2, { server: then })]);
  assert.equal(after[0], servers[0]);
  assert.deepEqual([after[1]?.hostname, after[1]?.status], ['db-2', 'started']);
  assert.deepEqual(after[1]?.allowed_actions, ['start']);
});

test('a deleted server leaves the list, and unknown servers do not change it', () => {
  const servers = [server(1), server(2)];
  const deleted = serversAfter(servers, [eventOf('server.deleted', 1, { server: {} })]);
  assert.deepEqual(
    deleted.map(({ id }) => id),
    [2],
  );
  assert.equal(serversAfter(servers, [eventOf('server.started', 3, { server: {} })]), servers);
  assert.equal(serversAfter(servers, [operation('progress', 1)]), servers);
  assert.equal(withServer(servers, server(3)), servers);
  assert.equal(withServer(servers, server(2, 'started'))[1]?.status, 'started');
});

test('a single server is changed by its own events, and stays as it was when it is deleted', () => {
  const one = server(1);
  const then = {
    hostname: 'web-1',
    status: 'started',
    error: null,
    labels: {},
    specifications: {},
  };
  assert.equal(
    serverAfter(one, [eventOf('server.started', 1, { server: then })]).status,
    'started',
  );
  assert.equal(serverAfter(one, [eventOf('server.started', 2, { server: then })]), one);
  assert.equal(serverAfter(one, [eventOf('server.deleted', 1, { server: then })]), one);
});

test('an operation is shown until it ends, or another one takes its place', () => {
  const begun = activitiesAfter(new Map(), [operation('created', 1)]);
  assert.equal(begun.get(1)?.progress, 40);
  const further = activitiesAfter(begun, [operation('progress', 1, 7, 80)]);
  assert.equal(further.get(1)?.progress, 80);
  const replaced = activitiesAfter(further, [operation('created', 1, 8, 0)]);
  assert.equal(activitiesAfter(replaced, [operation('ended', 1, 7)]), replaced);
  assert.equal(activitiesAfter(replaced, [operation('ended', 1, 8)]).size, 0);
  assert.equal(activitiesAfter(replaced, [eventOf('server.deleted', 1)]).size, 0);
});

test('new servers change lists, and other changes only lists with filters', () => {
  const started = eventOf('server.started', 1);
  assert.deepEqual([changesLists(started, false), changesLists(started, true)], [false, true]);
  assert.equal(changesLists(eventOf('server.created', 1), false), true);
  assert.equal(changesLists(operation('ended', 1), true), false);
});

test('a server is read again when its allowed actions may have changed', () => {
  assert.equal(serverToRead(operation('created', 1)), 1);
  assert.equal(serverToRead(operation('progress', 1)), undefined);
  assert.equal(serverToRead(eventOf('server.deleted', 1)), undefined);
  assert.equal(serverToRead(eventOf('node.offline', null)), undefined);
});
