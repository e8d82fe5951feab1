import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, problem, serve } from '../../../client/testing/server.ts';
import { createHome } from '../../testing/terminal.ts';

const { berth } = createHome();

test('operations are cancelled one by one, and what cannot be cancelled is named', async () => {
  const cancelled = { id: 7, kind: 'stop', status: 'cancelled', message: 'It was cancelled.' };
  const { url, requests } = await serve([json(cancelled), problem(409, 'not_cancellable')]);
  const env = { BERTH_URL: url, BERTH_TOKEN: 'berth_x' };
  const one = await berth(['operation', 'cancel', '7'], { env });
  assert.deepEqual([one.status, one.stdout], [0, 'Operation 7: It was cancelled.\n'], one.stderr);
  const refused = await berth(['operation', 'cancel', '8'], { env });
  assert.deepEqual([refused.status, refused.stdout], [6, ''], refused.stderr);
  assert.deepEqual(
    requests.map(({ method, url: path }) => `${method} ${path}`),
    ['POST /v1/operations/7/cancel', 'POST /v1/operations/8/cancel'],
  );
});
