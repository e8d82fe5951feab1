import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptLog } from '../../testing/canaries.ts';
import type { LocationSubject } from './subject.ts';
import { engineVulnerabilities } from './upkeep.ts';

test('vulnerabilities are logged once in a process for each location, also when it is watched again', async () => {
  const { log, lines } = keptLog();
  const toldVulnerabilities = new Map();
  const client = { server: { info: async () => ({ environment: { server_version: '6.0.4' } }) } };
  const look = async (id: number, name: string) => {
    // A process that leads again makes a new subject.
    const subject = { client, location: { id, name }, log, watching: { toldVulnerabilities } };
    const context = { signal: AbortSignal.timeout(60_000), trigger() {}, recordFailure() {} };
    await engineVulnerabilities.run(subject as unknown as LocationSubject, '', context);
  };
  for (const _ of [1, 2]) await look(1, 'first');
  await look(2, 'second');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).location),
    ['first', 'second'],
  );
});
