import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveConsoles } from '../../../../client/testing/consoles.ts';
import { until } from '../../../../service/src/testing/until.ts';
import { createHome } from '../../../testing/terminal.ts';
import { exitStatuses } from '../../exit-statuses.ts';

const home = createHome({ BERTH_TOKEN: 'berth_x' });
const args = ['server', 'console', 'web-1'];

/** A console that is open in a terminal. */
async function open() {
  const service = await serveConsoles();
  const session = home.inTerminal(args, { env: { BERTH_URL: service.url } });
  const peer = await service.opened(1);
  await session.sees('Ctrl-] leaves the console.');
  await session.sees('login: ');
  return { service, session, peer };
}

test('keys reach the server as they are, and its size is that of the terminal', async () => {
  const { session, peer } = await open();
  assert.equal(session.isRaw(), true);
  session.type('root\r\u0003\u001b[A');
  await until('it was typed', peer.typed, (typed) => typed === 'root\r\u0003\u001b[A');
  session.resize(100, 30);
  await until(
    'the sizes were sent',
    () => peer.sizes.length,
    (count) => count === 2,
  );
  assert.deepEqual(peer.sizes, [
    { type: 'resize', columns: 120, rows: 40 },
    { type: 'resize', columns: 100, rows: 30 },
  ]);
  peer.socket.send(Buffer.from('\u001b[1mWelcome'));
  await session.sees('Welcome');
  assert.match(session.raw(), /\[1mWelcome/);
  session.type('\u001d');
  await session.ended();
});

test('Ctrl-] leaves it, with what was typed before, and restores the terminal', async () => {
  const { session, peer } = await open();
  session.type('exit\u001d not sent');
  const { status } = await session.ended();
  await session.sees('You have left the console.');
  assert.deepEqual([status, session.isRaw(), peer.typed()], [0, false, 'exit']);
  assert.ok(session.raw().includes('\u001b[?25h'));
});

test('the end of the console restores the terminal, and has the exit status of its reason', async () => {
  const ends: [code: number, status: number][] = [
    [1000, exitStatuses.done],
    [1011, exitStatuses.unreachable],
    [4401, exitStatuses.not_signed_in],
    [4404, exitStatuses.not_found],
    [4408, exitStatuses.failed],
    [4409, exitStatuses.conflict],
    [4429, exitStatuses.unreachable],
  ];
  for (const [code, expected] of ends) {
    const { session, peer } = await open();
    peer.socket.close(code, `It ended with ${code}.`);
    const { status } = await session.ended();
    await session.sees(`It ended with ${code}.`);
    assert.deepEqual([status, session.isRaw()], [expected, false], String(code));
  }
});

test('a lost connection is opened again, and can be left meanwhile', async () => {
  const { service, session, peer } = await open();
  peer.socket.terminate();
  await session.sees('The connection was lost, and is tried again.');
  const second = await service.opened(2);
  await session.sees('login: ');
  session.type('root\r');
  await until('it was typed', second.typed, (typed) => typed === 'root\r');
  service.refusedSockets = Number.POSITIVE_INFINITY;
  second.socket.close(1012, 'The service restarts.');
  await session.sees('The connection was lost, and is tried again.');
  session.type('\u001d');
  const { status } = await session.ended();
  assert.deepEqual([status, session.isRaw()], [0, false]);
});

test('a refusal is an error, and the terminal stays as it is', async () => {
  const service = await serveConsoles();
  service.refusals.push({ status: 409, code: 'server_not_running' });
  const session = home.inTerminal(args, { env: { BERTH_URL: service.url } });
  assert.equal((await session.ended()).status, exitStatuses.conflict);
  await session.sees('Error: Its detail.');
  assert.equal(session.isRaw(), false);
});

test('without a terminal, nothing is sent', async () => {
  const service = await serveConsoles();
  const { status, stderr } = await home.berth(args, { env: { BERTH_URL: service.url } });
  assert.equal(status, exitStatuses.usage);
  assert.match(stderr, /^Error: A console needs a terminal/);
  assert.deepEqual(service.tickets, []);
});

test('a signal ends it as it ends other commands, and restores the terminal', async () => {
  const service = await serveConsoles();
  const stopping = new AbortController();
  const env = { BERTH_URL: service.url };
  const session = home.inTerminal(args, { env, signal: stopping.signal });
  await session.sees('login: ');
  stopping.abort();
  const { status } = await session.ended();
  assert.deepEqual([status, session.isRaw()], [exitStatuses.interrupted, false]);
});
