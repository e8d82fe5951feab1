import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import '../testing/fixed-seed.ts';
import { decimalOf, millionthsOf } from '../sizes/decimal.ts';
import { chargesOf, createSums, type PricedTime, sumsOf } from './charges.ts';

const hour = 3600;
const time = (hours: number, more: Partial<PricedTime> = {}): PricedTime => ({
  ...{ size_id: 1, size: 'small', currency: 'EUR', hourly: '0.01', monthly: '5' },
  seconds: `${hours * hour}.000000`,
  ...more,
});
const amountsOf = (...times: PricedTime[]) => chargesOf(times).map(({ amount }) => amount);

describe('a charge', () => {
  it('is the price of an hour, multiplied by the hours', () => {
    const [charge] = chargesOf([time(12.5)]);
    assert.deepEqual(charge, {
      ...{ size_id: 1, size: 'small', currency: 'EUR' },
      ...{ price_hourly: '0.01', price_monthly: '5', hours: 12.5, amount: '0.125' },
    });
  });

  it('is rounded to six decimals, as its hours are', () => {
    const [charge] = chargesOf([time(0, { seconds: '1.000000', hourly: '0.0074' })]);
    assert.deepEqual([charge?.hours, charge?.amount], [0.000278, '0.000002']);
  });

  it('is at most the price of a month', () => {
    assert.deepEqual(amountsOf(time(500)), ['5.00']);
    assert.deepEqual(amountsOf(time(500.5)), ['5.00']);
    assert.deepEqual(amountsOf(time(744)), ['5.00']);
    assert.deepEqual(amountsOf(time(744, { monthly: null })), ['7.44']);
    assert.deepEqual(amountsOf(time(744, { monthly: '0', hourly: '0' })), ['0.00']);
  });

  it('is limited over all prices of a size, by the highest so far', () => {
    const dearer = { hourly: '0.02', monthly: '10' };
    assert.deepEqual(amountsOf(time(500), time(500, dearer)), ['5.00', '5.00']);
    assert.deepEqual(amountsOf(time(500, dearer), time(500)), ['10.00', '0.00']);
    assert.deepEqual(amountsOf(time(400, dearer), time(300)), ['8.00', '2.00']);
    const cheaper = { hourly: '0.001', monthly: '0.5' };
    assert.deepEqual(amountsOf(time(300), time(300, cheaper)), ['3.00', '0.30']);
  });

  it('stays as it is if a limit comes later, or ends', () => {
    const unlimited = { monthly: null };
    assert.deepEqual(amountsOf(time(700, unlimited), time(20)), ['7.00', '0.00']);
    assert.deepEqual(amountsOf(time(700), time(20, unlimited)), ['5.00', '0.20']);
    assert.deepEqual(amountsOf(time(100, unlimited), time(600)), ['1.00', '4.00']);
  });

  it('is limited for each size and currency by itself', () => {
    const large = { size_id: 2, size: 'large', hourly: '0.1', monthly: '60' };
    assert.deepEqual(amountsOf(time(700), time(20, large)), ['5.00', '2.00']);
    assert.deepEqual(amountsOf(time(400), time(20, large), time(300)), ['4.00', '2.00', '1.00']);
    assert.deepEqual(amountsOf(time(600), time(600, { currency: 'USD' })), ['5.00', '5.00']);
  });

  const text = fc.bigInt({ min: 0n, max: 10n ** 9n }).map(decimalOf);
  const priced = fc.record({
    size_id: fc.integer({ min: 1, max: 2 }),
    size: fc.constant('any'),
    currency: fc.constantFrom('EUR', 'USD'),
    hourly: text,
    monthly: fc.option(text),
    seconds: fc.bigInt({ min: 0n, max: 31n * 86_400n * 10n ** 6n }).map(decimalOf),
  });

  it('does not depend on what comes later, and its size costs what is the least', () => {
    fc.assert(
      fc.property(fc.array(priced, { maxLength: 8 }), (times) => {
        const charges = chargesOf(times);
        assert.deepEqual(chargesOf(times.slice(0, -1)), charges.slice(0, -1));
        for (const charge of charges) {
          const amount = millionthsOf(charge.amount);
          const hours = BigInt(Math.round(charge.hours * 1e6));
          const whole = 2n * hours * millionthsOf(charge.price_hourly);
          assert.ok(2n * 10n ** 6n * amount <= whole + 10n ** 6n, 'never more than its hours');
        }
        const own = charges.filter((one) => one.size_id === 1 && one.currency === 'EUR');
        const limits = own.map(({ price_monthly: limit }) => limit);
        if (own.length === 0 || limits.includes(null)) return;
        const most = limits.map((limit) => millionthsOf(limit ?? '0')).reduce(larger);
        const [sum] = sumsOf(own);
        assert.ok(millionthsOf(sum?.amount ?? '0') <= most, 'never more than the highest limit');
      }),
    );
  });
});

const larger = (one: bigint, other: bigint) => (one > other ? one : other);

describe('sums', () => {
  it('are exact, one for each currency, by their code', () => {
    const ten = Array.from({ length: 10 }, () => ({ currency: 'USD', amount: '0.1' }));
    assert.deepEqual(sumsOf([...ten, { currency: 'EUR', amount: '0.000001' }]), [
      { currency: 'EUR', amount: '0.000001' },
      { currency: 'USD', amount: '1.00' },
    ]);
    assert.deepEqual(sumsOf([]), []);
  });

  it('can be added up in parts', () => {
    const sums = createSums();
    sums.add([{ currency: 'EUR', amount: '999999999.99' }]);
    sums.add([{ currency: 'EUR', amount: '0.010001' }]);
    assert.deepEqual(sums.all(), [{ currency: 'EUR', amount: '1000000000.000001' }]);
  });
});
