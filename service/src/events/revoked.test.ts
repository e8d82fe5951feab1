import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deleteMember, putMember } from '../projects/members/queries.ts';
import { createTestToken } from '../testing/app.ts';
import { startEventServices } from '../testing/event-services.ts';
import { openEvents } from '../testing/event-source.ts';
import { everLonger } from '../testing/ever-longer.ts';
import { createTestUser, signInAs } from '../testing/people.ts';
import { enterServer } from '../testing/servers.ts';
import { revokeToken } from '../tokens/credential-queries.ts';

const { db, place, ends, one, two, follow, setStatus } = await startEventServices();

describe('the access to a stream of events', () => {
  test('it ends when its token is revoked, before any later event', async () => {
    const own = await createTestToken(db, { scopes: ['servers:read'] });
    const stream = await follow(two.url, own.headers);
    const id = await enterServer(db, place);
    await stream.count(2);
    await revokeToken(db, own.id);
    await setStatus(id, 'stopped');
    await stream.ended;
    assert.equal(stream.events.length, 2);
    assert.equal(ends.at(-1), 'access');
    const again = openEvents(two.url, own.headers);
    await assert.rejects(again.begun, /token_invalid/);
  });

  test('it ends when its token expires', async () => {
    // Only opening it may be too slow.
    const { stream, headers } = await everLonger(async (seconds) => {
      const expiresAt = new Date(Date.now() + seconds * 1000);
      const own = await createTestToken(db, { scopes: ['servers:read'], expiresAt });
      return { stream: await follow(one.url, own.headers), headers: own.headers };
    });
    await stream.ended;
    await assert.rejects(openEvents(one.url, headers).begun, /token_expired/);
  });

  test('it ends when its session ends, or its user is no longer a member', async () => {
    const user = await createTestUser(db, { roles: { [place.projectId]: 'viewer' } });
    const session = await signInAs(one.app, user.credentials);
    const stream = await follow(one.url, { cookie: session.cookie });
    const signedOut = await session.ask('DELETE', '/session');
    assert.equal(signedOut.statusCode, 200);
    await stream.ended;
    const another = await signInAs(one.app, user.credentials);
    const second = await follow(two.url, { cookie: another.cookie });
    const id = await enterServer(db, place);
    await second.count(2);
    await db.transaction().execute((trx) => deleteMember(trx, place.projectId, user.id));
    await setStatus(id, 'stopped');
    await second.ended;
    assert.equal(second.events.length, 2);
    await db
      .transaction()
      .execute((trx) =>
        putMember(trx, { projectId: place.projectId, userId: user.id, role: 'member' }),
      );
  });

  test('a change of other credentials does not end it', async () => {
    const stream = await follow();
    const id = await enterServer(db, place);
    await stream.count(2);
    await revokeToken(db, (await createTestToken(db)).id);
    await setStatus(id, 'stopped');
    await stream.count(3);
    assert.equal(stream.events.length, 3);
  });
});
