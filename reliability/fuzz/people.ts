import { sql } from 'kysely';
import type { Db } from '../../service/src/db/connection.ts';
import type { Role } from '../../service/src/db/schema/people-schema.ts';
import { insertSession } from '../../service/src/sessions/queries.ts';
import { csrfToken, generateSecret, secretHash } from '../../service/src/sessions/secret.ts';
import { createTestToken, testSecretKey } from '../../service/src/testing/app.ts';
import { createTestUser } from '../../service/src/testing/people.ts';

/** A caller that sends requests. */
export interface Person {
  headers: Record<string, string>;
  /** `own`: their session and how they sign in. */
  mayChange: 'anything' | 'own' | 'nothing';
  /** Signs in again after a sign-out, and returns the headers of the new session. */
  signInAgain?: () => Promise<Record<string, string>>;
}

/** More callers have permissions, because their requests are executed further. */
export async function createPeople(db: Db, projectId: number): Promise<Person[]> {
  // Their ids are higher than all others, so that no request changes one of them by chance.
  await sql`alter table users alter column id restart with 1000000`.execute(db);
  const token = async (scope: 'admin' | 'servers:write' | 'servers:read') =>
    (await createTestToken(db, { scopes: [scope] })).headers;
  const member = async (role: Role) =>
    await signedIn(db, { roles: { [projectId]: role } }, role === 'viewer' ? 'own' : 'anything');
  const admin: Person = { headers: await token('admin'), mayChange: 'anything' };
  const writer: Person = { headers: await token('servers:write'), mayChange: 'anything' };
  const administrator = await signedIn(db, { isAdmin: true }, 'anything');
  const people: Person[] = [
    ...[admin, admin, admin, writer, writer],
    ...[administrator, administrator, await member('owner'), await member('member')],
    await member('viewer'),
    await signedIn(db, {}, 'own'),
    await fromAnotherSite(administrator),
    { headers: await token('servers:read'), mayChange: 'nothing' },
    { headers: {}, mayChange: 'nothing' },
    { headers: { authorization: 'Bearer berth_x' }, mayChange: 'nothing' },
  ];
  await sql`alter table users alter column id restart with 2000000`.execute(db);
  return people;
}

type TestUser = Parameters<typeof createTestUser>[1];

async function signedIn(db: Db, user: TestUser, mayChange: Person['mayChange']): Promise<Person> {
  const { id: userId } = await createTestUser(db, user);
  const signInAgain = async () => {
    const secret = generateSecret();
    const hash = secretHash(secret);
    const session = { hash, userId, address: '127.0.0.1', userAgent: 'fuzz' };
    await db.transaction().execute((trx) => insertSession(trx, session));
    return { cookie: `berth=${secret}`, 'berth-csrf': csrfToken(testSecretKey, hash) };
  };
  return { headers: await signInAgain(), mayChange, signInAgain };
}

/** A page of another site: the browser sends the cookie, but the page does not know the CSRF token. */
async function fromAnotherSite({ signInAgain }: Person): Promise<Person> {
  const forged = async () => ({ ...(await signInAgain?.()), 'berth-csrf': 'forged' });
  return { headers: await forged(), mayChange: 'nothing', signInAgain: forged };
}
