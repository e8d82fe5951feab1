import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, problem, type Reply, serve } from '../../../client/testing/server.ts';
import { createHome } from '../../testing/terminal.ts';

const { berth } = createHome();

const servers = [
  { id: 1, hostname: 'web-1' },
  { id: 2, hostname: 'web-2' },
];
const result = (id: number) => ({
  ...{ server_id: id, accepted: true },
  operation: { id: 10 + id, status: 'pending', error: null },
});
const ended = { id: 11, status: 'succeeded', progress: 100, message: 'web-1 is stopped.' };

const reply: Reply = (response, request) => {
  const { url } = request;
  const answers: Record<string, Reply> = {
    '/v1/servers/actions': json({ results: [result(1), result(2)], refused: 0, message: '' }),
    '/v1/operations/11': json(ended),
    '/v1/operations/12': problem(502, 'engine_unreachable'),
  };
  (answers[url] ?? json(servers))(response, request);
};

for (const wait of ['--wait', '--no-wait']) {
  test(`if the state of one operation cannot be read, all outcomes are printed (${wait})`, async () => {
    const { url } = await serve([reply]);
    const env = { BERTH_URL: url, BERTH_TOKEN: 'berth_x' };
    const args = ['server', 'stop', '--label', 'env=test', wait];
    const { status, stdout, stderr } = await berth(args, { env });
    assert.equal(status, 7, stderr);
    assert.match(stdout, /^1 +web-1 +(succeeded|accepted) +11 +web-1 is stopped\.$/m);
    assert.match(stdout, /^2 +web-2 +accepted +12 +Its detail\.$/m);
    assert.equal(stderr.includes('"berth operation watch 12"'), wait === '--wait');
  });
}
