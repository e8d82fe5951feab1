import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { failsWith } from './assertions.ts';
import { follow } from './follow.ts';
import { createInstance, powerCut, start } from './guests.ts';
import { until, useTarget } from './target.ts';

const target = useTarget();
let name: string;
/** Of no password that anybody knows. */
const hash = '$6$contract$canary7f3d9a';

const run = (command: string[], input = '', timeoutSeconds = 30) =>
  target.client.exec.run(name, command, input, { timeoutSeconds });

const shadow = async () => await target.client.files.pull(name, '/etc/shadow', 100_000);

async function contentOf(path: string): Promise<string | undefined> {
  return (await target.client.files.pull(name, path, 1000))?.content.toString();
}

describe('a program in an instance', () => {
  before(async () => {
    ({ name } = await createInstance(target, 'exec'));
  });

  it('is not run unless the instance is running', async () => {
    await assert.rejects(run(['true']), failsWith('busy', /^Instance is not running$/));
  });

  it('returns its exit status, and 127 if there is none of that name', async () => {
    await start(target, name);
    assert.equal(await run(['true']), 0);
    assert.equal(await run(['false']), 1);
    assert.equal(await run(['no-such-program']), 127);
  });

  it('reads its input to the end', async () => {
    // It prints less than the 64 KiB after which a program is killed.
    assert.equal(await run(['cat'], 'x'.repeat(60_000)), 0);
    assert.equal(await run(['cat']), 0);
  });

  it('is run as root, with its arguments as they are', async () => {
    assert.equal(await run(['/bin/sh', '-c', 'exit 3']), 3);
    assert.equal(await run(['/bin/sh', '-c', 'echo written > /root/written']), 0);
    assert.equal(await contentOf('/root/written'), 'written\n');
  });

  it('sets the password of root, whose hash is in no event and no operation', async () => {
    const before = await shadow();
    const events = await follow(target);
    assert.equal(await run(['chpasswd', '-e'], `root:${hash}\n`), 0);
    const after = await shadow();
    assert.match(after?.content.toString() ?? '', /^root:\$6\$contract\$canary7f3d9a:\d+:/m);
    assert.deepEqual([after?.uid, after?.mode], [before?.uid, before?.mode]);
    const seen = await until('its end', 30, () => {
      const text = JSON.stringify(events);
      return /"return":0/.test(text) && text;
    });
    assert.match(seen, /"command":\["chpasswd","-e"\]/);
    assert.doesNotMatch(seen, /canary7f3d9a/);
    assert.doesNotMatch(JSON.stringify(await target.client.operations.list()), /canary7f3d9a/);
    assert.doesNotMatch(JSON.stringify(await target.client.instances.get(name)), /canary7f3d9a/);
  });

  it('can change the host name, which the guest otherwise reads at its start', async () => {
    const { files } = target.client;
    const file = { type: 'file', uid: 0, gid: 0, mode: 0o644 } as const;
    const shown = async () => {
      await run(['/bin/sh', '-c', 'hostname > /root/shown']);
      return await contentOf('/root/shown');
    };
    assert.equal(await run(['hostname', 'changed']), 0);
    assert.equal(await shown(), 'changed\n');
    await powerCut(target, name);
    await files.push(name, '/etc/hostname', { ...file, content: 'written\n' });
    await start(target, name);
    await until('it has the name of its file', 60, async () => (await shown()) === 'written\n');
  });

  it('that takes too long is killed', async () => {
    await assert.rejects(run(['sleep', '600'], '', 1), failsWith('timeout', /still running/));
    await until('it is killed', 30, async () => {
      const operations = await target.client.operations.list();
      return !operations.some(
        ({ description, status }) => description === 'Executing command' && status === 'Running',
      );
    });
  });

  it('that prints without an end is killed', async () => {
    assert.notEqual(await run(['yes']), 0);
  });

  it('is not run while the instance is frozen', async () => {
    await target.administrator.freeze(name);
    await assert.rejects(run(['true']), failsWith('invalid', /^Instance is frozen$/));
    await powerCut(target, name);
  });
});
