import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { SetupError } from '../../../setup/commands.mjs';
import { askFor, type Input } from './ask.ts';

const question = { says: 'All will go.', word: 'remove', undone: 'Nothing was removed' };

/** An input that stays open, after `typed`. */
function open(typed: string, isTTY?: true): Input {
  const input = new PassThrough();
  if (typed) input.write(typed);
  return Object.assign(input, isTTY && { isTTY });
}

/** What was printed, and the error if there was one. */
async function asked(input: Input) {
  const output = new PassThrough();
  const error = await askFor(question, input, output).then(
    () => undefined,
    (failed: SetupError) => failed,
  );
  return { error, printed: String(output.read()) };
}

test('at a terminal only the word goes on', async () => {
  const { error, printed } = await asked(open('remove\n', true));
  assert.equal(error, undefined);
  assert.equal(printed, 'All will go. Type "remove" to continue: ');
  const { error: other } = await asked(open('yes\n', true));
  assert.ok(other instanceof SetupError);
  assert.deepEqual(
    [other.message, other.wayOut],
    ['Nothing was removed.', 'To confirm, answer "remove".'],
  );
});

for (const piped of ['', 'remove\n']) {
  test(`without a terminal it waits for no answer, and takes none: "${piped.trim()}"`, async () => {
    const { error, printed } = await asked(open(piped));
    assert.ok(error instanceof SetupError);
    assert.match(error.message, /^Nothing was removed: .*standard input is not a terminal\.$/);
    assert.equal(error.wayOut, 'To confirm without a question, add --yes.');
    assert.equal(printed, 'All will go.\n');
  });
}
