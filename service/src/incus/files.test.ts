import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientOf, failsWith, text } from './test-client.ts';
import { sync } from './test-server.ts';

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

  /** Creates a server with one file, which records the methods of its requests. */
  async function serverOf(type: string, told: number | undefined, content: string) {
    const asked: (string | undefined)[] = [];
    const owner = { 'x-incus-uid': '0', 'x-incus-gid': '5', 'x-incus-mode': '0640' };
    const client = await clientOf((request, response) => {
      asked.push(request.method);
      const isLook = request.method === 'HEAD' && told !== undefined;
      const length = isLook ? { 'content-length': String(told) } : {};
      response.writeHead(200, { 'x-incus-type': type, ...owner, ...length });
      response.end(request.method === 'HEAD' ? undefined : content);
    });
    const pull = (maxBytes: number) => client.files.pull('a', '/f', maxBytes);
    return { asked, pull, size: () => client.files.size('a', '/f') };
  }

  it('are read up to a maximum length', async () => {
    const content = 'x'.repeat(1000);
    const { pull, asked } = await serverOf('file', 1000, content);
    const file = await pull(1000);
    assert.deepEqual([file?.content.length, file?.mode, file?.gid], [1000, 0o640, 5]);
    await assert.rejects(pull(999), failsWith('invalid', /longer than 999/));
    assert.deepEqual(asked, ['HEAD', 'GET', 'HEAD'], 'a file that is too long is not opened');
    const grows = await serverOf('file', 10, content);
    await assert.rejects(grows.pull(999), failsWith('invalid', /longer than 999/));
    const untold = await serverOf('file', undefined, content);
    assert.equal((await untold.pull(1000))?.content.length, 1000);
  });

  it('that look empty are never opened, because they may be a FIFO', async () => {
    const { pull, asked } = await serverOf('file', 0, 'endless');
    assert.equal((await pull(1000))?.content.length, 0);
    assert.deepEqual(asked, ['HEAD']);
  });

  it('report their length without being opened, regardless of their type', async () => {
    for (const [type, told, length] of [
      ['file', 12, 12],
      ['file', 0, 0],
      ['directory', undefined, 0],
    ] as const) {
      const { size, asked } = await serverOf(type, told, 'x'.repeat(12));
      assert.equal(await size(), length);
      assert.deepEqual(asked, ['HEAD']);
    }
    const without = await clientOf((_, response) => response.writeHead(404).end());
    assert.equal(await without.files.size('a', '/f'), null);
    const broken = await clientOf((_, response) => response.writeHead(500).end());
    await assert.rejects(broken.files.size('a', '/f'), failsWith('failed', /HTTP 500/));
  });

  it('are refused without being opened if they are directories or links', async () => {
    for (const type of ['directory', 'symlink']) {
      const { pull, asked } = await serverOf(type, undefined, 'x');
      await assert.rejects(pull(999), failsWith('invalid', new RegExp(`a ${type}`)));
      assert.deepEqual(asked, ['HEAD']);
    }
  });
});
