import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Location } from '@berth/contract/locations';
import { imageAlias } from '../service/src/images/images.ts';
import { toolEntry } from '../service/src/testing/tool.ts';
import { eventually } from '../service/src/testing/until.ts';
import {
  call,
  create,
  directory,
  incusNetwork,
  incusPool,
  incusProject,
  incusSocket,
  operations,
  remove,
  untilIdle,
  view,
} from './api.ts';
import { onFreePort } from './ports.ts';
import { dataDirectory } from './service.ts';

// Tests another location with the same Incus: over HTTPS, in a separate project, on an unmanaged
// bridge.

const name = 'far';
const project = `${incusProject()}-far`;
/** One of the names that the harness removes. */
const bridge = `${incusNetwork()}h`;
const subnet = '10.222.37';
const run = promisify(execFile);
let locationId: number;

async function location(...args: string[]) {
  const env = { ...process.env, BERTH_DATA_DIR: dataDirectory(directory()) };
  return await run(process.execPath, [toolEntry, 'location', ...args], { env });
}

async function incus(...args: string[]): Promise<string> {
  const env = { ...process.env, INCUS_DIR: join(incusSocket(), '..') };
  return (await run('incus', args, { env })).stdout.trim();
}

const ip = (...args: string[]) => execFileSync('ip', args);

before(async () => {
  ip('link', 'add', bridge, 'type', 'bridge');
  ip('address', 'add', `${subnet}.1/24`, 'dev', bridge);
  ip('link', 'set', bridge, 'up');
  await onFreePort((port) => incus('config', 'set', `core.https_address=127.0.0.1:${port}`));
});

after(async () => {
  const trusted = JSON.parse(await incus('config', 'trust', 'list', '--format', 'json'));
  for (const { fingerprint } of trusted) await incus('config', 'trust', 'remove', fingerprint);
  await incus('config', 'unset', 'core.https_address');
  // It asks for confirmation.
  const env = { ...process.env, INCUS_DIR: join(incusSocket(), '..') };
  execFileSync('incus', ['project', 'delete', project, '--force'], { env, input: 'yes\n' });
  ip('link', 'delete', bridge);
});

test('a location is added with a token while the service runs', async () => {
  const token = (await incus('config', 'trust', 'add', 'berth')).split('\n').at(-1) ?? '';
  const on = ['--project', project, '--pool', incusPool(), '--network', bridge];
  const { stdout } = await location('add', name, '--token', token, ...on);
  assert.match(stdout, /https:\/\/127\.0\.0\.1:\d+, .* bridge of the hosts/);
  await eventually(async () => {
    const { body } = await call<Location[]>('GET', '/v1/locations');
    const found = body.find((one) => one.name === name);
    locationId = found?.id ?? 0;
    assert.equal(found?.reachable, true, 'it is shown as reachable');
  });
  const alias = imageAlias('debian-12');
  const to = ['--target-project', project, '--alias', alias];
  await incus('image', 'copy', alias, 'local:', '--project', incusProject(), ...to);
});

test('a server there has only its assigned address', async () => {
  const [cidr, gateway] = [`${subnet}.0/24`, `${subnet}.1`];
  const pool = { location_id: locationId, cidr, gateway, first: `${subnet}.7` };
  assert.equal((await call('POST', '/v1/address-pools', pool)).status, 201);
  const ping = (from: string) => ['python3', '-c', probe, from, gateway];
  const initialCommands = [
    ping(`${subnet}.7`),
    `ip address add ${subnet}.99/24 dev eth0`,
    ping(`${subnet}.99`),
  ];
  const server = await create({ location_id: locationId, initialCommands });
  assert.deepEqual(server.ip_addresses, [{ ip: `${subnet}.7`, is_primary: true }]);
  await untilIdle(server.id);
  assert.equal((await view(server.id)).status, 'started');
  const [{ commands } = { commands: null }] = await operations(server.id);
  const [own, , forged] = commands ?? [];
  assert.equal(own?.exit_status, 0, own?.output ?? undefined);
  assert.equal(forged?.exit_status, 1, 'a forged address gets no answer');
  await remove(server.id);
});

test('a location is removed once it has no servers', async () => {
  await location('remove', name, '--yes');
  const { body } = await call<Location[]>('GET', '/v1/locations');
  assert.ok(!body.some((one) => one.name === name));
});

/** Whether a host answers at an address. A refused connection is an answer. The exit status is 1 if there is none. */
const probe = `
import socket, sys
s = socket.socket()
s.settimeout(3)
s.bind((sys.argv[1], 0))
try:
    s.connect((sys.argv[2], 9))
except ConnectionRefusedError:
    pass
except OSError:
    sys.exit(1)
`;
