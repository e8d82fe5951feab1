import { type BadCase, notText, post, type Row } from './bad-input-cases.ts';

const good = {
  code: '7Q2M-K4ZD-9XRT-3HBN-5WCE',
  ...{ name: 'Ada', email: 'ada@example.com', password: 'copper-lantern-Tuesday-otter' },
};

const rows: Record<keyof typeof good, Row[]> = {
  code: [
    ['an empty one', ''],
    ['one of 101 characters', 'A'.repeat(101)],
  ],
  name: [
    ['an empty one', ''],
    ['one with a line feed', 'Ada\nLovelace'],
  ],
  email: [
    ['one without a domain', 'ada'],
    ['one with a blank', 'ada @example.com'],
  ],
  password: [
    ['an empty one', ''],
    ['one of 129 characters', 'x'.repeat(129)],
  ],
};

/** Fields of the first administrator. They are refused whether or not the setup is open. */
export function setupCases(): BadCase[] {
  const refused = { status: 422, code: 'validation_failed' };
  const of = (name: string, body: object, pointer: string): BadCase => ({
    ...{ name: `setup with ${name}`, request: post('/v1/setup', body) },
    ...{ ...refused, pointers: [pointer] },
  });
  return Object.entries(rows).flatMap(([field, own]) => [
    ...[...notText, ...own].map(([name, value]) =>
      of(`${field}: ${name}`, { ...good, [field]: value }, `/${field}`),
    ),
    of(`no ${field}`, { ...good, [field]: undefined }, `/${field}`),
  ]);
}
