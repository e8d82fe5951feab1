import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../../incus/test-client.ts';
import type { ServerStepContext } from '../define-operation.ts';
import { reportChanges } from './guest-report.ts';

const server = { uuid: '00000000-0000-4000-8000-000000000001' };

/** A guest whose report has these lengths in successive polls; the last one is repeated. */
async function guestOf(...lengths: (number | null)[]) {
  let polls = 0;
  const incus = await clientOf((request, response) => {
    assert.equal(request.method, 'HEAD');
    const length = lengths[Math.min(polls, lengths.length - 1)] ?? null;
    polls += 1;
    const headers = { 'x-incus-type': 'file', 'content-length': String(length) };
    response.writeHead(length === null ? 404 : 200, length === null ? {} : headers).end();
  });
  const abort = new AbortController();
  const context = { incus, server, signal: abort.signal } as Pick<
    ServerStepContext<unknown>,
    'incus' | 'server' | 'signal'
  >;
  return { context, abort, polls: () => polls };
}

test('a guest is watched until it reports', async () => {
  const { context, polls } = await guestOf(null, null, 14);
  await reportChanges(context, null);
  assert.equal(polls(), 3);
});

test('a guest is watched until its report is another one', async () => {
  const { context, polls } = await guestOf(14, 14, 14, 22);
  await reportChanges(context, 14);
  assert.equal(polls(), 4);
});

test('a guest that reports nothing new is watched for a limited time', async () => {
  const { context, polls } = await guestOf(14);
  await reportChanges(context, 14);
  assert.ok(polls() > 1);
});

test('watching ends when the lease is lost', async () => {
  const { context, abort, polls } = await guestOf(14);
  abort.abort();
  await reportChanges(context, 14);
  assert.equal(polls(), 0);
});
