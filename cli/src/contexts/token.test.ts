import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { exitStatuses } from '../exit-statuses.ts';
import { chooseContext } from './choose.ts';
import { checkedToken } from './token.ts';
import { serviceUrl } from './url.ts';

test('a damaged token is refused, and the error does not repeat it', () => {
  const env = {
    HOME: '/nowhere',
    BERTH_URL: 'https://berth.example',
    BERTH_TOKEN: 'berth_secret\nx',
  };
  assert.throws(
    () => chooseContext({ env }),
    (error) => {
      assert.deepEqual((error as { status?: number }).status, exitStatuses.not_signed_in);
      return !inspect(error).includes('secret');
    },
  );
  for (const token of ['', 'a b', 'a\n', 'ä']) assert.throws(() => checkedToken(token, 'It'));
  assert.equal(checkedToken('berth_x-1', 'It'), 'berth_x-1');
});

test('a URL with credentials, a query or a fragment is refused, and not repeated', () => {
  const wrong = ['https://ada:secret@berth.example', 'ada:secret@[', 'berth.example/?secret'];
  for (const text of [...wrong, 'https://berth.example/#secret']) {
    assert.throws(
      () => serviceUrl(text),
      (error) => (error as Error).name === 'Error' && !inspect(error).includes('secret'),
      text,
    );
  }
  assert.equal(serviceUrl('berth.example/v1'), 'https://berth.example');
  assert.equal(serviceUrl('localhost:8080'), 'http://localhost:8080');
});
