import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, type Reply, serve } from '../../../client/testing/server.ts';
import { createHome } from '../../testing/terminal.ts';

const { berth } = createHome();

const importing = json({
  ...{ os_id: 1, location_id: 2, status: 'importing', progress: 10 },
  message: 'It is downloaded.',
});

async function importImage(then: Reply, more: string[] = [], signal?: AbortSignal) {
  const { url } = await serve([importing, then]);
  const env = { BERTH_URL: url, BERTH_TOKEN: 'berth_x' };
  const args = ['image', 'import', 'debian-13', 'local', ...more];
  return await berth(args, { env, ...(signal && { signal }) });
}

test('an import whose image is removed fails', async () => {
  const { status, stderr } = await importImage(json([]));
  assert.equal(status, 5);
  assert.match(stderr, /The image of debian-13 was removed before it was imported\./);
});

test('a wait for an import ends after its timeout', async () => {
  const { status, stderr } = await importImage(json([]), ['--timeout', '0s']);
  assert.equal(status, 8);
  assert.match(stderr, /has not ended yet, and continues\. It is downloaded\.\nFollow it with /);
});

test('Ctrl-C ends the wait for an import, and says that it continues', async () => {
  const stopping = new AbortController();
  const { status, stderr } = await importImage(() => stopping.abort(), [], stopping.signal);
  assert.equal(status, 130);
  assert.equal(stderr, 'The import continues. Follow it with "berth image list debian-13".\n');
});
