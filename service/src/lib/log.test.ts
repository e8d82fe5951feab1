import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { keptLog } from '../testing/canaries.ts';
import { errorSerializer, lineFormat } from './log.ts';
import { createSharedOutage } from './outage.ts';

function logs(level: string) {
  const lines: string[] = [];
  const log = pino({ ...lineFormat, level }, { write: (line) => void lines.push(line) });
  return { log, told: () => lines.splice(0).map((line) => JSON.parse(line)) };
}

/** An error that an outage of what many need has counted. */
function counted(): Error {
  const error = new Error('refused');
  const words = { failed: 'Away.', goesOn: 'Still away.', works: 'Back.' };
  createSharedOutage(keptLog().log, words).failed(error);
  return error;
}

test('what an outage of many parts has counted is a line of the level debug, without a stack', () => {
  const { log, told } = logs('debug');
  const child = log.child({ part: 'one' }, { redact: ['secret'] });
  child.error({ err: counted(), id: 7, secret: 'canary' }, 'A part failed.');
  child.warn(counted(), 'It %s.', 'failed');
  child.fatal(new Error('A request failed.', { cause: counted() }));
  assert.deepEqual(
    told().map(({ level, part, id, reason, err, msg }) => [level, part, id, reason, err, msg]),
    [
      ['debug', 'one', 7, 'refused', undefined, 'A part failed.'],
      ['debug', 'one', undefined, 'refused', undefined, 'It failed.'],
      ['debug', 'one', undefined, 'A request failed.', undefined, undefined],
    ],
  );
  const { log: usual, told: usually } = logs('warn');
  usual.error({ err: counted() }, 'A part failed.');
  assert.deepEqual(usually(), []);
});

test('other errors are logged as they are', () => {
  const { log, told } = logs('warn');
  log.error({ err: new Error('A mistake.'), id: 7 }, 'A part failed.');
  log.warn({ id: 8 }, 'Of %s.', 'note');
  log.warn('Words alone.');
  const [failed, noted, alone] = told();
  assert.deepEqual([failed.level, failed.id, failed.msg], ['error', 7, 'A part failed.']);
  assert.match(failed.err.stack, /A mistake\.\n {4}at /);
  assert.deepEqual([noted.id, noted.msg, alone.msg], [8, 'Of note.', 'Words alone.']);
});

test('a stack is logged once an hour, and that of a lost connection never', () => {
  let at = 0;
  const serialiser = errorSerializer(() => at);
  const serialise = (error: unknown): Record<string, unknown> =>
    JSON.parse(JSON.stringify(serialiser(error)));
  const mistake = new TypeError('A mistake.');
  const { stack, ...first } = serialise(mistake);
  assert.match(String(stack), /A mistake/);
  assert.deepEqual([first.type, first.message], ['TypeError', 'A mistake.']);
  assert.deepEqual(Object.keys(serialise(mistake)), ['type', 'message']);
  assert.ok('stack' in serialise(new TypeError('A mistake.')), 'one from another place');
  at = 3_600_000;
  assert.ok('stack' in serialise(mistake));
  const away = Object.assign(new AggregateError([mistake], 'No.'), { code: 'ECONNREFUSED' });
  assert.deepEqual(serialise(away), {
    ...{ type: 'AggregateError', message: 'No.', code: 'ECONNREFUSED' },
  });
  assert.equal(serialiser('thrown'), 'thrown');
});

test('only so many stacks are kept in mind', () => {
  const serialise = errorSerializer() as (error: unknown) => Record<string, unknown>;
  const first = new Error('first');
  serialise(first);
  for (let other = 0; other < 200; other += 1) serialise(new Error(`other ${other}`));
  assert.ok('stack' in serialise(first));
});
