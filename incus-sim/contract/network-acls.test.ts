import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AclRules } from '../../service/src/incus/network-acls.ts';
import { failsWith } from './assertions.ts';
import { cleanUpWith, newName, useTarget } from './target.ts';

const target = useTarget();

const rules: AclRules = {
  egress: [
    { action: 'allow', destination: '1.0.0.0-9.255.255.255,11.0.0.1' },
    { action: 'allow', destination: '2000::-2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff' },
    { action: 'drop', destination: '10.99.1.0-10.99.1.255' },
    {
      action: 'drop',
      destination: '0.0.0.0-255.255.255.255',
      protocol: 'tcp',
      destination_port: '25',
    },
  ],
  ingress: [{ action: 'allow', destination: '10.99.1.0-10.99.1.255' }],
};

async function made(): Promise<string> {
  const { networkAcls } = target.client;
  const name = newName('acl');
  await networkAcls.create({ name, description: 'Contract', egress: [], ingress: [] });
  cleanUpWith(async () => {
    if (await networkAcls.get(name)) await networkAcls.delete(name);
  });
  return name;
}

async function read(name: string) {
  const found = await target.client.networkAcls.get(name);
  assert.ok(found);
  return found;
}

const plain = (all: AclRules['egress']) =>
  all.map(({ action, destination, protocol, destination_port }) => {
    return JSON.stringify([action, destination, protocol, destination_port]);
  });

describe('a network ACL', () => {
  it('is created once, and deleted', async () => {
    const { networkAcls } = target.client;
    assert.equal(await networkAcls.get('contract-none'), null);
    const name = await made();
    const { value } = await read(name);
    assert.equal(value.description, 'Contract');
    assert.deepEqual(value.used_by, []);
    const again = networkAcls.create({ name, description: '', egress: [], ingress: [] });
    await assert.rejects(again, failsWith('already_exists'));
    await networkAcls.delete(name);
    assert.equal(await networkAcls.get(name), null);
    await assert.rejects(networkAcls.delete(name), failsWith('not_found'));
  });

  it('has the last rules that were set, unchanged and in order', async () => {
    const { networkAcls } = target.client;
    const name = await made();
    const before = await read(name);
    await networkAcls.replace(before.value, rules, before.etag);
    const { value, etag } = await read(name);
    assert.deepEqual(plain(value.egress), plain(rules.egress));
    assert.deepEqual(plain(value.ingress), plain(rules.ingress));
    assert.ok(value.egress.every(({ state }) => state === 'enabled'));
    await networkAcls.replace(value, { egress: [], ingress: [] }, etag);
    assert.deepEqual((await read(name)).value.egress, []);
  });

  it('is not overwritten if it was changed meanwhile', async () => {
    const { networkAcls } = target.client;
    const name = await made();
    const before = await read(name);
    await networkAcls.replace(before.value, rules, before.etag);
    const late = networkAcls.replace(before.value, { egress: [], ingress: [] }, before.etag);
    await assert.rejects(late, failsWith('busy', /ETag doesn't match/));
    assert.equal((await read(name)).value.egress.length, rules.egress.length);
  });

  it('refuses duplicate rules and invalid addresses, and stays as it was', async () => {
    const { networkAcls } = target.client;
    const name = await made();
    const { value, etag } = await read(name);
    const rule = { action: 'allow' as const, destination: '10.0.0.1' };
    const twice = networkAcls.replace(value, { egress: [rule, rule], ingress: [] }, etag);
    await assert.rejects(twice, failsWith('failed', /Duplicate of egress rule 0/));
    const bad = { ...rule, destination: '10.0.0.1/33' };
    const odd = networkAcls.replace(value, { egress: [], ingress: [bad] }, etag);
    await assert.rejects(odd, failsWith('invalid', /Invalid ingress rule 0/));
    assert.equal((await read(name)).etag, etag);
  });

  it('without an address applies to all of them', async () => {
    const { networkAcls } = target.client;
    const name = await made();
    const { value, etag } = await read(name);
    await networkAcls.replace(value, { egress: [{ action: 'drop' }], ingress: [] }, etag);
    assert.equal((await read(name)).value.egress[0]?.destination, undefined);
  });
});

describe('a network', () => {
  it('gets an ACL and default actions, and keeps everything else', async () => {
    const { client, names } = target;
    const { networks, networkAcls } = client;
    // The end-to-end harness knows this name, and removes what is left of it.
    const network = `${names.network}c`;
    const config = { 'ipv4.address': '10.99.1.1/24', 'ipv6.address': 'none', 'user.x': 'y' };
    const description = 'Contract';
    await networks.create({ name: network, type: 'bridge', description, config });
    cleanUpWith(async () => {
      if (await networks.get(network)) await networks.delete(network);
    });
    const acl = await made();
    const before = await networks.getTagged(network);
    assert.ok(before);
    const none = networks.configure(network, { 'security.acls': 'contract-none' }, before.etag);
    await assert.rejects(none, failsWith('invalid', /Network ACL "contract-none" does not exist/));
    const filtered = {
      'security.acls': acl,
      'security.acls.default.ingress.action': 'drop',
      'security.acls.default.egress.action': 'drop',
    };
    await networks.configure(network, filtered, before.etag);
    const after = await networks.get(network);
    assert.deepEqual(after?.config, { ...before.value.config, ...filtered });
    const late = networks.configure(network, { 'user.x': 'z' }, before.etag);
    await assert.rejects(late, failsWith('busy', /ETag doesn't match/));

    const { value, etag } = await read(acl);
    assert.deepEqual(value.used_by, [`/1.0/networks/${network}`]);
    await assert.rejects(networkAcls.delete(acl), failsWith('failed', /in use/));
    await networkAcls.replace(value, rules, etag);
    await networks.delete(network);
    await networkAcls.delete(acl);
  });

  it('is listed along with the interfaces of the host and their addresses', async () => {
    const { client, names } = target;
    const listed = await client.networks.list();
    const own = listed.find(({ name }) => name === names.network);
    assert.equal(own?.managed, true);
    const interfaces = listed.filter(({ managed }) => !managed);
    const loopback = interfaces.find(({ type }) => type === 'loopback');
    assert.ok(loopback && interfaces.some(({ type }) => type === 'physical'));
    const addressesOf = async (name: string) =>
      (await client.networks.getState(name))?.addresses?.map(
        (one) => `${one.address} ${one.scope}`,
      ) ?? [];
    assert.ok((await addressesOf(loopback.name)).includes('127.0.0.1 local'));
    const [gateway = ''] = own?.config['ipv4.address']?.split('/') ?? [];
    assert.ok((await addressesOf(names.network)).includes(`${gateway} global`));
  });
});
