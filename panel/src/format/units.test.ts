import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, counted, disk, memory, specifications } from './units.ts';

test('numbers have units that people read easily', () => {
  assert.deepEqual([memory(512), memory(1024), memory(1536)], ['512 MiB', '1 GiB', '1.5 GiB']);
  assert.deepEqual([disk(20), disk(2048)], ['20 GiB', '2 TiB']);
  assert.deepEqual(
    [bytes(0), bytes(999), bytes(734_003_200), bytes(1e12)],
    ['0 B', '999 B', '734 MB', '1 TB'],
  );
  assert.equal(specifications({ cpu: 1, ram: 2048, disk: 20 }), '1 core · 2 GiB · 20 GiB');
  assert.deepEqual([counted(1, 'server'), counted(5000, 'server')], ['1 server', '5,000 servers']);
});
