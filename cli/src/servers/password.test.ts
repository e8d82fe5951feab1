import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, problem, type Reply, serve } from '../../../client/testing/server.ts';
import { createHome } from '../../testing/terminal.ts';

const { berth } = createHome();

const accepted: Reply = (response, request) =>
  json(
    { id: 1, message: 'It starts.', operation: { id: 7 }, password: 'chosen-by-berth' },
    {},
    202,
  )(response, request);
const failed = json({
  ...{ id: 7, status: 'failed', progress: 40, message: 'It has failed.' },
  error: { code: 'engine_unreachable', detail: 'The node does not answer.' },
});

/** Runs a command on a service with these replies. */
async function run(args: string[], replies: readonly [Reply, ...Reply[]]) {
  const { url, requests } = await serve(replies);
  const env = { BERTH_URL: url, BERTH_TOKEN: 'berth_x' };
  return { ...(await berth(args, { env })), requests };
}

const create = [
  ...['server', 'create', 'web-1', '--location', '1', '--os', '1', '--size', 's'],
  '--generate-password',
];
const rebuild = ['server', 'rebuild', 'web-1', '--yes', '--generate-password'];

for (const args of [create, rebuild, ['server', 'password', 'web-1']]) {
  for (const format of ['json', 'yaml']) {
    test(`the password of ${args[1]} is noted if the wait fails with -o ${format}`, async () => {
      const { status, stdout, stderr, requests } = await run(
        [...args, '-o', format],
        [accepted, failed],
      );
      assert.deepEqual([status, stdout], [1, ''], stderr);
      const { password = 'chosen-by-berth' } = JSON.parse(requests[0]?.body ?? '');
      assert.match(stderr, new RegExp(`^Password of root: ${password}\nError: The node`));
    });
  }
}

test('a password that the service did not accept is not noted', async () => {
  const { stderr } = await run([...rebuild, '-o', 'json'], [problem(409, 'server_busy')]);
  assert.equal(stderr, 'Error: Its detail.\n');
});

test('if the state of an operation cannot be read, it is said how to follow it', async () => {
  const hint = /The operation continues\. Follow it with "berth operation watch 7"/;
  const refused = await run(
    ['server', 'start', 'web-1'],
    [accepted, problem(500, 'internal_error')],
  );
  assert.equal(refused.status, 7);
  assert.match(refused.stderr, hint);
  const ended = await run(['server', 'start', 'web-1'], [accepted, failed]);
  assert.doesNotMatch(ended.stderr, hint);
});
