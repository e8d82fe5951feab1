import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confirming, createConfirmation } from './confirmation.ts';

const problem = (code: string) => {
  const headers = { 'Content-Type': 'application/problem+json; charset=utf-8' };
  return new Response(JSON.stringify({ code }), { status: 403, headers });
};
const request = () => new Request('http://berth.invalid/v1/tokens', { method: 'POST', body: 'x' });

/** Refuses until `proven`, and keeps the bodies that arrive. */
function service(code = 'confirmation_required') {
  const [bodies, state] = [[] as string[], { proven: false }];
  const fetch = async (sent: Request) => {
    bodies.push(await sent.text());
    return state.proven ? new Response('done') : problem(code);
  };
  return { bodies, state, fetch };
}

test('a request is sent again, with its body, once the person has proven that it is them', async () => {
  const { bodies, state, fetch } = service();
  const send = confirming(fetch, async () => {
    state.proven = true;
    return true;
  });
  assert.equal(await (await send(request())).text(), 'done');
  assert.deepEqual(bodies, ['x', 'x']);
});

test('without a proof, the refusal is the answer, and can be read', async () => {
  const { bodies, fetch } = service();
  const answer = await confirming(fetch, async () => false)(request());
  assert.deepEqual(await answer.json(), { code: 'confirmation_required' });
  assert.equal(bodies.length, 1);
});

test('nobody is asked because of another refusal', async () => {
  const send = confirming(service('owner_required').fetch, () => assert.fail('asked'));
  assert.equal((await send(request())).status, 403);
});

test('requests at the same time share one question', async () => {
  const confirmation = createConfirmation();
  const seen: boolean[] = [];
  const stop = confirmation.subscribe(() => seen.push(confirmation.isAsked()));
  const answers = [confirmation.ask(), confirmation.ask()];
  confirmation.answer(true);
  assert.deepEqual(await Promise.all(answers), [true, true]);
  assert.deepEqual(seen, [true, false]);
  stop();
  const later = confirmation.ask();
  confirmation.answer(false);
  assert.equal(await later, false);
  assert.equal(seen.length, 2);
});
