import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientOf, failsWith } from './test-client.ts';
import { operation, refuse, sync } from './test-server.ts';

describe('waiting for an operation', () => {
  const succeeded = operation('1', { status: 'Success', status_code: 200 });

  it('ends with the operation', async () => {
    const client = await clientOf((_, response) => sync(response, succeeded));
    const outcome = await client.operations.wait('1', { timeoutSeconds: 30 });
    assert.deepEqual(outcome, { outcome: 'succeeded', operation: succeeded });
  });

  it('reports progress between the slices, as Incus 6.0 ends them', async () => {
    const seen: unknown[] = [];
    let reads = 0;
    const client = await clientOf((request, response) => {
      if (!request.url?.includes('/wait')) {
        reads += 1;
        const percent = reads < 3 ? 40 : 80;
        sync(response, operation('1', { metadata: { download_progress: `rootfs: ${percent}%` } }));
      } else if (reads < 3) refuse(response, 500, 'context deadline exceeded', 200);
      else sync(response, succeeded);
    });
    const onProgress = (progress: unknown) => seen.push(progress);
    await client.operations.wait('1', { timeoutSeconds: 30, onProgress });
    assert.deepEqual(seen, [
      { fraction: 0.4, text: 'rootfs: 40%' },
      { fraction: 0.8, text: 'rootfs: 80%' },
    ]);
  });

  it('returns that the operation vanished, at once or after a slice', async () => {
    const client = await clientOf((request, response) => {
      if (request.url?.includes('/2/wait')) refuse(response, 500, 'context deadline exceeded', 200);
      else refuse(response, 404, 'Operation not found');
    });
    for (const id of ['1', '2']) {
      const outcome = await client.operations.wait(id, { timeoutSeconds: 30 });
      assert.deepEqual(outcome, { outcome: 'vanished' });
    }
  });

  it('throws the error of the operation, in the formats of Incus 6.0 and later', async () => {
    const client = await clientOf((request, response) => {
      const failure = {
        status: 'Failure',
        status_code: 400,
        err: 'The instance is already running',
      };
      if (request.url?.includes('/new/')) sync(response, operation('new', failure));
      else refuse(response, 500, 'The instance is already running', 200);
    });
    for (const id of ['old', 'new']) {
      await assert.rejects(client.operations.wait(id, { timeoutSeconds: 30 }), failsWith('busy'));
    }
  });

  it('does not confuse an object that the operation did not find with a vanished operation', async () => {
    const client = await clientOf((_, response) => refuse(response, 404, 'No such key', 200));
    await assert.rejects(client.operations.wait('1', { timeoutSeconds: 30 }), failsWith('failed'));
  });

  it('throws for a cancelled operation', async () => {
    const cancelled = operation('1', { status: 'Cancelled', status_code: 401 });
    const client = await clientOf((_, response) => sync(response, cancelled));
    const wait = client.operations.wait('1', { timeoutSeconds: 30 });
    await assert.rejects(wait, failsWith('failed', /cancelled/));
  });

  it('ends at its timeout, and when the caller aborts', async () => {
    const client = await clientOf((_, response) => sync(response, operation('1')));
    const late = client.operations.wait('1', { timeoutSeconds: 0.05 });
    await assert.rejects(late, failsWith('timeout', /still running/));
    const signal = AbortSignal.timeout(50);
    const aborted = client.operations.wait('1', { timeoutSeconds: 30, signal });
    await assert.rejects(aborted, { name: 'TimeoutError' });
  });
});
