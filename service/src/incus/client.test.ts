import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { after, afterEach, describe, it } from 'node:test';
import { createIncusClient, type IncusOptions } from './client.ts';
import { EngineError, type EngineErrorCode } from './errors.ts';
import { imageFingerprint } from './images.ts';
import { isUnderWay, operationInstances } from './operations.ts';
import { instanceTypes } from './server.ts';
import {
  listenOnSocket,
  listenOnTls,
  operation,
  refuse,
  selfSigned,
  stop,
  sync,
  temporaryDirectory,
} from './test-server.ts';

const directory = temporaryDirectory();
after(() => directory.remove());

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function connect(options: IncusOptions) {
  const client = createIncusClient(options);
  cleanups.push(() => client.close());
  return client;
}

let sockets = 0;

/** A client of a server on a unix socket that answers with `handler`. */
async function clientOf(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  timeoutSeconds = 2,
) {
  const socketPath = directory.file(`${sockets++}.socket`);
  const server = await listenOnSocket(socketPath, handler);
  cleanups.push(() => stop(server));
  return connect({ socketPath, project: 'p', timeoutSeconds });
}

function failsWith(code: EngineErrorCode, message: RegExp = /./, where?: string) {
  return (error: unknown) => {
    assert.ok(error instanceof EngineError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    if (where !== undefined) assert.equal(error.where, where);
    return true;
  };
}

describe('a call over the unix socket', () => {
  it('asks in its project and returns the metadata', async () => {
    const client = await clientOf((request, response) => sync(response, { name: request.url }));
    const instance = await client.instances.get('srv/1?');
    assert.equal(instance?.name, '/1.0/instances/srv%2F1%3F?project=p');
  });

  it('sends JSON and returns the operation', async () => {
    const client = await clientOf(async (request, response) => {
      const body = JSON.parse(await text(request));
      const metadata = { ...operation('1'), description: `${request.method} ${body.action}` };
      response.end(JSON.stringify({ type: 'async', metadata }));
    });
    const started = await client.instances.updateState('a', { action: 'start' });
    assert.equal(started.description, 'PUT start');
  });

  it('never asks for a graceful stop with the 0 s that Incus takes for a forced one', async () => {
    const bodies: unknown[] = [];
    const client = await clientOf(async (request, response) => {
      bodies.push(JSON.parse(await text(request)));
      response.end(JSON.stringify({ type: 'async', metadata: operation('1') }));
    });
    const graceful = { action: 'stop', force: false, graceSeconds: 0 } as const;
    await client.instances.updateState('a', graceful);
    await client.instances.updateState('a', { action: 'restart', force: true });
    assert.deepEqual(bodies, [
      { action: 'stop', force: false, timeout: 1 },
      { action: 'restart', force: true, timeout: -1 },
    ]);
  });

  it('finds null for a 404 and throws it where the thing must be there', async () => {
    const client = await clientOf((_, response) => refuse(response, 404, 'Instance not found'));
    assert.equal(await client.instances.get('a'), null);
    assert.equal(await client.images.getAlias('a'), null);
    assert.equal(await client.files.pull('a', '/x', 10), null);
    await assert.rejects(client.instances.delete('a'), failsWith('not_found'));
  });

  it('takes an error in the body of a 200 for the error that it is', async () => {
    const client = await clientOf((_, response) => refuse(response, 409, 'Taken', 200));
    const project = { name: 'p', description: '', config: {} };
    await assert.rejects(client.projects.create(project), failsWith('already_exists', /Taken/));
  });

  it('refuses an answer of the other kind', async () => {
    const client = await clientOf((_, response) => sync(response, {}));
    await assert.rejects(client.instances.delete('a'), failsWith('failed', /starts an operation/));
  });

  it('reports malformed JSON, and an error page without JSON', async () => {
    let status = 200;
    const client = await clientOf((_, response) => {
      response.writeHead(status).end('<html>');
    });
    await assert.rejects(client.instances.list(), failsWith('failed', /malformed JSON/));
    status = 502;
    await assert.rejects(client.instances.list(), failsWith('unreachable', /HTTP 502: <html>/));
  });

  it('takes null for an empty list', async () => {
    const client = await clientOf((_, response) => sync(response, null));
    assert.deepEqual(await client.instances.list(), []);
    assert.deepEqual(await client.operations.list(), []);
    assert.deepEqual(await client.storage.listVolumes('p'), []);
  });

  it('reads metrics as text', async () => {
    const client = await clientOf((request, response) => response.end(`# ${request.url}`));
    assert.equal(await client.server.metrics('m1'), '# /1.0/metrics?project=p&target=m1');
  });
});

describe('an outage', () => {
  it('is unreachable where nobody listens', async () => {
    const socketPath = directory.file('none.socket');
    const client = connect({ socketPath, project: 'p' });
    await assert.rejects(client.server.info(), failsWith('unreachable', /ENOENT/, socketPath));
  });

  it('is unreachable where the connection breaks before or amid the answer', async () => {
    const client = await clientOf((request, response) => {
      if (request.url?.startsWith('/1.0/projects') === true) response.writeHead(200).write('{"ty');
      setTimeout(() => request.socket.destroy(), 20);
    });
    await assert.rejects(client.instances.list(), failsWith('unreachable'));
    await assert.rejects(client.projects.get('x'), failsWith('unreachable'));
  });

  it('is failed where something else than HTTP answers', async () => {
    const socketPath = directory.file('other.socket');
    const server = createServer((socket) => socket.end('SSH-2.0\r\n\r\n')).listen(socketPath);
    cleanups.push(() => server.close());
    const client = connect({ socketPath, project: 'p' });
    await assert.rejects(client.server.info(), failsWith('failed', /does not speak HTTP/));
  });
});

describe('the time of a call', () => {
  it('ends without an answer', async () => {
    const client = await clientOf(() => {}, 0.1);
    const message = /GET \/1\.0\/instances: no answer within 0\.1 s/;
    await assert.rejects(client.instances.list(), failsWith('timeout', message));
  });

  it('ends within an answer', async () => {
    const client = await clientOf((_, response) => response.writeHead(200).write('{"type"'), 0.1);
    await assert.rejects(client.instances.list(), failsWith('timeout'));
  });

  it('can be set for one call', async () => {
    const client = await clientOf(() => {}, 60);
    await assert.rejects(client.instances.list({ timeoutSeconds: 0.05 }), failsWith('timeout'));
  });

  it('is cut short by the caller, whose reason is thrown as it is', async () => {
    const client = await clientOf(() => {});
    const controller = new AbortController();
    const call = client.instances.list({ signal: controller.signal });
    setTimeout(() => controller.abort(new Error('lease lost')), 20);
    await assert.rejects(call, /^Error: lease lost$/);
    await assert.rejects(client.instances.list({ signal: controller.signal }), /lease lost/);
  });
});

describe('members over HTTPS', () => {
  const server = selfSigned(directory.file('server'));
  const own = selfSigned(directory.file('client'));
  const credentials = { clientCert: own.cert, clientKey: own.key, serverCert: server.cert };

  async function member(handler: Parameters<typeof listenOnTls>[2], identity = server) {
    const listening = await listenOnTls(identity, own.cert, handler);
    cleanups.push(() => listening.server.listening && stop(listening.server));
    return listening;
  }
  const cluster = (...urls: string[]) =>
    connect({ urls, ...credentials, project: 'p', timeoutSeconds: 2 });
  const named = (name: string) => (_: IncomingMessage, response: ServerResponse) =>
    sync(response, [{ name }]);
  const closed = 'https://127.0.0.1:1';

  it('are asked with the client certificate', async () => {
    const { url } = await member(named('one'));
    assert.equal((await cluster(url).instances.list())[0]?.name, 'one');
  });

  it('are refused with any certificate but the pinned one', async () => {
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

  it('forbid a client that they do not trust, also where Incus answers it', async () => {
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

  it('are passed over while they are down, for changes too', async () => {
    const { url } = await member((_, response) =>
      response.end(JSON.stringify({ type: 'async', metadata: operation('7') })),
    );
    const started = await cluster(closed, url).instances.delete('a');
    assert.equal(started.id, '7');
  });

  it('are unreachable when all are down', async () => {
    const client = cluster(closed, '127.0.0.1:2');
    await assert.rejects(
      client.instances.list(),
      failsWith('unreachable', /ECONNREFUSED/, '127.0.0.1:2'),
    );
  });

  it('keep being asked once they answered, until they fail', async () => {
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

  it('pass a read on while they start or stop', async () => {
    const first = await member((_, response) => refuse(response, 503, 'Shutting down'));
    const second = await member(named('two'));
    assert.equal((await cluster(first.url, second.url).instances.list())[0]?.name, 'two');
    await assert.rejects(cluster(first.url).instances.list(), failsWith('unreachable', /Shutting/));
  });

  it('repeat a read, never a change, that broke off', async () => {
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

  it('are not asked first after they hung', async () => {
    const hung = await member(() => {});
    const second = await member(named('two'));
    const client = cluster(hung.url, second.url);
    await assert.rejects(client.instances.list({ timeoutSeconds: 0.3 }), failsWith('timeout'));
    assert.equal((await client.instances.list())[0]?.name, 'two');
  });
});

describe('waiting for an operation', () => {
  const succeeded = operation('1', { status: 'Success', status_code: 200 });

  it('ends with the operation', async () => {
    const client = await clientOf((_, response) => sync(response, succeeded));
    const outcome = await client.operations.wait('1', { timeoutSeconds: 5 });
    assert.deepEqual(outcome, { outcome: 'succeeded', operation: succeeded });
  });

  it('reports progress between the slices, as Incus 6.0 ends them', async () => {
    const seen: unknown[] = [];
    let reads = 0;
    const client = await clientOf((request, response) => {
      if (!request.url?.includes('/wait')) {
        reads += 1;
        const percent = reads < 3 ? 40 : 80;
        sync(response, operation('1', { metadata: { download_progress: `rootfs: ${percent}%` } }));
      } else if (reads < 3) refuse(response, 500, 'context deadline exceeded', 200);
      else sync(response, succeeded);
    });
    const onProgress = (progress: unknown) => seen.push(progress);
    await client.operations.wait('1', { timeoutSeconds: 5, onProgress });
    assert.deepEqual(seen, [
      { fraction: 0.4, text: 'rootfs: 40%' },
      { fraction: 0.8, text: 'rootfs: 80%' },
    ]);
  });

  it('says that it vanished, at once or after a slice', async () => {
    const client = await clientOf((request, response) => {
      if (request.url?.includes('/2/wait')) refuse(response, 500, 'context deadline exceeded', 200);
      else refuse(response, 404, 'Operation not found');
    });
    for (const id of ['1', '2']) {
      const outcome = await client.operations.wait(id, { timeoutSeconds: 5 });
      assert.deepEqual(outcome, { outcome: 'vanished' });
    }
  });

  it('throws what it failed of, as Incus 6.0 and newer ones say it', async () => {
    const client = await clientOf((request, response) => {
      const failure = {
        status: 'Failure',
        status_code: 400,
        err: 'The instance is already running',
      };
      if (request.url?.includes('/new/')) sync(response, operation('new', failure));
      else refuse(response, 500, 'The instance is already running', 200);
    });
    for (const id of ['old', 'new']) {
      await assert.rejects(client.operations.wait(id, { timeoutSeconds: 5 }), failsWith('busy'));
    }
  });

  it('does not take a thing that the operation missed for a vanished operation', async () => {
    const client = await clientOf((_, response) => refuse(response, 404, 'No such key', 200));
    await assert.rejects(client.operations.wait('1', { timeoutSeconds: 5 }), failsWith('failed'));
  });

  it('throws for a cancelled one', async () => {
    const cancelled = operation('1', { status: 'Cancelled', status_code: 401 });
    const client = await clientOf((_, response) => sync(response, cancelled));
    const wait = client.operations.wait('1', { timeoutSeconds: 5 });
    await assert.rejects(wait, failsWith('failed', /cancelled/));
  });

  it('ends in time, and with the caller', async () => {
    const client = await clientOf((_, response) => sync(response, operation('1')));
    const late = client.operations.wait('1', { timeoutSeconds: 0.05 });
    await assert.rejects(late, failsWith('timeout', /still running/));
    const signal = AbortSignal.timeout(50);
    const aborted = client.operations.wait('1', { timeoutSeconds: 5, signal });
    await assert.rejects(aborted, { name: 'TimeoutError' });
  });
});

describe('files', () => {
  it('are pushed with owner and mode', async () => {
    const seen: unknown[] = [];
    const client = await clientOf(async (request, response) => {
      const { 'x-incus-mode': mode, 'x-incus-type': type, 'x-incus-uid': uid } = request.headers;
      seen.push([request.url, type, mode, uid, await text(request)]);
      sync(response, null);
    });
    const owner = { uid: 0, gid: 0 };
    await client.files.push('a', '/r', { ...owner, type: 'directory', mode: 0o700 });
    await client.files.push('a', '/r/ü', { ...owner, type: 'file', mode: 0o64, content: 'x' });
    assert.deepEqual(seen, [
      ['/1.0/instances/a/files?project=p&path=%2Fr', 'directory', '0700', '0', ''],
      ['/1.0/instances/a/files?project=p&path=%2Fr%2F%C3%BC', 'file', '0064', '0', 'x'],
    ]);
  });

  it('are pulled up to a bound, and directories not at all', async () => {
    let type = 'file';
    const headers = () => ({ 'x-incus-type': type, 'x-incus-uid': '0', 'x-incus-gid': '5' });
    const client = await clientOf((_, response) =>
      response.writeHead(200, { ...headers(), 'x-incus-mode': '0640' }).end('x'.repeat(1000)),
    );
    const file = await client.files.pull('a', '/f', 1000);
    assert.deepEqual([file?.content.length, file?.mode, file?.gid], [1000, 0o640, 5]);
    await assert.rejects(
      client.files.pull('a', '/f', 999),
      failsWith('invalid', /longer than 999/),
    );
    type = 'directory';
    await assert.rejects(client.files.pull('a', '/f', 999), failsWith('invalid', /a directory/));
  });
});

describe('an image import', () => {
  const metadataPath = directory.file('meta.tar');
  const rootfsPath = directory.file('root.squashfs');
  writeFileSync(metadataPath, 'META');
  writeFileSync(rootfsPath, 'x'.repeat(1_000_000));

  it('sends the two parts in order, with their length, and counts the bytes', async () => {
    let parts: string[] = [];
    const client = await clientOf(async (request, response) => {
      const body = await text(request);
      assert.equal(request.headers['content-length'], String(body.length));
      parts = [...body.matchAll(/name="([^"]+)"; filename="([^"]+)"/g)].map(
        (m) => `${m[1]} ${m[2]}`,
      );
      response.end(JSON.stringify({ type: 'async', metadata: operation('1') }));
    });
    const counts: [number, number][] = [];
    const onProgress = (sent: number, total: number) => counts.push([sent, total]);
    await client.images.import(
      { type: 'virtual-machine', metadataPath, rootfsPath },
      { onProgress },
    );
    assert.deepEqual(parts, ['metadata meta.tar', 'rootfs.img root.squashfs']);
    const [sent, total] = counts.at(-1) ?? [];
    assert.equal(sent, total);
  });

  it('may take longer than its time-out, as long as it moves', async () => {
    const client = await clientOf((request, response) => {
      // Slow: a little, a pause, a little.
      const timer = setInterval(() => request.resume() && setTimeout(() => request.pause(), 1), 60);
      request.on('end', () => {
        clearInterval(timer);
        response.end(JSON.stringify({ type: 'async', metadata: operation('1') }));
      });
      request.pause();
    });
    const large = directory.file('large.squashfs');
    writeFileSync(large, Buffer.alloc(3_000_000));
    const files = { type: 'container', metadataPath, rootfsPath: large } as const;
    const begun = performance.now();
    await client.images.import(files, { timeoutSeconds: 0.25 });
    assert.ok(performance.now() - begun > 250);
  });

  it('ends when nothing is taken any more', async () => {
    const client = await clientOf((request) => request.pause());
    const large = directory.file('large.squashfs');
    writeFileSync(large, Buffer.alloc(8_000_000));
    const files = { type: 'container', metadataPath, rootfsPath: large } as const;
    const upload = client.images.import(files, { timeoutSeconds: 0.2 });
    await assert.rejects(upload, failsWith('timeout'));
  });

  it('refuses a file that is not there', async () => {
    const client = await clientOf((_, response) => sync(response, null));
    const files = { type: 'container', metadataPath, rootfsPath: '/none' } as const;
    await assert.rejects(client.images.import(files), failsWith('invalid', /\/none/));
  });
});

describe('reading what Incus says', () => {
  it('knows the instances of an operation, and whether it goes on', async () => {
    const resources = { instances: ['/1.0/instances/srv-1?project=p', '/1.0/instances/b'] };
    const ended = operation('2', { status_code: 200, resources: null });
    const client = await clientOf((_, response) =>
      sync(response, { running: [operation('1', { resources })], success: [ended] }),
    );
    const operations = await client.operations.list();
    assert.deepEqual(operations.map(isUnderWay), [true, false]);
    assert.deepEqual(operations.map(operationInstances), [['srv-1', 'b'], []]);
  });

  it('knows the kinds of instances that a server runs', async () => {
    let driver = 'lxc';
    const client = await clientOf((_, response) =>
      sync(response, { auth: 'trusted', environment: { driver } }),
    );
    assert.deepEqual(instanceTypes(await client.server.info()), ['container']);
    driver = 'lxc | qemu';
    assert.deepEqual(instanceTypes(await client.server.info()), ['container', 'virtual-machine']);
  });

  it('knows the image that an operation made', async () => {
    let metadata: unknown = null;
    const client = await clientOf((_, response) =>
      response.end(JSON.stringify({ type: 'async', metadata: operation('1', { metadata }) })),
    );
    const image = { server: 'https://i.example', alias: 'debian/12', type: 'container' } as const;
    assert.equal(imageFingerprint(await client.images.copy(image)), undefined);
    metadata = { fingerprint: 'abc' };
    assert.equal(imageFingerprint(await client.images.copy(image)), 'abc');
  });
});

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
