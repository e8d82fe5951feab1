import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BerthError, UnexpectedResponseError } from '@berth/client';
import { exitStatuses } from '../exit-statuses.ts';
import { explain } from './explain.ts';

test('what something other than Berth answers does not say that a name does not exist', () => {
  const ofProxy = new UnexpectedResponseError('unexpected_response', 'A page.', { status: 404 });
  assert.equal(explain(ofProxy)?.status, exitStatuses.unreachable);
  const ofBerth = new BerthError('server_not_found', 'There is none.', { status: 404 });
  assert.equal(explain(ofBerth)?.status, exitStatuses.not_found);
});

test('a service that is failing or that wants fewer requests has the same exit status', () => {
  for (const status of [429, 500, 502, 503, 504]) {
    const error = new BerthError('internal_error', 'It failed.', { status });
    assert.equal(explain(error)?.status, exitStatuses.unreachable, String(status));
  }
});

test('the IDs of an ambiguous name are listed once, with more about each', () => {
  const location = 'local';
  const candidates = [5, 6].map((id) => ({ id, name: 'web', location }));
  const detail = 'Several servers are called web. Use one of these IDs: 5, 6.';
  const problem = {
    ...{ type: '', title: '', status: 409, code: 'ambiguous_name', detail },
    ...{ message: detail, request_id: 'r' },
    candidates,
  } as const;
  assert.deepEqual(explain(new BerthError('ambiguous_name', detail, { status: 409, problem })), {
    message: 'Several servers are called web. Use one of these IDs:',
    hints: ['  5  web  (local)', '  6  web  (local)'],
    status: exitStatuses.conflict,
  });
});

test('the only field that is wrong is named once, and several are listed', () => {
  const of = (detail: string, ...errors: { pointer: string; detail: string }[]) =>
    explain(new BerthError('invalid_request', detail, { status: 422, errors }));
  const os = { pointer: '/os_id', detail: 'No operating system is called x.' };
  const one = of('/os_id: No operating system is called x.', os);
  assert.deepEqual([one?.message, one?.hints], ['os_id: No operating system is called x.', []]);
  const both = of(
    '/os_id: Is wrong. /name: Is wrong, too.',
    ...[
      { pointer: '/os_id', detail: 'Is wrong.' },
      { pointer: '/name', detail: 'Is wrong, too.' },
    ],
  );
  assert.equal(both?.message, '2 values are not valid:');
  const two = of('Two fields are wrong.', os, { pointer: '/labels/a b', detail: 'Is no key.' });
  assert.equal(two?.message, 'Two fields are wrong.');
  assert.deepEqual(two?.hints, [
    '  os_id: No operating system is called x.',
    '  labels.a b: Is no key.',
  ]);
});
