import assert from 'node:assert/strict';
import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { testKeyring } from '../testing/keys.ts';
import { createKeyring, type Key, type Place, type Sealing } from './keyring.ts';
import '../testing/fixed-seed.ts';

const place: Place = { table: 'operations', column: 'secrets', row: '7' };
const secret = { passwordHash: '$6$salt$hash', commands: ['echo ü', ['a', 'b']] };
const anyPlace = fc.record({
  table: fc.constantFrom('operations', 'installation', 'idempotency_keys'),
  column: fc.constantFrom('secrets', 'secret', 'data'),
  row: fc.oneof(fc.string(), fc.nat().map(String)),
});

/** Seals a value like the previous release. */
function sealedBefore(key: Buffer, value: unknown): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function ring(secrets: Buffer[], sealing: Sealing = 'bound', at = 0, isBound = false) {
  const keys = secrets.map((bytes) => ({ bytes, isBound }));
  return createKeyring({ keys, current: keys[at] as Key, sealing });
}

test('decryption returns the original, and each encryption differs', () => {
  const keyring = testKeyring();
  const sealed = keyring.seal(place, secret);
  assert.deepEqual(keyring.open(place, sealed), secret);
  assert.notDeepEqual(keyring.seal(place, secret), sealed);
  assert.equal(sealed.includes('$6$salt'), false);
});

test('a value can not be opened in another table, column or row', () => {
  const keyring = testKeyring();
  fc.assert(
    fc.property(anyPlace, anyPlace, fc.jsonValue(), (one, { table, column, row }, value) => {
      const sealed = keyring.seal(one, value);
      const text = JSON.stringify(value);
      assert.equal(JSON.stringify(keyring.open(one, sealed)), text);
      for (const moved of [{ table }, { column }, { row }, { table, column, row }]) {
        const other = { ...one, ...moved };
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        if (!isSame) assert.equal(keyring.open(other, sealed), undefined);
      }
    }),
  );
});

test('a modified or truncated value can not be opened', () => {
  const keyring = testKeyring();
  const sealed = keyring.seal(place, secret);
  fc.assert(
    fc.property(fc.nat({ max: sealed.length * 8 - 1 }), (bit) => {
      const spoilt = Buffer.from(sealed);
      spoilt[bit >> 3] = (spoilt[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(keyring.open(place, spoilt), undefined);
    }),
  );
  for (let length = 0; length < sealed.length; length += 1) {
    assert.equal(keyring.open(place, sealed.subarray(0, length)), undefined);
  }
});

test('each purpose has a derived key, and none is the master key', () => {
  const master = randomBytes(32);
  const keyring = ring([master]);
  const mac = keyring.mac('one', 'words').subarray(8);
  assert.notDeepEqual(mac, createHmac('sha256', master).update('words').digest());
  assert.notDeepEqual(mac, keyring.mac('other', 'words').subarray(8));
});

describe('keys that change', () => {
  const [old, recent, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)];

  it('open what any of them sealed, and seal with the current one', () => {
    const sealed = ring([old]).seal(place, secret);
    const both = ring([old, recent], 'bound', 1);
    assert.deepEqual(both.open(place, sealed), secret);
    const anew = both.seal(place, secret);
    assert.deepEqual(ring([recent]).open(place, anew), secret);
    assert.equal(ring([old]).open(place, anew), undefined);
    assert.equal(ring([foreign]).open(place, sealed), undefined);
  });

  it('verify a MAC of any of them, for its purpose and data only', () => {
    const mac = ring([old]).mac('one', 'words');
    const both = ring([old, recent], 'bound', 1);
    assert.ok(both.isMac('one', 'words', mac));
    assert.ok(!both.isMac('other', 'words', mac));
    assert.ok(!both.isMac('one', 'other words', mac));
    assert.ok(!ring([recent]).isMac('one', 'words', mac));
    assert.ok(ring([recent]).isMac('one', 'words', both.mac('one', 'words')));
    for (const spoilt of [mac.subarray(1), Buffer.concat([mac, mac]), Buffer.alloc(0)]) {
      assert.ok(!both.isMac('one', 'words', spoilt));
    }
  });
});

describe('together with the previous release', () => {
  const key = randomBytes(32);
  const sealed = sealedBefore(key, secret);
  const mac = createHmac('sha256', key).update('words').digest();

  it('values of the previous release are read until there are none left', () => {
    for (const sealing of ['unbound', 'mixed'] as const) {
      const keyring = ring([randomBytes(32), key], sealing);
      assert.deepEqual(keyring.open(place, sealed), secret);
      assert.ok(keyring.isMac('one', 'words', mac));
    }
    assert.equal(ring([key]).open(place, sealed), undefined);
    assert.equal(ring([key]).isMac('one', 'words', mac), false);
  });

  it('the previous release can read new values until the keys are rotated', () => {
    const keyring = ring([key], 'unbound');
    assert.deepEqual(ring([key], 'mixed').open(place, keyring.seal(place, secret)), secret);
    assert.equal(ring([key], 'bound').open(place, keyring.seal(place, secret)), undefined);
    assert.deepEqual(keyring.mac('one', 'words'), mac);
    const bound = ring([key]).seal(place, secret);
    assert.deepEqual(keyring.open(place, bound), secret);
  });

  it('under a bound key, unbound values are not read, whatever the level', () => {
    for (const sealing of ['unbound', 'mixed', 'bound'] as const) {
      const keyring = ring([key], sealing, 0, true);
      assert.equal(keyring.open(place, sealed), undefined);
      assert.equal(keyring.isMac('one', 'words', mac), false);
      assert.equal(keyring.open({ ...place, row: '8' }, keyring.seal(place, secret)), undefined);
    }
  });

  it('a row has the name of the previous release, and under a bound key only its new name', () => {
    const row = '7 70';
    const now = { ...place, row, rowBefore: place.row };
    const others = ring([key]);
    assert.deepEqual(
      others.open(place, others.seal(now, secret)),
      secret,
      'the previous release can read it',
    );
    const own = ring([key], 'bound', 0, true);
    const anew = own.seal(now, secret);
    assert.equal(own.open(place, anew), undefined);
    assert.equal(own.open({ ...now, row: '7 71' }, anew), undefined);
    assert.equal(own.open(now, own.seal(place, secret)), undefined);
    assert.deepEqual(others.open(now, others.seal({ ...place, row }, secret)), secret);
  });

  it('the level never decreases', () => {
    const keyring = ring([key], 'mixed');
    keyring.use({ ...keyring.state, sealing: 'unbound' });
    assert.equal(keyring.state.sealing, 'mixed');
    keyring.use({ ...keyring.state, sealing: 'bound' });
    keyring.use({ ...keyring.state, sealing: 'mixed' });
    assert.equal(keyring.state.sealing, 'bound');
  });
});
