import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { test } from 'node:test';
import { boundConnections, type Closing, keepAlive } from './connections.ts';

// Tests which connections are closed, with simulated sockets of any address.

/** Nine tenths of the maximum; an address can have ten. */
const maxConnections = 100;

function serve() {
  const server = new EventEmitter() as Server;
  const closed: Closing[] = [];
  const isProxy = (address: string) => address === '10.0.0.1';
  boundConnections(server, { maxConnections, isProxy, closed: (why) => closed.push(why) });
  let port = 0;
  /** A socket emits its end only when `end` is called, because real sockets emit it later as well. */
  function open(remoteAddress: string) {
    port += 1;
    const socket = Object.assign(new EventEmitter(), {
      ...{ remoteAddress, remotePort: port, isDestroyed: false },
      destroy: () => {
        socket.isDestroyed = true;
      },
      end: () => socket.emit('close'),
    });
    server.emit('connection', socket);
    return socket;
  }
  const openAll = (count: number, address: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => open(address(at)));
  return { server, closed, open, openAll };
}

function destroyed<T extends { isDestroyed: boolean }>(sockets: T[]): T[] {
  return sockets.filter(({ isDestroyed }) => isDestroyed);
}

test('an address of IPv6 is its /64', () => {
  const { openAll, open, closed } = serve();
  const sockets = openAll(11, (at) => `2001:db8:1:1::${at}`);
  assert.deepEqual(destroyed(sockets), sockets.slice(10));
  assert.equal(open('2001:db8:1:2::1').isDestroyed, false);
  assert.deepEqual(closed, ['address']);
});

test('addresses of an IPv6 /48 count as one network', () => {
  const { openAll, open } = serve();
  const others = openAll(45, (at) => `192.0.2.${at}`);
  const crowd = openAll(45, (at) => `2001:db8:1:${at}::1`);
  assert.equal(open('2001:db8:2::1').isDestroyed, false);
  // Another connection of the crowd closes no connection of others either.
  assert.equal(open('2001:db8:1:99::1').isDestroyed, true);
  assert.deepEqual(destroyed([...others, ...crowd]), crowd.slice(0, 1));
});

test('each of many concurrent connections replaces another one', () => {
  const { openAll, closed } = serve();
  const crowd = openAll(90, (at) => `192.0.2.${at % 9}`);
  const comers = openAll(40, (at) => `198.51.100.${at}`);
  assert.equal(destroyed(crowd).length, 40);
  assert.deepEqual(destroyed(comers), []);
  assert.deepEqual(closed, Array(40).fill('idle'));
});

test('if each network has one connection, the longest idle is closed', () => {
  const { openAll, open } = serve();
  const crowd = openAll(90, (at) => `192.0.2.${at}`);
  open('198.51.100.1');
  open('198.51.100.2');
  assert.deepEqual(destroyed(crowd), crowd.slice(0, 2));
});

test('a closed connection frees its place once', () => {
  const { openAll, open, closed } = serve();
  const crowd = openAll(90, (at) => `192.0.2.${at % 9}`);
  open('198.51.100.1');
  for (const socket of destroyed(crowd)) socket.end();
  for (const socket of crowd.slice(-3)) socket.end();
  const comers = openAll(4, () => '198.51.100.2');
  assert.deepEqual(destroyed(comers), []);
  assert.deepEqual(closed, ['idle', 'idle']);
});

test('connections of a proxy do not shorten the keep-alive timeout', () => {
  const { server, openAll } = serve();
  openAll(95, () => '10.0.0.1');
  assert.equal(server.keepAliveTimeout, keepAlive.longest);
  const others = openAll(5, (at) => `192.0.2.${at}`);
  assert.equal(server.keepAliveTimeout, keepAlive.shortest);
  for (const socket of others) socket.end();
  assert.equal(server.keepAliveTimeout, keepAlive.longest);
});
