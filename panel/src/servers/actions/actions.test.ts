import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedFor, inChunks, mustForce, outcomeOf, questionOf } from './actions.ts';

test('only what the service allows is offered', () => {
  assert.deepEqual(allowedFor({ allowed_actions: ['restart', 'delete', 'stop'] }), [
    'stop',
    'restart',
  ]);
  assert.deepEqual(allowedFor({ allowed_actions: [] }), []);
});

test('the power of a paused server is cut, which the question says', () => {
  const [started, paused] = [{ status: 'started' } as const, { status: 'paused' } as const];
  assert.equal(mustForce('stop', paused), true);
  assert.equal(mustForce('stop', started), false);
  assert.equal(mustForce('unpause', paused), false);
  assert.equal(questionOf('stop', [paused]), 'It is paused, so its power is cut.');
  assert.equal(questionOf('stop', [started]), 'The guest is shut down.');
  // Several servers are never forced.
  assert.equal(questionOf('stop', [paused, started]), 'The guest is shut down.');
  assert.equal(questionOf('unpause', [paused]), undefined);
});

test('many servers are sent in several requests', () => {
  assert.deepEqual(inChunks([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
  assert.deepEqual(inChunks([], 2), []);
});

test('the outcome on several servers is a sentence, with each refusal once', () => {
  const problem = { status: 409, code: 'server_not_running', detail: 'It is stopped already.' };
  const answer = {
    ...{ message: '', accepted: 1, refused: 1 },
    results: [
      { server_id: 1, accepted: true },
      { server_id: 2, accepted: false, problem },
    ],
  };
  assert.deepEqual(outcomeOf('stop', [answer, answer]), {
    sentence: 'Stop was accepted for 2 servers, and refused for 2 servers.',
    refusals: ['It is stopped already.'],
  });
  const all = { ...answer, refused: 0, results: [] };
  assert.equal(outcomeOf('start', [all]).sentence, 'Start was accepted for 1 server.');
});
