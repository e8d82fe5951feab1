import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createHome } from '../../testing/terminal.ts';
import { exitStatuses } from '../exit-statuses.ts';

let onList: () => void = () => undefined;
const service = createServer(({ method, url = '' }, response) => {
  if (method === 'GET' && url.startsWith('/v1/servers?')) {
    onList();
    const servers = ['web-1', 'database'].map((hostname) => ({ hostname }));
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(servers));
    return;
  }
  const name = url.split('/')[3];
  response.statusCode = 404;
  response.setHeader('Content-Type', 'application/problem+json');
  const detail = `No server is called ${name}.`;
  response.end(
    JSON.stringify({
      type: 'about:blank',
      status: 404,
      code: 'server_not_found',
      title: '',
      detail,
    }),
  );
});
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
after(() => service.close());
const { port } = service.address() as AddressInfo;
const { berth } = createHome({ BERTH_URL: `http://127.0.0.1:${port}`, BERTH_TOKEN: 'berth_x' });

test('similar names are suggested for each of several names', async () => {
  const { status, stderr } = await berth(['server', 'start', 'wbe-1', 'databse', '--no-wait']);
  assert.equal(status, exitStatuses.not_found, stderr);
  assert.match(
    stderr,
    /called wbe-1\.\n.*called databse\.\nDid you mean web-1\?\nDid you mean database\?\n$/s,
  );
});

test('Ctrl-C while similar names are searched for ends the command as elsewhere', async () => {
  const stopping = new AbortController();
  onList = () => stopping.abort();
  const { status, stderr } = await berth(['server', 'show', 'wbe-1'], { signal: stopping.signal });
  assert.equal(status, exitStatuses.interrupted, stderr);
  assert.match(stderr, /called wbe-1\.\n$/);
});
