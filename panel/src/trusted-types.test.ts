import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutMarkup } from './trusted-types.ts';

test('styles are allowed, and what would create an element is not', () => {
  const styles = ':root > [data-a="b"] { color: red }';
  assert.equal(withoutMarkup(styles), styles);
  for (const text of ['<script></script>', 'a</style><img src=x>'])
    assert.throws(() => withoutMarkup(text), TypeError);
});
