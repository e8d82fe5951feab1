import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../service/src/testing/temporary-directory.ts';

const directory = temporaryDirectory('haproxy');
after(() => rmSync(directory, { recursive: true, force: true }));

test('HAProxy limits the connections and requests of an address, or of an IPv6 /64, and of no other', () => {
  const clients = fileURLToPath(new URL('haproxy-clients.ts', import.meta.url));
  // Runs in a separate network, in which any address can be used.
  const command = ['-rnpf', '--kill-child', process.execPath, clients, directory];
  const { status, stdout, stderr } = spawnSync('unshare', command, { timeout: 170_000 });
  assert.equal(status, 0, String(stderr));
  const { requests, ...found } = JSON.parse(String(stdout));
  assert.deepEqual(found, {
    ofOneNetwork: 100,
    ofTheNextNetwork: 10,
    ofOneAddress: 100,
    openedUntilRefused: 200,
    plain: { ofBothPorts: 100, openedUntilRefused: 200, requests: [50, 429], other: 308 },
    other: 200,
    from: ['2001:db8:1::1', '2001:db8:2::1', '192.0.2.4'],
  });
  assert.deepEqual([requests.count, requests.status, requests.retryAfter], [50, 429, '10']);
  assert.equal(JSON.parse(requests.body).code, 'rate_limited');
});
