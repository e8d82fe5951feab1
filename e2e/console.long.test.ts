import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Console } from '@berth/contract/consoles';
import { eventually } from '../service/src/testing/until.ts';
import { call, created, password, remove, untilIdle } from './api.ts';
import { openTerminal } from './console.ts';

// Tests the console of a real guest.

const printed = 100_000_000;

async function open(id: number) {
  const answer = await call<Console>('POST', `/v1/servers/${id}/console`);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return await openTerminal(answer.body.url);
}

test('the console of a guest shows its login prompt, and what is typed', async (t) => {
  const { id } = await created();
  await using terminal = await open(id);
  await terminal.shows(/login: $/);
  await terminal.logIn(password);
  terminal.resize(132, 50);
  // The size goes another way than what is typed. Each terminal on the way adds a carriage return.
  await eventually(async () => {
    terminal.type('stty size\r');
    await terminal.shows(/[\r\n]50 132\r+\n.*[#$] $/s, 3);
  });
  terminal.type('tty; echo "it is $((6 * 7))"\r');
  assert.match(await terminal.shows(/[\r\n]it is 42\r+\n.*[#$] $/s), /\/dev\/console|\/dev\/pts/);

  const times = (await terminal.echoes(200)).toSorted((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(1);
  t.diagnostic(`From a key to its echo: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms.`);
  const began = performance.now();
  assert.ok((await terminal.flood(printed)) >= printed);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  t.diagnostic(`${printed / 1e6} MB of output: ${seconds} s.`);

  {
    await using beside = await open(id);
    await beside.shows(/[#$] $/);
    terminal.type('echo seen-by-both\r');
    await beside.shows(/[\r\n]seen-by-both\r+\n/);
  }

  await call('POST', `/v1/servers/${id}/restart`);
  assert.equal((await terminal.closed).code, 1000);
  await untilIdle(id);
  await using again = await open(id);
  await again.shows(/login: $/);
  await Promise.all([again.closed, remove(id)]);
  assert.equal((await again.closed).code, 4404);
});
