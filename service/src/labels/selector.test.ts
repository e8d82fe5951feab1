import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidSelector, parseSelector, type Selector } from './selector.ts';

const some = (key: string, ...values: string[]) => ({ operator: 'in', key, values }) as const;
const none = (key: string, ...values: string[]) => ({ operator: 'notin', key, values }) as const;
const has = (key: string) => ({ operator: 'exists', key }) as const;
const lacks = (key: string) => ({ operator: 'absent', key }) as const;

// Most are from the tests of Kubernetes (k8s.io/apimachinery/pkg/labels/selector_test.go).
const valid: [text: string, selector: Selector][] = [
  ['', []],
  ['  \t', []],
  ['x=a,y=b,z=c', [some('x', 'a'), some('y', 'b'), some('z', 'c')]],
  ['x!=a,y=b', [none('x', 'a'), some('y', 'b')]],
  ['x==a', [some('x', 'a')]],
  ['x = a , y==b', [some('x', 'a'), some('y', 'b')]],
  ['x=', [some('x', '')]],
  ['x= ', [some('x', '')]],
  ['x=,z= ', [some('x', ''), some('z', '')]],
  ['x= ,z', [some('x', ''), has('z')]],
  ['x!=', [none('x', '')]],
  ['x,y', [has('x'), has('y')]],
  ['!x', [lacks('x')]],
  ['! x', [lacks('x')]],
  ['x,!y', [has('x'), lacks('y')]],
  ['x>1', [{ operator: 'above', key: 'x', number: '1' }]],
  [
    'x>1,z<5',
    [
      { operator: 'above', key: 'x', number: '1' },
      { operator: 'below', key: 'z', number: '5' },
    ],
  ],
  ['x in (a,b)', [some('x', 'a', 'b')]],
  ['x in(a)', [some('x', 'a')]],
  ['x notin (a,b),y', [none('x', 'a', 'b'), has('y')]],
  ['x in (a,,b),y,z notin (,)', [some('x', 'a', '', 'b'), has('y'), none('z', '')]],
  ['x in (a, )', [some('x', 'a', '')]],
  ['x in (,a)', [some('x', '', 'a')]],
  ['x in (a,a)', [some('x', 'a')]],
  ['in in (in,notin)', [some('in', 'in', 'notin')]],
  ['notin', [has('notin')]],
  ['example.com/tier=a-1_b.C', [some('example.com/tier', 'a-1_b.C')]],
  ['env in (prod,test),!old', [some('env', 'prod', 'test'), lacks('old')]],
];

const key = 'A key must be 1 to 63 letters';
const value = 'A value must be empty, or at most 63 letters';
const invalid: [text: string, message: string][] = [
  [',', 'At character 1, it must have a key, not ",".'],
  ['x,', 'At character 3, it must have a key, not the end.'],
  ['x,,y', 'At character 3, it must have a key, not ",".'],
  ['!', 'At character 2, it must have a key, not the end.'],
  ['!!x', 'At character 2, it must have a key, not "!".'],
  ['=a', 'At character 1, it must have a key, not "=".'],
  ['(a)', 'At character 1, it must have a key, not "(".'],
  ['!x=a', 'At character 3, it must have "," or the end, not "=".'],
  ['!x in (a)', 'At character 4, it must have "," or the end, not "in".'],
  ['x=a||y=b', `At character 3, the value "a||y" is not valid. ${value}`],
  ['x==a==b', 'At character 5, it must have "," or the end, not "==".'],
  ['x===a', 'At character 4, it must have a value, not "=".'],
  [
    'x y',
    'At character 3, it must have "in", "notin", "=", "==", "!=", ">" or "<", "," or the end, not "y".',
  ],
  [
    'x!y',
    'At character 2, it must have "in", "notin", "=", "==", "!=", ">" or "<", "," or the end, not "!".',
  ],
  [
    'x IN (a)',
    'At character 3, it must have "in", "notin", "=", "==", "!=", ">" or "<", "," or the end, not "IN".',
  ],
  ['x=a b', 'At character 5, it must have "," or the end, not "b".'],
  ['x=(a)', 'At character 3, it must have a value, not "(".'],
  ['x in', 'At character 5, it must have "(", not the end.'],
  ['x in a', 'At character 6, it must have "(", not "a".'],
  ['x in ()', 'At character 7, it must have a value, not ")".'],
  ['x notin (', 'At character 10, it must have a value, not the end.'],
  ['x in (a', 'At character 8, it must have "," or ")", not the end.'],
  ['x in (a b)', 'At character 9, it must have "," or ")", not "b".'],
  ['x in (a=b)', 'At character 8, it must have "," or ")", not "=".'],
  ['x in (a,=)', 'At character 9, it must have a value, not "=".'],
  ['x in (a))', 'At character 9, it must have "," or the end, not ")".'],
  ['x>', 'At character 3, it must have a whole number, not the end.'],
  ['x>a', 'At character 3, it must have a whole number, not "a".'],
  ['x<1.5', 'At character 3, it must have a whole number, not "1.5".'],
  ['x>-1', `At character 3, the value "-1" is not valid. ${value}`],
  ['-x', `At character 1, the key "-x" is not valid. ${key}`],
  ['a/b/c', `At character 1, the key "a/b/c" is not valid. ${key}`],
  ['Example.com/x', `At character 1, the key "Example.com/x" is not valid. ${key}`],
  ['/x', `At character 1, the key "/x" is not valid. ${key}`],
  ['x/', `At character 1, the key "x/" is not valid. ${key}`],
  ['__proto__', `At character 1, the key "__proto__" is not valid. ${key}`],
  ['é', `At character 1, the key "é" is not valid. ${key}`],
  ['x=\0', String.raw`At character 3, the value "\u0000" is not valid. ${value}`],
  [`x=${'a'.repeat(64)}`, `At character 3, the value "${'a'.repeat(40)}…" is not valid. ${value}`],
  ['a,'.repeat(64).concat('a'), 'It has more than the maximum of 64 requirements.'],
];

describe('a label selector', () => {
  for (const [text, selector] of valid) {
    it(`is parsed: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseSelector(text), selector);
    });
  }

  for (const [text, message] of invalid) {
    it(`is refused with its position: ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.throws(
        () => parseSelector(text),
        (error) => error instanceof InvalidSelector && error.message.startsWith(message),
        message,
      );
    });
  }

  it('accepts keys and values up to their limits', () => {
    const part = 'a'.repeat(63);
    const long = `${`${part}.`.repeat(3)}${'a'.repeat(61)}/${part}`;
    assert.equal(long.length, 253 + 1 + 63);
    assert.deepEqual(parseSelector(`${long}=${part}`), [some(long, part)]);
    assert.throws(() => parseSelector(`a${long}`), InvalidSelector);
    assert.throws(() => parseSelector(`${long}a`), InvalidSelector);
  });
});
