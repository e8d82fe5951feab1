import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { json, serve } from '../../../client/testing/server.ts';
import { createHome } from '../../testing/terminal.ts';

const { home, berth } = createHome();

test('a server that does not run is named, and ssh does not wait for it', async () => {
  const ip_addresses = [{ ip: '192.0.2.1', is_primary: true }];
  for (const [state, verb] of [
    ['stopped', 'start'],
    ['paused', 'unpause'],
  ] as const) {
    const { url } = await serve([json({ hostname: 'web-1', status: state, ip_addresses })]);
    const env = { BERTH_URL: url, BERTH_TOKEN: 'berth_x' };
    const { status, stderr } = await berth(['server', 'ssh', 'web-1'], { env });
    assert.equal(status, 1);
    const hint = `Run "berth server ${verb} web-1" first.`;
    assert.equal(stderr, `Error: web-1 is ${state}.\n${hint}\n`);
  }
});

test('what the service sends instead of an IP address is not passed to ssh', async () => {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'ssh'), `#!/bin/sh\ntouch "${home}/ssh-ran"\n`);
  chmodSync(join(bin, 'ssh'), 0o755);
  const ip = '-oProxyCommand=:';
  const server = { hostname: 'web-1', ip_addresses: [{ ip, is_primary: true }] };
  const { url } = await serve([json(server)]);
  const env = { BERTH_URL: url, BERTH_TOKEN: 'berth_x', PATH: `${bin}:${process.env.PATH}` };
  for (const more of [[], ['-6']]) {
    const { status, stderr } = await berth(['server', 'ssh', ...more, 'web-1'], { env });
    assert.equal(status, 1);
    assert.match(stderr, /-oProxyCommand=: is not an IP address\./);
  }
  assert.ok(!existsSync(join(home, 'ssh-ran')));
});
