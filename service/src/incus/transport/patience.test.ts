import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { CallOptions } from './api.ts';
import { EngineError } from './errors.ts';
import { askPatiently } from './patience.ts';

const never = ({ signal }: CallOptions) =>
  new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
const { signal } = new AbortController();

describe('pings until there is a response', { concurrency: true }, () => {
  it('end with the first response in time', async () => {
    let looks = 0;
    const answered = await askPatiently(async () => ++looks, signal);
    assert.deepEqual(answered, { answer: 1, isSlow: false });
    // The other two end now, and must not be sent.
    await setImmediate();
    assert.equal(looks, 1);
  });

  it('accept a late response to the first ping, and stop waiting', async () => {
    const begun: AbortSignal[] = [];
    const first = Promise.withResolvers<string>();
    const answered = askPatiently(async (options) => {
      assert.ok(options.signal);
      if (begun.push(options.signal) === 1) return await first.promise;
      // A timer may end a fraction of a millisecond early.
      setTimeout(() => first.resolve('late'), 100);
      return await never(options);
    }, signal);
    assert.deepEqual(await answered, { answer: 'late', isSlow: true });
    assert.equal(begun.length, 2);
    assert.ok(begun.every(({ aborted }) => aborted));
  });

  it('are sent three times, and then the member counts as silent, but not before 10 s', async () => {
    const at: number[] = [];
    const begun = performance.now();
    const silent = askPatiently((options) => {
      at.push(performance.now() - begun);
      return never(options);
    }, signal);
    await assert.rejects(silent, { name: 'EngineError', code: 'timeout' });
    assert.ok(performance.now() - begun >= 9900);
    assert.equal(at.length, 3);
    assert.ok(
      at.every((ms, index) => ms >= index * 3000 - 50),
      String(at),
    );
  });

  it('end at once if one is refused, or fails permanently', async () => {
    for (const error of [
      new EngineError('unreachable', 'Incus could not be reached: ECONNREFUSED'),
      new EngineError('not_found', 'Cluster member not found'),
      new TypeError('a defect of ours'),
    ]) {
      let looks = 0;
      const refused = askPatiently(async () => {
        looks += 1;
        throw error;
      }, signal);
      await assert.rejects(refused, error);
      assert.equal(looks, 1);
    }
  });

  it('continue if one is interrupted, or fails temporarily', async () => {
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    for (const error of [
      new EngineError('unreachable', 'Incus could not be reached: ECONNRESET', { cause: reset }),
      new EngineError('busy', 'database is locked'),
    ]) {
      let looks = 0;
      const { answer } = await askPatiently(async () => {
        looks += 1;
        if (looks === 1) throw error;
        return looks;
      }, signal);
      assert.equal(answer, 2);
    }
  });

  it('end with the reason of an abort', async () => {
    const stopping = new AbortController();
    const asked = askPatiently(never, stopping.signal);
    stopping.abort(new Error('stopping'));
    await assert.rejects(asked, /^Error: stopping$/);
  });
});
