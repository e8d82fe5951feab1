import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BerthError } from '@berth/client';
import { endedWithServer, isOver, type State, stateInWords, waitBeforeTry } from './states.ts';

const ended = (code: number, reason: string): State => ({ name: 'ended', end: { code, reason } });

test('each end is explained with the words of the service, and what to do', () => {
  const ends: [State, string][] = [
    [
      ended(1000, 'The server was stopped.'),
      'Disconnected: The server was stopped. It opens again when the server has started.',
    ],
    [
      ended(4409, 'The console was opened elsewhere.'),
      'Disconnected: The console was opened elsewhere. Reconnect to use it here.',
    ],
    [ended(4404, 'The server was deleted.'), 'Disconnected: The server was deleted.'],
    [
      ended(1008, ''),
      'Disconnected: the connection was closed with the code 1008. Reconnect to try again.',
    ],
    [
      { name: 'refused', error: new BerthError('server_not_running', 'It is not running.') },
      'Disconnected: It is not running.',
    ],
  ];
  for (const [state, words] of ends) assert.equal(stateInWords(state), words);
});

test('only what has ended can be opened again, and only the end of the server does so by itself', () => {
  const states: [State, boolean, boolean][] = [
    [{ name: 'connecting' }, false, false],
    [{ name: 'connected' }, false, false],
    [{ name: 'reconnecting' }, false, false],
    [ended(1000, 'The server was stopped.'), true, true],
    [ended(4409, 'The console was opened elsewhere.'), true, false],
    [{ name: 'refused', error: new Error('No') }, true, false],
    [{ name: 'refused', error: new BerthError('too_many_consoles', 'No.') }, true, false],
    [{ name: 'refused', error: new BerthError('server_not_running', 'No.') }, true, true],
  ];
  for (const [state, over, withServer] of states) {
    assert.deepEqual([isOver(state), endedWithServer(state)], [over, withServer], state.name);
  }
});

test('it is opened again at once, then after longer and longer times, and then no more', () => {
  const stopped = ended(1000, 'The server was stopped.');
  const waits = Array.from({ length: 7 }, (_, tries) => waitBeforeTry(stopped, tries));
  assert.deepEqual(waits, [0, 1000, 2000, 3000, 4000, undefined, undefined]);
  assert.equal(waitBeforeTry(ended(4409, 'The console was opened elsewhere.'), 0), undefined);
  assert.equal(waitBeforeTry({ name: 'connected' }, 0), undefined);
});
