import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewInstance } from './instances.ts';
import { cleanUpWith, connect, directory, failsWith } from './test-client.ts';
import { listenOnTls, operation, refuse, selfSigned, stop, sync } from './test-server.ts';

describe('members over HTTPS', () => {
  const server = selfSigned(directory.file('server'));
  const own = selfSigned(directory.file('client'));
  const credentials = { clientCert: own.cert, clientKey: own.key, serverCert: server.cert };

  async function member(handler: Parameters<typeof listenOnTls>[2], identity = server) {
    const listening = await listenOnTls(identity, own.cert, handler);
    cleanUpWith(() => listening.server.listening && stop(listening.server));
    return listening;
  }
  const cluster = (...urls: string[]) =>
    connect({ urls, ...credentials, project: 'p', timeoutSeconds: 30 });
  const named = (name: string) => (_: IncomingMessage, response: ServerResponse) =>
    sync(response, [{ name }]);
  const closed = 'https://127.0.0.1:1';

  it('are called with the client certificate', async () => {
    const { url } = await member(named('one'));
    assert.equal((await cluster(url).instances.list())[0]?.name, 'one');
  });

  it('are refused with any other certificate than the pinned one', async () => {
    const { url } = await member(named('one'), selfSigned(directory.file('other')));
    const list = cluster(url).instances.list();
    await assert.rejects(list, failsWith('unreachable', /not the pinned one/));
  });

  it('are refused with a certificate that the pinned one signed', async () => {
    const issued = selfSigned(directory.file('issued'), directory.file('server'));
    const { url } = await member(named('one'), issued);
    const list = cluster(url).instances.list();
    await assert.rejects(list, failsWith('unreachable', /another certificate than the pinned/));
  });

  it('refuse a client that they do not trust, even if Incus itself responds', async () => {
    const { url } = await member((_, response) => sync(response, { auth: 'untrusted' }));
    await assert.rejects(cluster(url).server.info(), failsWith('forbidden', /trust/));
  });

  it('refuse another client', async () => {
    const { url } = await member(named('one'));
    const stranger = selfSigned(directory.file('stranger'));
    const identity = { clientCert: stranger.cert, clientKey: stranger.key };
    const client = connect({ urls: [url], ...credentials, ...identity, project: 'p' });
    await assert.rejects(client.instances.list(), failsWith('unreachable'));
  });

  it('are skipped while they are down, for changes too', async () => {
    const { url } = await member((_, response) =>
      response.end(JSON.stringify({ type: 'async', metadata: operation('7') })),
    );
    const started = await cluster(closed, url).instances.delete('a');
    assert.equal(started.id, '7');
  });

  it('are unreachable when all are down', async () => {
    const client = cluster(closed, 'https://127.0.0.1:2');
    await assert.rejects(
      client.instances.list(),
      failsWith('unreachable', /ECONNREFUSED/, '127.0.0.1:2'),
    );
  });

  it('are preferred after a response, until they fail', async () => {
    const first = await member(named('one'));
    const second = await member(named('two'));
    const client = cluster(first.url, second.url);
    const ask = async () => (await client.instances.list())[0]?.name;
    assert.equal(await ask(), 'one');
    await stop(first.server);
    assert.equal(await ask(), 'two');
    const again = await member(named('three'));
    assert.ok(again);
    assert.equal(await ask(), 'two');
  });

  it('are skipped by reads while they start or stop', async () => {
    const first = await member((_, response) => refuse(response, 503, 'Shutting down'));
    const second = await member(named('two'));
    assert.equal((await cluster(first.url, second.url).instances.list())[0]?.name, 'two');
    await assert.rejects(cluster(first.url).instances.list(), failsWith('unreachable', /Shutting/));
  });

  it('receive an interrupted read again, but never a change', async () => {
    let changes = 0;
    const breaking = await member((request) => {
      if (request.method !== 'GET') changes += 1;
      request.socket.destroy();
    });
    const second = await member((request, response) => {
      if (request.method !== 'GET') changes += 1;
      sync(response, []);
    });
    const client = cluster(breaking.url, second.url);
    await assert.rejects(client.projects.delete('x'), failsWith('unreachable'));
    assert.equal(changes, 1);
    assert.deepEqual(await client.instances.list(), []);
  });

  it('are not tried first after they hung', async () => {
    const hung = await member(() => {});
    const second = await member(named('two'));
    const client = cluster(hung.url, second.url);
    await assert.rejects(client.instances.list({ timeoutSeconds: 0.3 }), failsWith('timeout'));
    assert.equal((await client.instances.list())[0]?.name, 'two');
  });

  it('are tried last while they do not respond, even before the timeout', async () => {
    const hung = await member(() => {});
    const second = await member(named('two'));
    const client = cluster(hung.url, second.url);
    const stop = new AbortController();
    const options = { timeoutSeconds: 60, signal: stop.signal };
    const waiting = assert.rejects(client.instances.list(options), /enough/);
    const asked = async () => (await client.instances.list({ timeoutSeconds: 60 }))[0]?.name;
    await sleep(3100);
    assert.equal(await asked(), 'two');
    stop.abort(new Error('enough'));
    await waiting;
  });

  it('that accept a connection but do not respond are waited for if there is no other', async () => {
    const sockets = new Set<Socket>();
    const deaf = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    cleanUpWith(() => {
      for (const socket of sockets) socket.destroy();
      deaf.close();
    });
    const url = `https://127.0.0.1:${(deaf.address() as AddressInfo).port}`;
    const alone = cluster(url).server.info(undefined, { timeoutSeconds: 4 });
    await assert.rejects(alone, failsWith('timeout'));
    const second = await member(named('two'));
    assert.equal((await cluster(url, second.url).instances.list())[0]?.name, 'two');
  });

  it('are called directly for reads that concern them, once their addresses are known', async () => {
    const asked: string[] = [];
    const urls: string[] = [];
    const one = async (name: string) => {
      const { server, url } = await member((request, response) => {
        asked.push(`${name} ${request.method} ${request.url?.replace(/\?.*/, '')}`);
        if (request.method !== 'GET') return response.end(operationAnswer);
        sync(
          response,
          request.url?.startsWith('/1.0/cluster/members') ? listed : { auth: 'trusted' },
        );
      });
      urls.push(url);
      return server;
    };
    const operationAnswer = JSON.stringify({ type: 'async', metadata: operation('7') });
    await one('a');
    const b = await one('b');
    const elsewhere = { server_name: 'elsewhere', url: closed };
    const listed = [...urls.map((url, at) => ({ server_name: 'ab'[at], url })), elsewhere];
    const client = cluster(...urls);
    const { instances, server } = client;
    await server.resources('b');
    await server.members();
    await server.resources('b');
    await instances.get('x', { member: 'b' });
    await server.info();
    await server.resources('elsewhere');
    await instances.create({ name: 'x' } as NewInstance, 'b');
    await stop(b);
    await server.resources('b');
    assert.deepEqual(asked, [
      'a GET /1.0/resources',
      'a GET /1.0/cluster/members',
      'b GET /1.0/resources',
      'b GET /1.0/instances/x',
      'a GET /1.0',
      'a GET /1.0/resources',
      'a POST /1.0/instances',
      'a GET /1.0/resources',
    ]);
  });

  it('are tried first even if a request hung that they forwarded to another member', async () => {
    const first = await member((request, response) => {
      if (!request.url?.includes('target=')) sync(response, [{ name: 'one' }]);
    });
    const second = await member(named('two'));
    const client = cluster(first.url, second.url);
    const ofAnother = client.server.resources('another', { timeoutSeconds: 0.3 });
    const hung = assert.rejects(ofAnother, failsWith('timeout'));
    assert.equal((await client.instances.list())[0]?.name, 'one');
    await hung;
    assert.equal((await client.instances.list())[0]?.name, 'one');
  });
});
