import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, until } from './until.ts';

test('it returns what it waited for', async () => {
  let looks = 0;
  const look = () => {
    looks += 1;
    return looks;
  };
  assert.equal(await until('it was checked', look), 1);
  assert.equal(await until('the third look', look, (seen) => seen === 3), 3);
});

test('it says what it waited for and what it saw last', async () => {
  const look = async () => ({ status: 'started' });
  await assert.rejects(
    until('it is stopped', look, ({ status }) => status === 'stopped', 0.1),
    { message: "Waited 0.1 s in vain until it is stopped. Last seen: { status: 'started' }" },
  );
});

test('an error ends it', async () => {
  const broken = () => Promise.reject(new Error('broken'));
  await assert.rejects(until('it is complete', broken), /^Error: broken$/);
});

test('a check is repeated until it throws nothing', async () => {
  let looks = 0;
  const check = () => {
    looks += 1;
    assert.equal(looks, 3, 'the third look');
    return looks;
  };
  assert.equal(await eventually(check), 3);
});

test('the error of a check that never holds has its last error', async () => {
  const check = async () => assert.equal('started', 'stopped', 'it is started');
  await assert.rejects(
    eventually(check, 0.1),
    /^Error: Waited 0\.1 s in vain\. Last seen: it is started\n.*'started'\n.*'stopped'/s,
  );
});
