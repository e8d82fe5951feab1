import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { everLonger } from '../testing/ever-longer.ts';
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

  it('may take longer than the timeout if it makes progress', async () => {
    const [sliceBytes, bytes] = [65_536, 8_000_000];
    const most = Math.floor(bytes / sliceBytes);
    const large = directory.file('large.squashfs');
    writeFileSync(large, Buffer.alloc(bytes));
    const files = { type: 'container', metadataPath, rootfsPath: large } as const;
    // A busy machine may make no progress for as long as the timeout.
    await everLonger(async (timeoutSeconds) => {
      // The body is read in slices, which together take longer than the timeout.
      const everyMs = (timeoutSeconds * 1500) / most;
      let slices = 0;
      const client = await clientOf((request, response) => {
        const timer = setInterval(() => {
          if (request.read(sliceBytes) !== null) slices += 1;
          // The rest is less than a slice.
          else if (slices === most) request.resume();
        }, everyMs);
        request.on('close', () => clearInterval(timer));
        request.on('end', () => {
          response.end(JSON.stringify({ type: 'async', metadata: operation('1') }));
        });
      });
      const begin = performance.now();
      await client.images.import(files, { timeoutSeconds });
      assert.ok(slices >= most);
      assert.ok(performance.now() - begin > timeoutSeconds * 1000);
    });
  });

  it('is aborted if the server accepts no more data', async () => {
    const client = await clientOf((request) => request.pause());
    const large = directory.file('large.squashfs');
    writeFileSync(large, Buffer.alloc(8_000_000));
    const files = { type: 'container', metadataPath, rootfsPath: large } as const;
    const upload = client.images.import(files, { timeoutSeconds: 0.2 });
    await assert.rejects(upload, failsWith('timeout'));
  });

  it('refuses a file that does not exist', async () => {
    const client = await clientOf((_, response) => sync(response, null));
    const files = { type: 'container', metadataPath, rootfsPath: '/none' } as const;
    await assert.rejects(client.images.import(files), failsWith('invalid', /\/none/));
  });
});
