import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestUser } from '../testing/people.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { findCredentials, isEmailTaken } from '../users/queries.ts';
import { emailKey } from './email.ts';

const { db, close } = await createTestDatabase();
after(close);

const taken = (email: string) => db.transaction().execute((trx) => isEmailTaken(trx, email));

for (const [one, other] of [
  ['Ada@Example.COM', 'aDA@example.com'],
  ['Zo\u00eb@example.org', 'zO\u00eb@EXAMPLE.org'],
] as const) {
  test(`${one} is ${other}, and one user’s`, async () => {
    assert.equal(emailKey(one), emailKey(other));
    const { id } = await createTestUser(db, { email: one, password: null });
    assert.equal((await findCredentials(db, { email: other }))?.id, id);
    assert.ok(await taken(other));
    await assert.rejects(createTestUser(db, { email: other, password: null }), /one_user_of_an/);
  });
}

for (const [what, one, other] of [
  ['a letter beyond Z in another case', '\u00c4da@example.com', '\u00e4da@example.com'],
  ['the sign for kelvin', '\u212aate@example.com', 'kate@example.com'],
  ['a capital i with a dot', '\u0130ris@example.com', 'iris@example.com'],
  ['an i without a dot', '\u0131van@example.com', 'ivan@example.com'],
  ['a long s', '\u017fam@example.com', 'sam@example.com'],
  ['a wide letter', '\uff41nn@example.com', 'ann@example.com'],
  ['letters composed and not', 'zoe\u0308@example.com', 'zo\u00eb@example.com'],
] as const) {
  test(`with ${what} it is somebody else’s address`, async () => {
    assert.notEqual(emailKey(one), emailKey(other));
    const { id } = await createTestUser(db, { email: one, password: null });
    assert.equal(await findCredentials(db, { email: other }), undefined);
    assert.equal(await taken(other), false);
    const second = await createTestUser(db, { email: other, password: null });
    assert.equal((await findCredentials(db, { email: one }))?.id, id);
    assert.equal((await findCredentials(db, { email: other }))?.id, second.id);
  });
}
