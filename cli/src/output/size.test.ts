import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedIn } from '../../testing/signed-in.ts';

const { inTerminal, simulator } = await signedIn();

const size = ['--os', 'debian-12', '--cpu', '1', '--ram', '512M', '--disk', '5G'];

test('a terminal that says that it has no columns gets tables, progress and charts', async () => {
  const shown = async (...args: string[]) => {
    const session = inTerminal(args, { columns: 0 });
    const { status, stdout } = await session.ended();
    assert.equal(status, 0, stdout);
    return stdout;
  };
  simulator.setTiming({ shutdown: 700 });
  await shown('server', 'create', 'web-1', ...size, '--generate-password');
  assert.match(await shown('server', 'stop', 'web-1'), /web-1 {2}[█░]{20} +\d+ % /);
  assert.match(await shown('server', 'list'), /ID +NAME +STATUS /);
  assert.match(await shown('server', 'usage', 'web-1'), /CPU/);
  assert.match(await shown('top', '--once'), /1 server,/);
  assert.match(await shown('server', 'create', '--help'), /^Usage: berth server create /);
});

test('a terminal that loses its size while it is resized keeps the usual one', async () => {
  const stopping = new AbortController();
  const live = inTerminal(['top', '--interval', '1s'], { signal: stopping.signal });
  await live.sees('web-1');
  live.resize(0, 0);
  await live.sees('web-1');
  stopping.abort();
  assert.equal((await live.ended()).status, 130);
});
