import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { clientOf, directory, failsWith, text } from './test-client.ts';
import { operation, sync } from './test-server.ts';

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
      const timer = setInterval(
        () => request.resume() && setTimeout(() => request.pause(), 1),
        200,
      );
      request.on('end', () => {
        clearInterval(timer);
        response.end(JSON.stringify({ type: 'async', metadata: operation('1') }));
      });
      request.pause();
    });
    const large = directory.file('large.squashfs');
    writeFileSync(large, Buffer.alloc(6_000_000));
    const files = { type: 'container', metadataPath, rootfsPath: large } as const;
    const begun = performance.now();
    await client.images.import(files, { timeoutSeconds: 2 });
    assert.ok(performance.now() - begun > 2000);
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
