import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createIncusClient, type IncusClient } from '../incus/client.ts';
import { EngineError } from '../incus/transport/errors.ts';
import {
  ensureImage,
  ImageServerNotAllowed,
  ImageServerUnreachable,
  imageAlias,
} from './images.ts';
import { type ImageServer, startImageServer } from './simplestreams-test-server.ts';

const socketPath = process.env.BERTH_TEST_INCUS_SOCKET ?? '';
const skip = socketPath ? false : 'BERTH_TEST_INCUS_SOCKET names no Incus to test with';

describe('images in a real Incus', { skip }, () => {
  const project = `berth-test-${randomUUID().slice(0, 8)}`;
  const signal = new AbortController().signal;
  let folder: string;
  let incus: IncusClient;
  let server: ImageServer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-images-'));
    incus = createIncusClient({ socketPath, project });
    await incus.projects.create({ name: project, description: '', config: {} });
    server = await startImageServer(folder);
  });

  after(async () => {
    await server.close();
    const found = await incus.images.getAlias(imageAlias('tiny'));
    if (found) {
      const deleting = await incus.images.delete(found.target);
      await incus.operations.wait(deleting.id, { timeoutSeconds: 30 });
    }
    await incus.projects.delete(project);
    await incus.close();
    await rm(folder, { recursive: true });
  });

  function request(slug: string, url: string, alias = 'tiny/1/cloud') {
    const source = { server: url, alias, certificate: server.certificate };
    const os = { slug, name: 'Tiny', type: 'container' as const, source };
    const directories = { work: join(folder, 'work') };
    return { incus, os, imageServers: [url], directories, onProgress: () => {}, signal };
  }

  test('an image is downloaded once, however many concurrent requests there are', async () => {
    const asked = [1, 2, 3].map(() => ensureImage(request('tiny', server.url)));
    const fingerprints = new Set((await Promise.all(asked)).map((image) => image.fingerprint));
    assert.equal(fingerprints.size, 1);
    assert.equal(server.requests.filter((path) => path === '/rootfs.squashfs').length, 1);
  });

  test('an existing image needs no server', async () => {
    const { fingerprint } = await ensureImage(request('tiny', 'https://127.0.0.1:1'));
    assert.ok(await incus.images.get(fingerprint));
  });

  test('an image is not requested from a server that is not on the list, however its URL is written', async () => {
    const { port } = new URL(server.url);
    for (const url of [server.url, `${server.url}/other`, `https://user@127.0.0.1:${port}`]) {
      const asked = { ...request('unlisted', url), imageServers: ['https://127.0.0.1:1'] };
      const before = server.requests.length;
      await assert.rejects(ensureImage(asked), (error) => {
        assert.ok(error instanceof ImageServerNotAllowed);
        assert.match(error.message, /BERTH_IMAGE_SERVERS/);
        return !error.retryable;
      });
      assert.equal(server.requests.length, before);
    }
  });

  test('a server without the image is a permanent error', async () => {
    await assert.rejects(ensureImage(request('none', server.url, 'none/1')), (error) => {
      assert.ok(error instanceof EngineError);
      assert.match(error.message, /127\.0\.0\.1:\d+ has no image none\/1/);
      return !error.retryable;
    });
  });

  test('a server that refuses requests is named in the error', async () => {
    await assert.rejects(ensureImage(request('refused', 'https://127.0.0.1:1')), (error) => {
      assert.ok(error instanceof ImageServerUnreachable);
      return error.host === '127.0.0.1:1';
    });
  });

  test('a server that never answers is named in the error, after a limited time', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const sockets: import('node:net').Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    const { port } = silent.address() as AddressInfo;
    const asking = ensureImage({
      ...request('silent', `https://127.0.0.1:${port}`),
      stallSeconds: 1,
    });
    await assert.rejects(asking, (error) => {
      assert.ok(error instanceof ImageServerUnreachable);
      return error.host === `127.0.0.1:${port}` && /nothing for 1 s/.test(error.message);
    });
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test('an aborted build leaves no files behind', async () => {
    const abort = new AbortController();
    const directories = { work: join(folder, 'build') };
    const os = {
      ...request('built', '').os,
      source: { build: 'debian-12' as const },
    };
    const onProgress = (fraction: number) => fraction > 0 && abort.abort(new Error('enough'));
    await assert.rejects(
      ensureImage({ incus, os, imageServers: [], directories, onProgress, signal: abort.signal }),
      /enough/,
    );
    assert.deepEqual(await readdir(directories.work), []);
  });
});
