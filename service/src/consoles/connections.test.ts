import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestToken } from '../testing/app.ts';
import { openConsole, startConsoleServices, type Watcher } from '../testing/consoles.ts';
import { everLonger } from '../testing/ever-longer.ts';
import { createTestUser, signInAs } from '../testing/people.ts';
import { eventually, until } from '../testing/until.ts';
import { revokeToken } from '../tokens/credential-queries.ts';

const { db, incus, simulator, place, own, service, ...world } = await startConsoleServices();
const { startService, request, open, startServer, stopServer, nameOf } = world;

async function logIn(console: Watcher): Promise<void> {
  await console.shows(/login: $/);
  console.type('root\r');
  await console.shows(/Password: $/);
  console.type('secret\r');
  await console.shows(/root@[\w-]+:~\$ $/);
}

const countRows = async (id: number) =>
  (await db.selectFrom('consoles').select('id').where('server_id', '=', id).execute()).length;

describe('an open console', () => {
  test('it shows the login prompt, and what is typed into it', async () => {
    const console = await open(await startServer());
    await logIn(console);
    assert.doesNotMatch(console.text(), /secret/);
    console.type('echo grüße, 世界\r');
    await console.shows(/\ngrüße, 世界\r\n/);
    console.type('exit\r');
    await console.shows(/\$ exit.*login: $/s);
  });

  test('the size that is sent reaches the guest', async () => {
    const console = await open(await startServer());
    await logIn(console);
    for (const columns of [80, 120, 132]) console.send({ type: 'resize', columns, rows: 50 });
    await eventually(() => {
      console.type('stty size\r');
      assert.match(console.text(), /\n50 132\r\n/);
    });
  });

  test('all viewers of a server see the same, and type into the same', async () => {
    const id = await startServer();
    const [one, other] = [await open(id), await open(id)];
    await logIn(one);
    await other.shows(/\$ $/);
    other.type('echo from-the-other\r');
    await one.shows(/\nfrom-the-other\r\n/);
  });

  test('it begins with the last 64 KiB of the output', async () => {
    const id = await startServer();
    const first = await open(id);
    await logIn(first);
    first.type('yes | head -c 200000\r');
    // It is typed once the guest has printed all that.
    first.type('echo the-end\r');
    await first.shows(/\nthe-end\r\n\S+\$ $/);
    const end = Buffer.from(first.text())
      .subarray(-64 * 1024)
      .toString();
    const beside = await open(id);
    await until('it has been shown', beside.text, (seen) => seen.length >= end.length);
    assert.equal(beside.text(), end);
    for (const { socket } of [first, beside]) socket.close();
    await until(
      'nobody watches',
      () => countRows(id),
      (count) => count === 0,
    );
    const later = await open(id);
    await until('it has been shown', later.text, (seen) => seen.length >= end.length);
    assert.equal(later.text(), end);
  });

  test('a message that is not of the protocol ends it', async () => {
    const id = await startServer();
    const wrong = [
      'x',
      '[]',
      '{}',
      '{"type":"resize"}',
      '{"type":"resize","columns":0,"rows":24}',
      '{"type":"resize","columns":80,"rows":1001}',
      '{"type":"resize","columns":"80","rows":24}',
      '{"type":"resize","columns":80.5,"rows":24}',
    ];
    for (const message of wrong) {
      const console = await open(id);
      console.socket.send(message);
      assert.equal((await console.closed).code, 4429, message);
      await until(
        'it is forgotten',
        () => countRows(id),
        (count) => count === 0,
      );
    }
  });
});

describe('the end of a console', () => {
  test('it ends with the token that requested it', async () => {
    const id = await startServer();
    const token = await createTestToken(db, { scopes: ['servers:write'] });
    const [console, another] = [await open(id, { headers: token.headers }), await open(id)];
    await console.shows(/login: $/);
    await revokeToken(db, token.id);
    assert.equal((await console.closed).code, 4401);
    another.type('still here');
    await another.shows(/still here/);
  });

  test('it ends when its token expires', async () => {
    const id = await startServer();
    // Only opening it may be too slow.
    const console = await everLonger(async (seconds) => {
      const expiresAt = new Date(Date.now() + seconds * 1000);
      const token = await createTestToken(db, { scopes: ['servers:write'], expiresAt });
      return await open(id, { headers: token.headers });
    });
    assert.equal((await console.closed).code, 4401);
  });

  test('it ends with the session that requested it, and when its user may no longer use it', async () => {
    const id = await startServer();
    const user = await createTestUser(db, { roles: { [place.projectId]: 'member' } });
    const session = await signInAs(service.app, user.credentials);
    const console = await open(id, { headers: session.headers });
    await console.shows(/login: $/);
    assert.equal((await session.ask('DELETE', '/session')).statusCode, 200);
    assert.equal((await console.closed).code, 4401);
    const another = await signInAs(service.app, user.credentials);
    const second = await open(id, { headers: another.headers });
    await second.shows(/login: $/);
    await db
      .updateTable('memberships')
      .set({ role: 'viewer' })
      .where('user_id', '=', user.id)
      .execute();
    assert.equal((await second.closed).code, 4401);
  });

  test('it ends with the server, whose end is named', async () => {
    const [stopped, deleted] = [await startServer(), await startServer()];
    const consoles = [await open(stopped), await open(deleted)];
    for (const console of consoles) await console.shows(/login: $/);
    await stopServer(stopped, 'stopped');
    await stopServer(deleted, 'deleting');
    const [first, second] = await Promise.all(consoles.map(({ closed }) => closed));
    assert.deepEqual(first, { code: 1000, reason: 'The server was stopped.' });
    assert.deepEqual(second, { code: 4404, reason: 'The server was deleted.' });
  });

  test('it ends if the server stops before it is shown', async () => {
    const id = await startServer();
    const { url } = (await request(id)).json();
    await stopServer(id, 'stopped');
    assert.equal((await (await openConsole(url)).closed).code, 1000);
  });

  test('it ends when nothing is typed for long, though not for what is shown', async () => {
    await everLonger(async (seconds) => {
      const at = await startService({ pingMs: 50, idleMs: seconds * 500 });
      const id = await startServer();
      const [idle, busy] = [await open(id, { at }), await open(id, { at })];
      const typing = setInterval(() => busy.type('x'), 50);
      const { code } = await idle.closed;
      assert.equal(code, 4408);
      // On a busy machine, what is typed may be late, so that both have ended.
      const hasEnded = () => busy.socket.readyState === busy.socket.CLOSED;
      await until('the other has typed', () => hasEnded() || /xxx/.test(busy.text()));
      clearInterval(typing);
      assert.match(busy.text(), /xxx/);
      assert.equal((await busy.closed).code, 4408);
    });
  });

  test('a client that does not answer is disconnected', async () => {
    const at = await startService({ pingMs: 50, silentMs: 300 });
    const id = await startServer();
    const { url } = (await request(id, own.headers, at)).json();
    await openConsole(url, { isPaused: true });
    await until(
      'it is forgotten',
      () => countRows(id),
      (count) => count === 0,
    );
  });

  test('it ends if the engine does not answer', async () => {
    const id = await startServer();
    const console = await open(id);
    await console.shows(/login: $/);
    const back = Promise.withResolvers<void>();
    const restart = simulator.restartDaemon(back.promise);
    const { code } = await console.closed;
    assert.equal(code, 1011);
    back.resolve();
    await restart;
    const again = await eventually(async () => await open(id));
    await again.shows(/login: $/);
  });

  test('it ends when the service stops', async () => {
    const at = await startService();
    const id = await startServer();
    const console = await open(id, { at });
    await console.shows(/login: $/);
    await at.stop();
    assert.equal((await console.closed).code, 1012);
    assert.equal(await countRows(id), 0);
  });

  test('it is forgotten when the service stops, even if its client does not answer', async () => {
    const at = await startService();
    const id = await startServer();
    const { url } = (await request(id, own.headers, at)).json();
    await openConsole(url, { isPaused: true });
    assert.equal(await countRows(id), 1);
    await at.stop();
    assert.equal(await countRows(id), 0);
  });
});

describe('the console of a server in two services', () => {
  test('the second takes it over, and viewers of the first are told', async () => {
    const other = await startService();
    const id = await startServer();
    const viewers = [await open(id), await open(id)];
    await logIn(viewers[0] as Watcher);
    const taking = await open(id, { at: other });
    for (const { closed } of viewers) assert.equal((await closed).code, 4409);
    await taking.shows(/\$ $/);
    taking.type('echo taken\r');
    await taking.shows(/\ntaken\r\n/);
    const back = await open(id);
    assert.equal((await taking.closed).code, 4409);
    await back.shows(/\ntaken\r\n/);
  });

  test('a ticket of one is accepted by the other, and both count together', async () => {
    const other = await startService();
    const id = await startServer();
    const { url } = (await request(id)).json();
    const console = await openConsole(
      url.replace(/127\.0\.0\.1:\d+|\[::1\]:\d+/, new URL(other.url).host),
    );
    await console.shows(/login: $/);
    for (let times = 0; times < 3; times += 1) await request(id, own.headers, other);
    assert.equal((await request(id)).statusCode, 409);
  });

  test('somebody else who takes the console in Incus ends it', async () => {
    const id = await startServer();
    const shown = await open(id);
    await shown.shows(/login: $/);
    const taken = await incus.consoles.open(await nameOf(id), {});
    assert.ok([1000, 4409].includes((await shown.closed).code));
    taken.close();
  });
});
