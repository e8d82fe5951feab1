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
