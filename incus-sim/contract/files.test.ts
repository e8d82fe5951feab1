import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { failsWith } from './assertions.ts';
import { createInstance, start } from './guests.ts';
import { useTarget } from './target.ts';

const target = useTarget();
let name = '';

const owner = { uid: 0, gid: 0 };
const file = (content: string, mode = 0o600) => ({
  ...owner,
  mode,
  type: 'file' as const,
  content,
});
const folder = (mode: number) => ({ ...owner, mode, type: 'directory' as const });

describe('files in an instance', () => {
  before(async () => {
    ({ name } = await createInstance(target, 'files'));
  });

  const pull = (path: string) => target.client.files.pull(name, path, 1000);

  it('can be read as they were pushed, with owner and mode', async () => {
    const { files } = target.client;
    await files.push(name, '/srv/own', folder(0o700));
    const pushed = { ...file('hello', 0o640), uid: 5, gid: 7 };
    await files.push(name, '/srv/own/ü a', pushed);
    const pulled = await pull('/srv/own/ü a');
    assert.ok(pulled);
    const { uid, gid, mode, content } = pulled;
    assert.deepEqual([uid, gid, mode, content.toString()], [5, 7, 0o640, 'hello']);
  });

  it('keep owner and mode when they are pushed again', async () => {
    const { files } = target.client;
    await files.push(name, '/srv/again', { ...file('long', 0o640), uid: 5 });
    await files.push(name, '/srv/again', file('x', 0o600));
    const pulled = await pull('/srv/again');
    assert.deepEqual([pulled?.uid, pulled?.mode, pulled?.content.toString()], [5, 0o640, 'x']);
  });

  it('need a parent', async () => {
    const { files } = target.client;
    const missing = failsWith('not_found', /^Not Found$/);
    await assert.rejects(files.push(name, '/srv/none/f', file('x')), missing);
    await assert.rejects(files.push(name, '/srv/none/d', folder(0o700)), missing);
  });

  it('are not created in the place of a directory, and an existing directory is not changed', async () => {
    const { files } = target.client;
    await files.push(name, '/srv/folder', folder(0o700));
    await files.push(name, '/srv/folder', folder(0o755));
    const overIt = files.push(name, '/srv/folder', file('x'));
    await assert.rejects(overIt, failsWith('failed', /is a directory/));
    await assert.rejects(pull('/srv/folder'), failsWith('invalid', /is a directory/));
  });

  it('that do not exist are null, and a path below a file is an error', async () => {
    const { files } = target.client;
    assert.equal(await pull('/srv/nothing'), null);
    assert.equal(await pull('/srv/nothing/at/all'), null);
    await files.push(name, '/srv/plain', file('x'));
    // A HEAD request: its response has no message.
    await assert.rejects(pull('/srv/plain/below'), failsWith('failed', /HTTP 500/));
  });

  it('are pulled up to a limit, with their length', async () => {
    const { files } = target.client;
    await files.push(name, '/srv/long', file('x'.repeat(2000)));
    await assert.rejects(pull('/srv/long'), failsWith('invalid', /longer than 1000/));
    assert.equal(await files.size(name, '/srv/long'), 2000);
    assert.equal(await files.size(name, '/srv/nothing'), null);
  });

  it('are deleted, directories only if they are empty', async () => {
    const { files } = target.client;
    await files.push(name, '/srv/full', folder(0o700));
    await files.push(name, '/srv/full/f', file('x'));
    await assert.rejects(files.delete(name, '/srv/full'), failsWith('failed', /not empty/));
    await files.delete(name, '/srv/full/f');
    await files.delete(name, '/srv/full');
    assert.equal(await pull('/srv/full/f'), null);
    await assert.rejects(files.delete(name, '/srv/full'), failsWith('not_found', /^Not Found$/));
  });

  it('that are links are not followed', async () => {
    await assert.rejects(pull('/etc/mtab'), failsWith('invalid', /is a symlink/));
  });

  it('can be accessed while it runs, too', async () => {
    await start(target, name);
    await target.client.files.push(name, '/srv/running', file('x'));
    assert.equal((await pull('/srv/running'))?.content.toString(), 'x');
  });
});
