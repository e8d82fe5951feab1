import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

/** A process that takes a turn, prints that, and holds it until it is killed. */
function takerOf(name: string) {
  const module = new URL('turn.ts', import.meta.url).href;
  const script = `import { takeTurn } from '${module}';
    await takeTurn('${name}', (text) => console.log(text));
    // The benchmarks of one run use the same environment, one after the other.
    await takeTurn('${name}', () => process.abort());
    console.log('mine');
    setInterval(() => undefined, 1000);`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('a second process waits, names the first one, and continues when that has ended', async () => {
  const name = `test ${process.pid}`;
  const first = takerOf(name);
  const second = takerOf(name);
  try {
    const began = [first, second].map(async (taker) => ({
      taker,
      said: String((await once(taker.stdout, 'data'))[0]).trim(),
    }));
    const outcomes = await Promise.all(began);
    const holder = outcomes.find(({ said }) => said === 'mine');
    const waiting = outcomes.find(({ said }) => said !== 'mine');
    assert.ok(holder && waiting, JSON.stringify(outcomes.map(({ said }) => said)));
    assert.equal(
      waiting.said,
      `Waiting for the process ${holder.taker.pid} in ${process.cwd()}, which uses ${name}`,
    );
    holder.taker.kill('SIGKILL');
    const [next] = await once(waiting.taker.stdout, 'data');
    assert.equal(String(next).trim(), 'mine');
  } finally {
    first.kill('SIGKILL');
    second.kill('SIGKILL');
  }
});
