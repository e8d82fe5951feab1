import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLimiter } from '../limits/limiter.ts';
import { createTestToken, generousLimits } from '../testing/app.ts';
import { openConsole, startConsoleServices } from '../testing/consoles.ts';
import { inject } from '../testing/inject.ts';
import { auditOf, createTestProject, createTestUser, signInAs } from '../testing/people.ts';
import { enterServer } from '../testing/servers.ts';
import { until } from '../testing/until.ts';

const { db, place, lines, own, service, request, open, startServer, startService } =
  await startConsoleServices();

const urlOf = async (id: number): Promise<string> => (await request(id)).json().url;
const refused = (status: number) => new RegExp(`Unexpected server response: ${status}`);

describe('requesting a console', () => {
  test('it returns the address at which the service was reached, and enters the request in the audit log', async () => {
    const id = await startServer();
    const answer = await request(id);
    assert.equal(answer.statusCode, 201);
    const { url, expires_at: expiresAt } = answer.json();
    assert.match(url, new RegExp(`^ws://${new URL(service.url).host}/v1/consoles/[\\w-]{43}$`));
    const left = Date.parse(expiresAt) - Date.now();
    assert.ok(left > 0 && left < 60_000, `${left} ms`);
    const [entry] = (await auditOf(db, 'server_console')).slice(-1);
    assert.deepEqual(
      [entry?.target_kind, entry?.target_id, entry?.token_id, entry?.status],
      ['server', id, own.id, 201],
    );
  });

  test('it is refused without the right to change servers, in another project, and for a server that does not run', async () => {
    const id = await startServer();
    const reader = await createTestToken(db, { scopes: ['servers:read'] });
    assert.equal((await request(id, reader.headers)).json().code, 'scope_missing');
    await createTestProject(db, 'other');
    const other = await createTestToken(db, { scopes: ['servers:write'], project: 'other' });
    assert.equal((await request(id, other.headers)).json().code, 'server_not_found');
    for (const status of ['stopped', 'paused', 'creating', 'error', 'deleting'] as const) {
      const another = await enterServer(db, place, { status, hostname: status });
      const answer = await request(another);
      assert.deepEqual(
        [answer.statusCode, answer.json().code],
        [409, 'server_not_running'],
        status,
      );
    }
  });

  test('a fifth is refused, whether the others are open or about to be', async () => {
    const id = await startServer();
    const watchers = [await open(id), await open(id), await open(id)];
    await request(id);
    const fifth = await request(id);
    assert.deepEqual([fifth.statusCode, fifth.json().code], [409, 'too_many_consoles']);
    watchers[0]?.socket.close();
    await until('there is room again', async () => (await request(id)).statusCode === 201);
    assert.equal((await request(await startServer())).statusCode, 201);
  });

  test('at the same time, no more than four are allowed', async () => {
    const id = await startServer();
    const answers = await Promise.all(Array.from({ length: 8 }, () => request(id)));
    const granted = answers.filter(({ statusCode }) => statusCode === 201);
    assert.equal(granted.length, 4);
  });

  test('a member of the project can open it in a session', async () => {
    const id = await startServer();
    const user = await createTestUser(db, { roles: { [place.projectId]: 'member' } });
    const session = await signInAs(service.app, user.credentials);
    const console = await open(id, { headers: session.headers });
    await console.shows(/login: $/);
    const viewer = await createTestUser(db, { roles: { [place.projectId]: 'viewer' } });
    const other = await signInAs(service.app, viewer.credentials);
    assert.equal((await request(id, other.headers)).json().code, 'scope_missing');
  });
});

describe('a ticket', () => {
  test('it opens the console of its server once', async () => {
    const [id, another] = [await startServer(), await startServer()];
    const url = await urlOf(id);
    const console = await openConsole(url);
    assert.equal(console.socket.protocol, 'berth.console.v1');
    await console.shows(/login: $/);
    await assert.rejects(openConsole(url), refused(404));
    const theirs = await open(another);
    console.type('mine');
    await console.shows(/mine/);
    assert.doesNotMatch(theirs.text(), /mine/);
  });

  test('of two requests at the same time, one gets it', async () => {
    const url = await urlOf(await startServer());
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => openConsole(url)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('it is refused once it has expired, if it is unknown, or if its token was revoked', async () => {
    const url = await urlOf(await startServer());
    await db
      .updateTable('consoles')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('opened_at', 'is', null)
      .execute();
    await assert.rejects(openConsole(url), refused(404));
    await assert.rejects(openConsole(url.replace(/.{43}$/, 'x'.repeat(43))), refused(404));
    await assert.rejects(openConsole(url.replace(/.{43}$/, 'x')), refused(404));
    const brief = await createTestToken(db, { scopes: ['servers:write'] });
    const requested = await request(await startServer(), brief.headers);
    await db
      .updateTable('tokens')
      .set({ revoked_at: new Date() })
      .where('id', '=', brief.id)
      .execute();
    await assert.rejects(openConsole(requested.json().url), refused(401));
  });

  test('it is no attempt to guess one, of which an address has few', async () => {
    const attempts = { burst: 2, perSecond: 1 / 3600 };
    const at = await startService({}, createLimiter({ ...generousLimits, attempts }));
    const id = await startServer();
    for (let times = 0; times < 4; times += 1) {
      const console = await open(id, { at });
      console.socket.close();
      await console.closed;
      await until(
        'its place is free',
        async () =>
          await db.selectFrom('consoles').select('id').where('server_id', '=', id).execute(),
        ({ length }) => length === 0,
      );
    }
    const unknown = `${at.url.replace('http', 'ws')}/v1/consoles/${'x'.repeat(43)}`;
    for (const status of [404, 404, 429])
      await assert.rejects(openConsole(unknown), refused(status));
  });

  test('pages of other sites cannot use it, and nothing but a WebSocket of the protocol can', async () => {
    const url = await urlOf(await startServer());
    await assert.rejects(openConsole(url, { origin: 'https://evil.example' }), refused(403));
    await assert.rejects(openConsole(url, { protocol: 'other' }), refused(426));
    const plain = await inject(service.app, { url: new URL(url).pathname });
    assert.deepEqual([plain.statusCode, plain.json().code], [426, 'websocket_required']);
    const console = await openConsole(url, { origin: service.url });
    await console.shows(/login: $/);
  });

  test('it is not in the log', async () => {
    const id = await startServer();
    const url = await urlOf(id);
    await assert.rejects(openConsole(`${url}x`), refused(404));
    const console = await openConsole(url);
    await console.shows(/login: $/);
    console.socket.close();
    const text = await until(
      'its end is in the log',
      () => lines.join(''),
      (seen) => /A console was closed/.test(seen.slice(seen.lastIndexOf('A console was opened'))),
    );
    assert.ok(!text.includes(url.slice(-43)));
    assert.match(text, /"path":"\/v1\/consoles\/:ticket"/);
  });
});
