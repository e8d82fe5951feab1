import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../service/src/testing/until.ts';
import { type ConsoleService, serveConsoles } from '../testing/consoles.ts';
import { type ConsoleState, openConsole, ServerNotRunningError } from './index.ts';

/** Opens a console, and keeps what it shows and reports. */
function open({ berth }: ConsoleService, signal?: AbortSignal) {
  let shown = '';
  const states: ConsoleState[] = [];
  const console = openConsole(berth, 'web-1', {
    ...{ size: { columns: 80, rows: 24 }, signal },
    onOutput: (bytes) => {
      shown += new TextDecoder().decode(bytes);
    },
    onState: (state) => void states.push(state),
  });
  const shows = (text: string) =>
    until(
      `the console shows ${text}`,
      () => shown,
      (now) => now.includes(text),
    );
  return { ...console, states, shows, shown: () => shown };
}

test('what is typed reaches the guest, and what it writes is received', async () => {
  const service = await serveConsoles();
  const console = open(service);
  const peer = await service.opened(1);
  await console.shows('login: ');
  assert.deepEqual(service.tickets, ['/v1/servers/web-1/console']);
  assert.equal(peer.socket.protocol, 'berth.console.v1');
  console.write('root\r');
  console.write(new Uint8Array([0x03]));
  console.resize({ columns: 120, rows: 40 });
  await until('it was received', peer.typed, (typed) => typed === 'root\r\u0003');
  await until(
    'sizes were received',
    () => peer.sizes.length,
    (count) => count === 2,
  );
  assert.deepEqual(peer.sizes, [
    { type: 'resize', columns: 80, rows: 24 },
    { type: 'resize', columns: 120, rows: 40 },
  ]);
  console.close();
  assert.equal(await console.ended, undefined);
  assert.deepEqual(console.states, ['connecting', 'connected']);
});

test('a long text arrives whole and in order', async () => {
  const service = await serveConsoles();
  const console = open(service);
  const peer = await service.opened(1);
  await console.shows('login: ');
  const text = Array.from({ length: 20_000 }, (_, line) => `${line}`).join('\r');
  console.write(text);
  await until(
    'it was received',
    () => peer.typed().length,
    (length) => length >= text.length,
  );
  assert.equal(peer.typed(), text);
  console.close();
});

test('when the connection is lost or the service restarts, it connects again with the present size', async () => {
  const service = await serveConsoles();
  const console = open(service);
  (await service.opened(1)).socket.terminate();
  const second = await service.opened(2);
  console.resize({ columns: 100, rows: 30 });
  await until(
    'sizes were received',
    () => second.sizes.length,
    (count) => count >= 1,
  );
  service.refusals.push({ status: 503, code: 'unavailable' });
  second.socket.close(1012, 'The service restarts.');
  const third = await service.opened(3);
  await until(
    'sizes were received',
    () => third.sizes.length,
    (count) => count === 1,
  );
  assert.deepEqual(third.sizes, [{ type: 'resize', columns: 100, rows: 30 }]);
  console.close();
  await console.ended;
  assert.deepEqual(console.states.slice(0, 4), [
    ...['connecting', 'connected', 'reconnecting', 'connected'],
  ]);
});

test('it ends with the code and the reason of the service', async () => {
  for (const code of [1000, 1011, 4401, 4404, 4408, 4409, 4429]) {
    const service = await serveConsoles();
    const console = open(service);
    (await service.opened(1)).socket.close(code, `Because of ${code}.`);
    assert.deepEqual(await console.ended, { code, reason: `Because of ${code}.` });
    assert.equal(service.tickets.length, 1);
  }
});

test('a refusal is an error of the class of its code, also after a lost connection', async () => {
  const service = await serveConsoles();
  service.refusals.push({ status: 409, code: 'server_not_running' });
  await assert.rejects(open(service).ended, ServerNotRunningError);
  const console = open(service);
  const peer = await service.opened(1);
  service.refusals.push({ status: 409, code: 'server_not_running' });
  peer.socket.terminate();
  await assert.rejects(console.ended, ServerNotRunningError);
});

test('a proxy that passes on no WebSockets is not asked for ever', async () => {
  const service = await serveConsoles();
  service.refusedSockets = Number.POSITIVE_INFINITY;
  const end = await open(service).ended;
  assert.equal(end?.code, 1006);
  assert.match(String(end?.reason), /proxy/);
});

test('a signal ends it, also between two connections', async () => {
  const service = await serveConsoles();
  const stopping = new AbortController();
  const console = open(service, stopping.signal);
  const peer = await service.opened(1);
  service.refusedSockets = Number.POSITIVE_INFINITY;
  peer.socket.terminate();
  await until(
    'it connects again',
    () => console.states,
    (states) => states.includes('reconnecting'),
  );
  stopping.abort();
  assert.equal(await console.ended, undefined);
});
