import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SetupError } from '../../setup/commands.mjs';
import { loadConfig } from './config.ts';

/** That each of these is refused, naming the variable and what was given. */
function refuses(name: string, values: string[]): void {
  for (const value of values) {
    const refusal = (error: unknown) =>
      error instanceof SetupError && error.message.includes(name) && error.message.includes(value);
    assert.throws(() => loadConfig({ [name]: value }), refusal, `${name}=${value}`);
  }
}

test('limits are those of the contract unless others are set', () => {
  assert.deepEqual(loadConfig({}).limits, {
    reads: { perSecond: 100, burst: 200 },
    actions: { perSecond: 5, burst: 20 },
    failures: { perSecond: 10 / 60, burst: 20 },
  });
  const { limits } = loadConfig({ BERTH_LIMIT_READS: '1/1', BERTH_LIMIT_BAD_TOKENS: '60/7' });
  assert.deepEqual(limits.reads, { perSecond: 1, burst: 1 });
  assert.deepEqual(limits.failures, { perSecond: 1, burst: 7 });
});

test('a limit that is none is refused in words', () => {
  const bad = ['', '5', '5/', '/5', '0/5', '5/0', '1.5/2', '-1/2', '5/1000001', '5/20/3', '5 / 20'];
  for (const name of ['BERTH_LIMIT_READS', 'BERTH_LIMIT_ACTIONS', 'BERTH_LIMIT_BAD_TOKENS']) {
    refuses(name, bad);
  }
});
