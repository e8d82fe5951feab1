import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Drift, DriftAdopted } from '@berth/contract/drift';
import type { Location } from '@berth/contract/locations';
import type { Accepted, Operation } from '@berth/contract/operations';
import { createIncusClient } from '../service/src/incus/client.ts';
import { until } from '../service/src/testing/until.ts';
import {
  call,
  created,
  incusNetwork,
  incusPool,
  incusProject,
  incusSocket,
  osId,
  primaryAddress,
  remove,
  untilIdle,
  view,
} from './api.ts';
import { incus } from './incus.ts';
import { ssh } from './ssh.ts';

// Tests that what somebody changes with the incus command is found and put back, and that an instance that somebody has made
// with it is adopted, restarted and deleted.

/** Two sweeps, a minute apart, in which nothing happens: the tests wait for the same ones. */
const findSeconds = 240;
/** The alias of the image that creates use. */
const image = 'berth-debian-12';

const place = { socketPath: incusSocket(), names: { project: incusProject() } };
const onIncus = (...args: string[]) => incus(place, args);

const find = (what: string, query: string, isFound: (drift: Drift) => boolean = () => true) =>
  until(
    what,
    async () => (await call<Drift[]>('GET', `/v1/drift?${query}`)).body.find(isFound),
    (drift) => drift !== undefined,
    findSeconds,
  );

async function ends<T extends Accepted>(path: string, body?: object): Promise<T> {
  const answer = await call<T>('POST', path, body, { prefer: 'wait=75' });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const { id } = answer.body.operation;
  const ended = async () => (await call<Operation>('GET', `/v1/operations/${id}`)).body;
  const { status, message } = await until(
    `the operation ${id} has ended`,
    ended,
    ({ finished_at }) => finished_at !== null,
    findSeconds,
  );
  assert.equal(status, 'succeeded', message);
  return answer.body;
}

async function instanceOf(name: string) {
  const client = createIncusClient({ socketPath: incusSocket(), project: incusProject() });
  try {
    return await client.instances.get(name);
  } finally {
    await client.close();
  }
}

/** Without the keys that Incus itself sets. */
async function definitionOf(name: string) {
  const { config, devices, profiles } = (await instanceOf(name)) ?? {};
  const own = Object.entries(config ?? {}).filter(([key]) => !key.startsWith('volatile.'));
  return { config: Object.fromEntries(own), devices, profiles };
}

describe('drift', { concurrency: true }, () => {
  it('changes by hand are found, and a repair puts them back while the server runs', async () => {
    const server = await created({ cpu: 1, ram: 512 });
    const name = `srv-${server.uuid}`;
    const before = await definitionOf(name);
    await ssh(primaryAddress(server), 'touch /run/same-run');
    await onIncus(
      'config',
      'set',
      name,
      'limits.cpu=2',
      'limits.memory=1GiB',
      'security.nesting=true',
    );
    await onIncus('config', 'device', 'set', name, 'eth0', 'security.ipv6_filtering=false');
    await onIncus(
      'config',
      'device',
      'add',
      name,
      'extra',
      'disk',
      'source=/tmp',
      'path=/mnt/extra',
    );
    await onIncus('profile', 'add', name, 'default');
    const wanted = [
      ...['config.limits.cpu', 'config.limits.memory', 'config.security.nesting'],
      ...['devices.eth0.security.ipv6_filtering', 'devices.extra', 'profiles'],
    ];
    const pathsOf = ({ differences }: Drift) => differences.map(({ path }) => path);
    const drift = await find(
      'all changes are found',
      `server_id=${server.id}`,
      (one) => String(pathsOf(one)) === String(wanted),
    );
    await ends(`/v1/drift/${drift?.id}/repair`);
    assert.deepEqual(await definitionOf(name), before);
    assert.equal(await ssh(primaryAddress(server), 'ls /run/same-run'), '/run/same-run');
    const left = await call<Drift[]>('GET', `/v1/drift?server_id=${server.id}`);
    assert.deepEqual(left.body, []);
    await remove(server.id);
  });

  it('an instance that was renamed by hand gets its name back', async () => {
    const server = await created();
    const name = `srv-${server.uuid}`;
    await onIncus('stop', '--force', name);
    await onIncus('rename', name, 'by-hand');
    const drift = await find('it is found', `server_id=${server.id}`, ({ differences }) =>
      differences.some(({ path }) => path === 'name'),
    );
    await ends(`/v1/drift/${drift?.id}/repair`);
    assert.equal((await view(server.id)).status, 'stopped');
    await call('POST', `/v1/servers/${server.id}/start`);
    await untilIdle(server.id);
    assert.equal((await view(server.id)).status, 'started');
    await remove(server.id);
  });

  it('an instance that was made with the incus command is adopted, restarted and deleted', async () => {
    await onIncus(
      ...['launch', image, 'made-by-hand', '--storage', incusPool(), '--network', incusNetwork()],
      ...['--config', 'limits.cpu=1', '--config', 'limits.memory=512MiB'],
    );
    await onIncus('config', 'device', 'set', 'made-by-hand', 'root', 'size=4GiB');
    await onIncus('exec', 'made-by-hand', '--', 'sh', '-c', 'echo kept > /root/kept');
    const drift = await find(
      'it is found, and has an address',
      'kind=unknown_instance&q=made-by-hand',
      ({ adoptable }) => adoptable?.ip_addresses.some((ip) => ip.includes('.')) ?? false,
    );
    assert.ok(drift?.adoptable);
    const { ip_addresses: addresses, obstacles, ...size } = drift.adoptable;
    assert.deepEqual([size, obstacles], [{ cpu: 1, ram: 512, disk: 4 }, []]);
    const body = { os_id: await osId('debian-12'), name: 'adopted.example.org' };
    const { server_id: id } = await ends<DriftAdopted>(`/v1/drift/${drift.id}/adopt`, body);
    const server = await view(id);
    assert.equal(server.status, 'started');
    const name = `srv-${server.uuid}`;
    const address = primaryAddress(server);
    assert.ok(addresses.includes(address), `${address} is one of ${addresses}`);
    const inGuest = (...command: string[]) => onIncus('exec', name, '--', ...command);
    await inGuest('grep', '-q', 'kept', '/root/kept');
    const hasAddress = async () =>
      inGuest('sh', '-c', `ip -o addr show eth0 | grep -qwF ${address}`).then(
        () => true,
        () => false,
      );
    await until('it has its address again', hasAddress, (has) => has, findSeconds);
    await ends(`/v1/servers/${id}/restart`);
    await until('it has its address after a restart', hasAddress, (has) => has, findSeconds);
    await inGuest('grep', '-q', 'kept', '/root/kept');
    assert.equal((await view(id)).status, 'started');
    await remove(id);
    assert.deepEqual([await instanceOf(name), await instanceOf('made-by-hand')], [null, null]);
  });

  it('an instance of another Incus project is moved with its disk and its address, and is the same guest', async () => {
    const [location] = (await call<Location[]>('GET', '/v1/locations')).body;
    assert.ok(location);
    const path = `/v1/locations/${location.id}`;
    const changed = await call<Location>('PATCH', path, { adopt_from: ['default'] });
    assert.deepEqual([changed.status, changed.body.adopt_from], [200, ['default']]);
    const other = { ...place, names: { project: 'default' } };
    const elsewhere = (...args: string[]) => incus(other, args);
    // The image is in the project of the location.
    await onIncus(
      ...['launch', image, 'made-afar', '--storage', incusPool(), '--network', incusNetwork()],
      ...['--config', 'limits.cpu=1', '--config', 'limits.memory=512MiB'],
    );
    await onIncus('config', 'device', 'set', 'made-afar', 'root', 'size=4GiB');
    await onIncus('exec', 'made-afar', '--', 'sh', '-c', 'echo kept > /root/kept; sync');
    await onIncus('stop', '--force', 'made-afar');
    await onIncus('move', 'made-afar', '--target-project', 'default');
    await elsewhere('snapshot', 'create', 'made-afar', 'before');
    await elsewhere('start', 'made-afar');
    const drift = await find(
      'it is found, and has an address',
      'kind=foreign_instance&q=made-afar',
      ({ adoptable }) => adoptable?.ip_addresses.some((ip) => ip.includes('.')) ?? false,
    );
    assert.ok(drift?.adoptable);
    assert.deepEqual([drift.incus_project, drift.adoptable.obstacles], ['default', []]);
    const guestOf = async (name: string, project: string) => {
      const client = createIncusClient({ socketPath: incusSocket(), project });
      try {
        const { config } = (await client.instances.get(name)) ?? {};
        return config?.['volatile.cloud-init.instance-id'];
      } finally {
        await client.close();
      }
    };
    const guest = await guestOf('made-afar', 'default');
    await elsewhere('exec', 'made-afar', '--', 'sh', '-c', 'hostname > /root/called; sync');
    const body = { os_id: await osId('debian-12') };
    const { server_id: id } = await ends<DriftAdopted>(`/v1/drift/${drift.id}/adopt`, body);
    const server = await view(id);
    assert.deepEqual([server.status, server.hostname], ['started', 'made-afar']);
    const name = `srv-${server.uuid}`;
    const address = primaryAddress(server);
    assert.ok(drift.adoptable.ip_addresses.includes(address), `${address} is kept`);
    assert.deepEqual([await guestOf(name, incusProject()), guest?.length], [guest, 36]);
    assert.equal(await guestOf('made-afar', 'default'), undefined, 'it is no longer there');
    const inGuest = (...command: string[]) => onIncus('exec', name, '--', ...command);
    await inGuest('grep', '-q', 'kept', '/root/kept');
    await inGuest('sh', '-c', '[ "$(cat /etc/hostname)" = "$(cat /root/called)" ]');
    await onIncus('snapshot', 'show', name, 'before');
    const hasAddress = async () =>
      inGuest('sh', '-c', `ip -o addr show eth0 | grep -qwF ${address}`).then(
        () => true,
        () => false,
      );
    await until('it has its address again', hasAddress, (has) => has, findSeconds);
    await remove(id);
    assert.equal(await guestOf(name, incusProject()), undefined);
    await call('PATCH', path, { adopt_from: [] });
  });
});
