import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { errorsOf, json, openProbe, valid } from '../testing/probe.ts';

const { post, postJson, close } = await openProbe();
after(close);

test('JSON is strictly typed', async () => {
  for (const cpu of ['2', 2.5, true, null, [2], {}, 0, -1, 2 ** 53]) {
    const answer = await postJson({ ...valid, cpu });
    assert.equal(answer.statusCode, 422, JSON.stringify(cpu));
    assert.deepEqual(errorsOf(answer), { '/cpu': 'Must be a whole number of cores, from 1.' });
  }
});

test('JSON that can be read in two ways is refused', async () => {
  for (const text of ['{"cpu": 1, "cpu": 1}', '{"a": [{"x": 1, "\\u0078": 2}]}']) {
    const answer = await post(text, json);
    assert.equal(answer.statusCode, 400);
    assert.match(answer.json().detail, /"(cpu|x)" is given more than once/);
  }
  const nested = await post('{"a": {"b": 1}, "b": {"a": [1, 2, "a", "a"]}}', json);
  assert.equal(nested.statusCode, 422);
});

test('what is not JSON is a 400', async () => {
  const texts = ['{', '{"a":1,}', 'null x', "{'a': 1}", '[1', '{"a": NaN}', '\u0000'];
  for (const text of texts) assert.equal((await post(text, json)).statusCode, 400, text);
  assert.equal((await post('['.repeat(200_000), json)).statusCode, 400);
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  for (const text of [deep, 'null', '[]', '"a"', '1']) {
    assert.equal((await post(text, json)).statusCode, 422, text.slice(0, 9));
  }
});
