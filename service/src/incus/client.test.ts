import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { imageFingerprint } from './images.ts';
import { isUnderWay, operationInstances } from './operations.ts';
import { cleanUpWith, clientOf, connect, directory, failsWith, text } from './test-client.ts';
import { operation, refuse, sync } from './test-server.ts';
import { instanceTypes } from './transport/server.ts';

describe('a call over the unix socket', () => {
  it('is sent with its project, and returns the metadata', async () => {
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

  it('never requests a graceful stop with a timeout of 0 s, which Incus treats as a forced one', async () => {
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

  it('returns null for a 404, or throws an error if the object is required', async () => {
    const client = await clientOf((_, response) => refuse(response, 404, 'Instance not found'));
    assert.equal(await client.instances.get('a'), null);
    assert.equal(await client.images.getAlias('a'), null);
    assert.equal(await client.files.pull('a', '/x', 10), null);
    await assert.rejects(client.instances.delete('a'), failsWith('not_found'));
  });

  it('throws an error in the body of a 200', async () => {
    const client = await clientOf((_, response) => refuse(response, 409, 'Taken', 200));
    const project = { name: 'p', description: '', config: {} };
    await assert.rejects(client.projects.create(project), failsWith('already_exists', /Taken/));
  });

  it('refuses a response of the wrong type', async () => {
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

  it('treats null as an empty list', async () => {
    const client = await clientOf((_, response) => sync(response, null));
    assert.deepEqual(await client.instances.list(), []);
    assert.deepEqual(await client.operations.list(), []);
    assert.deepEqual(await client.storage.listVolumes('p'), []);
  });

  it('limits the length of the state of an instance', async () => {
    let interfaces = 100;
    const client = await clientOf((_, response) => {
      const nic = { addresses: [], counters: {}, hwaddr: '', host_name: 'x'.repeat(400) };
      const names = Array.from({ length: interfaces }, (_, at) => `veth${at}`);
      const network = Object.fromEntries(names.map((name) => [name, nic]));
      sync(response, { status: 'Running', network });
    });
    assert.equal((await client.instances.getState('a'))?.status, 'Running');
    interfaces = 5000;
    const tooLong = failsWith('invalid', /state of a, .*interfaces.* is longer than 1048576 bytes/);
    await assert.rejects(client.instances.getState('a'), tooLong);
  });

  it('reads the usage of an instance with any number and names of interfaces', async () => {
    const client = await clientOf((_, response) => {
      const nic = { addresses: [], counters: {}, hwaddr: '', host_name: 'x'.repeat(400) };
      const names = ['cpu', 'memory', '"cpu":{"usage":1,', '"memory":{"usage":1}'];
      const many = Array.from({ length: 5000 }, (_, at) => `veth${at}`);
      const network = Object.fromEntries([...names, ...many].map((name) => [name, nic]));
      const memory = { usage: 5_000_000, usage_peak: 7 };
      sync(response, { status: 'Running', network, memory, pid: 1, cpu: { usage: 2_500_000_000 } });
    });
    assert.deepEqual(await client.instances.getUse('a'), { cpuSeconds: 2.5, memoryBytes: 5e6 });
  });

  it('reads the complete values of a truncated state, but not the missing ones', async () => {
    const halves = ['{"metadata":{"memory":{"usage":', '12', '34,"x":0},"cpu":{"usa', 'ge":'];
    const client = await clientOf(async (_, response) => {
      for (const half of halves) {
        response.write(half);
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const told = await client.instances.getUse('a');
    assert.deepEqual(told, { cpuSeconds: null, memoryBytes: 1234 });
  });

  it('reads metrics as text', async () => {
    const client = await clientOf((request, response) => response.end(`# ${request.url}`));
    const read = await client.server.metrics('m1', text);
    assert.equal(read, '# /1.0/metrics?project=p&target=m1');
  });
});

describe('an outage', () => {
  it('is unreachable if nobody listens', async () => {
    const socketPath = directory.file('none.socket');
    const client = connect({ socketPath, project: 'p' });
    await assert.rejects(client.server.info(), failsWith('unreachable', /ENOENT/, socketPath));
  });

  it('is unreachable if the connection breaks before or within the response', async () => {
    const client = await clientOf((request, response) => {
      if (request.url?.startsWith('/1.0/projects') === true) response.writeHead(200).write('{"ty');
      setTimeout(() => request.socket.destroy(), 20);
    });
    await assert.rejects(client.instances.list(), failsWith('unreachable'));
    await assert.rejects(client.projects.get('x'), failsWith('unreachable'));
  });

  it('is failed if the server does not speak HTTP', async () => {
    const socketPath = directory.file('other.socket');
    const server = createServer((socket) => socket.end('SSH-2.0\r\n\r\n')).listen(socketPath);
    cleanUpWith(() => server.close());
    const client = connect({ socketPath, project: 'p' });
    await assert.rejects(client.server.info(), failsWith('failed', /does not speak HTTP/));
  });
});

describe('the timeout of a call', () => {
  it('applies before a response', async () => {
    const client = await clientOf(() => {}, 0.1);
    const message = /GET \/1\.0\/instances: no answer within 0\.1 s/;
    await assert.rejects(client.instances.list(), failsWith('timeout', message));
  });

  it('applies within a response', async () => {
    const client = await clientOf((_, response) => response.writeHead(200).write('{"type"'), 0.1);
    await assert.rejects(client.instances.list(), failsWith('timeout'));
  });

  it('can be set for one call', async () => {
    const client = await clientOf(() => {}, 60);
    await assert.rejects(client.instances.list({ timeoutSeconds: 0.05 }), failsWith('timeout'));
  });

  it('can be preceded by an abort, whose reason is thrown', async () => {
    const client = await clientOf(() => {});
    const controller = new AbortController();
    const call = client.instances.list({ signal: controller.signal });
    setTimeout(() => controller.abort(new Error('lease lost')), 20);
    await assert.rejects(call, /^Error: lease lost$/);
    await assert.rejects(client.instances.list({ signal: controller.signal }), /lease lost/);
  });
});

describe('parsing the objects of Incus', () => {
  it('finds the instances of an operation, and whether it is still running', async () => {
    const resources = { instances: ['/1.0/instances/srv-1?project=p', '/1.0/instances/b'] };
    const ended = operation('2', { status_code: 200, resources: null });
    const client = await clientOf((_, response) =>
      sync(response, { running: [operation('1', { resources })], success: [ended] }),
    );
    const operations = await client.operations.list();
    assert.deepEqual(operations.map(isUnderWay), [true, false]);
    assert.deepEqual(operations.map(operationInstances), [['srv-1', 'b'], []]);
  });

  it('finds the types of instances that a server can run', async () => {
    let driver = 'lxc';
    const client = await clientOf((_, response) =>
      sync(response, { auth: 'trusted', environment: { driver } }),
    );
    assert.deepEqual(instanceTypes(await client.server.info()), ['container']);
    driver = 'lxc | qemu';
    assert.deepEqual(instanceTypes(await client.server.info()), ['container', 'virtual-machine']);
  });

  it('finds the image that an operation created', async () => {
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
