import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import type { AclRule, AclRules } from '../incus/network-acls.ts';
import { compilePolicy, type Policy } from './compile.ts';
import '../testing/fixed-seed.ts';

const usual: Policy = {
  subnets: ['10.84.1.0/24', 'fd42:1::/64'],
  nodes: ['10.84.1.1', 'fd42:1::1', '8.8.4.4', '2600::5', '127.0.0.1', 'fe80::1'],
  elsewhere: ['8.8.8.8', '2600::8', '10.5.0.1'],
  protected: ['9.0.0.0/24', '2600:9::/48', '10.6.0.0/24'],
  held: ['10.84.1.2', 'fd42:1::2'],
  isShared: false,
  allowed: [],
  smtp: 'blocked',
  api: [],
};

/** Evaluates rules like Incus: drops first, then allows, and drops the rest. */
function verdict(rules: AclRule[], ip: string, port: number): 'allow' | 'drop' {
  const matching = rules.filter((rule) => matches(rule, ip, port));
  if (matching.some(({ action }) => action === 'drop')) return 'drop';
  return matching.length > 0 ? 'allow' : 'drop';
}

function matches({ destination, protocol, destination_port }: AclRule, ip: string, port: number) {
  assert.ok(protocol === undefined || protocol === 'tcp');
  if (destination_port !== undefined && destination_port !== String(port)) return false;
  return (destination ?? '').split(',').some((text) => isIn(text, ip));
}

/** Compares bytes, independently of the code that is tested. */
function isIn(text: string, ip: string): boolean {
  const [first = '', last = first] = text.split('-').map(bytes);
  const asked = bytes(ip);
  return asked.length === first.length && first <= asked && asked <= last;
}

const bytes = (ip: string) => Buffer.from(ipaddr.parse(ip).toByteArray()).toString('hex');

/** Traffic to another guest passes the rules of both directions; traffic to the host only those of one. */
const sent = (policy: Policy, ip: string, port = 443) => {
  const { egress, ingress } = compilePolicy(policy);
  const isHost = policy.nodes.includes(ip);
  const isOnNetwork = !isHost && policy.subnets.some((cidr) => isWithin(ip, cidr));
  return verdict(isOnNetwork ? [...egress, ...ingress] : egress, ip, port);
};

const isWithin = (ip: string, cidr: string) => {
  const address = ipaddr.parse(ip);
  const [network, length] = ipaddr.parseCIDR(cidr);
  return address.kind() === network.kind() && address.match(network, length);
};

describe('by default a server', () => {
  it('reaches the Internet', () => {
    for (const ip of ['1.1.1.1', '9.9.9.9', '192.175.48.1', '2620:4f:8000::1', '2a00:1450::1']) {
      assert.equal(sent(usual, ip), 'allow', ip);
    }
  });

  it('reaches no address of a node, not even a public one', () => {
    for (const ip of usual.nodes) assert.equal(sent(usual, ip), 'drop', ip);
  });

  it('reaches no nodes of other locations, no services and no protected networks', () => {
    for (const ip of ['8.8.8.8', '2600::8', '9.0.0.7', '2600:9::7']) {
      assert.equal(sent(usual, ip), 'drop', ip);
    }
    assert.equal(sent(usual, '9.0.1.7'), 'allow');
  });

  it('reaches no private, link-local, multicast or reserved address', () => {
    const closed = [
      ...[
        '0.0.0.1',
        '10.0.0.1',
        '100.64.0.1',
        '127.0.0.2',
        '169.254.169.254',
        '172.31.255.255',
        '168.63.129.16',
      ],
      ...['192.0.0.8', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
      ...[
        '224.0.0.1',
        '239.1.2.3',
        '255.255.255.255',
        '::1',
        '::',
        'fe80::2',
        'fd00::1',
        'ff02::1',
      ],
      ...[
        '::ffff:10.0.0.1',
        '64:ff9b::a00:1',
        '2001::1',
        '2001:db8::1',
        '2002:a00:1::1',
        '3fff::1',
      ],
    ];
    for (const ip of closed) assert.equal(sent(usual, ip), 'drop', ip);
  });

  it('reaches no other server, although those accept traffic from outside', () => {
    for (const ip of ['10.84.1.3', 'fd42:1::3']) {
      assert.equal(sent(usual, ip), 'drop', ip);
      assert.equal(verdict(compilePolicy(usual).ingress, ip, 22), 'allow', ip);
    }
  });

  it('cannot send mail on port 25', () => {
    for (const ip of ['1.1.1.1', '2a00::1']) {
      assert.equal(sent(usual, ip, 25), 'drop');
      assert.equal(sent(usual, ip, 587), 'allow');
      assert.equal(sent({ ...usual, smtp: 'open' }, ip, 25), 'allow');
    }
  });
});

describe('an allowed network', () => {
  const allowing = (...allowed: string[]) => ({ ...usual, allowed });

  it('can be reached, except for port 25', () => {
    const policy = allowing('10.0.5.0/24', 'fd00:5::/48', '169.254.169.254/32');
    for (const ip of ['10.0.5.9', 'fd00:5::9', '169.254.169.254']) {
      assert.equal(sent(policy, ip), 'allow', ip);
      assert.equal(sent(policy, ip, 25), 'drop', ip);
    }
    assert.equal(sent(policy, '10.0.6.9'), 'drop');
  });

  it('does not open nodes and servers within it', () => {
    const policy = allowing('10.0.0.0/8', 'fd00::/8', '8.8.0.0/16', '0.0.0.0/0');
    assert.equal(sent(policy, '10.84.2.1'), 'allow');
    for (const ip of ['10.84.1.1', '10.84.1.3', 'fd42:1::1', 'fd42:1::3', '8.8.4.4']) {
      assert.equal(sent(policy, ip), 'drop', ip);
    }
  });

  it('opens a service or protected network only if it is within that', () => {
    const policy = allowing('8.8.0.0/16', '2600::/16', '10.0.0.0/8', '168.63.129.0/24');
    for (const ip of ['8.8.8.8', '2600::8', '9.0.0.7', '2600:9::7', '10.6.0.1']) {
      assert.equal(sent(policy, ip), 'drop', ip);
    }
    const open = allowing('8.8.8.8/32', '9.0.0.4/30', '10.6.0.0/24', '168.63.129.16/32');
    for (const ip of ['8.8.8.8', '9.0.0.7', '10.6.0.1', '168.63.129.16']) {
      assert.equal(sent(open, ip), 'allow', ip);
    }
    assert.equal(sent(open, '9.0.0.8'), 'drop');
  });

  it('can be private', () => {
    assert.equal(sent(allowing('10.5.0.0/24'), '10.5.0.1'), 'allow');
  });

  it('opens servers to each other if it is their subnet, and not the gateway', () => {
    const policy = allowing('10.84.1.0/24', 'fd42:1::/64');
    for (const ip of ['10.84.1.3', 'fd42:1::3']) assert.equal(sent(policy, ip), 'allow', ip);
    for (const ip of ['10.84.1.1', 'fd42:1::1']) assert.equal(sent(policy, ip), 'drop', ip);
  });

  it('opens a node only if it is exactly its address', () => {
    assert.equal(sent(allowing('10.84.1.1/32'), '10.84.1.1'), 'allow');
    assert.equal(sent(allowing('10.84.1.1/32'), '10.84.1.2'), 'drop');
    assert.equal(sent(allowing('8.8.4.4/32'), '8.8.4.4'), 'allow');
  });

  it('can contain the beginning of a subnet, which stays closed', () => {
    const subnets = ['10.0.1.0/24', '10.0.2.0/24'];
    const policy = { ...allowing('10.0.2.0/23'), subnets };
    assert.equal(sent(policy, '10.0.3.1'), 'allow');
    assert.equal(sent(policy, '10.0.2.1'), 'drop');
  });
});

describe('the API', () => {
  it('can be reached at the public address of a node, on its port only', () => {
    const policy = {
      ...usual,
      api: [
        { ip: '8.8.4.4', port: 443 },
        { ip: '2600::5', port: 443 },
      ],
    };
    for (const ip of ['8.8.4.4', '2600::5']) {
      assert.equal(sent(policy, ip, 443), 'allow');
      assert.equal(sent(policy, ip, 22), 'drop');
    }
  });

  it('can be reached at the gateway if that is public', () => {
    const network = { subnets: ['45.0.0.0/24'], nodes: ['45.0.0.1'] };
    const policy = { ...usual, ...network, api: [{ ip: '45.0.0.1', port: 443 }] };
    assert.equal(sent(policy, '45.0.0.1', 443), 'allow');
    assert.equal(sent(policy, '45.0.0.1', 22), 'drop');
    assert.equal(sent(policy, '45.0.0.2', 443), 'drop');
  });

  it('cannot be reached at a private address', () => {
    const api = [
      { ip: '10.84.1.1', port: 8080 },
      { ip: '127.0.0.1', port: 8080 },
      { ip: '::1', port: 8080 },
    ];
    assert.deepEqual(compilePolicy({ ...usual, api }), compilePolicy(usual));
  });
});

describe('incoming traffic', () => {
  const enters = (policy: Policy, ip: string) => verdict(compilePolicy(policy).ingress, ip, 22);

  it('reaches the whole IPv4 subnet, and the used and next blocks of IPv6 addresses', () => {
    const policy = { ...usual, held: ['fd42:1::2', 'fd42:1::12:5'] };
    for (const ip of [
      '10.84.1.200',
      'fd42:1::ff',
      'fd42:1::1ff',
      'fd42:1::12:0',
      'fd42:1::12:1ff',
    ]) {
      assert.equal(enters(policy, ip), 'allow', ip);
    }
    for (const ip of ['10.84.2.1', 'fd42:1::200', 'fd42:1::11:ffff', 'fd42:1::12:200']) {
      assert.equal(enters(policy, ip), 'drop', ip);
    }
  });

  it('reaches all of a network that is shared with others', () => {
    assert.equal(enters({ ...usual, isShared: true }, 'fd42:1::ffff:1'), 'allow');
  });

  it('does not go beyond the end of the subnet', () => {
    const policy = { ...usual, subnets: ['2a00::/120'], held: ['2a00::fe'] };
    assert.equal(enters(policy, '2a00::ff'), 'allow');
    assert.equal(enters(policy, '2a00::100'), 'drop');
  });
});

describe('for any policy, the rules', () => {
  const ipv4 = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3), fc.nat(3)).map((at) => {
    const corners = [0, 10, 84, 255];
    return at.map((index) => corners[index]).join('.');
  });
  const ipv6 = fc
    .array(fc.constantFrom('0', '1', 'fd42', '2a00', 'ffff'), { minLength: 8, maxLength: 8 })
    .map((parts) => ipaddr.parse(parts.join(':')).toString());
  const ip = fc.oneof(ipv4, ipv6);
  const network = ip.chain((address) => {
    const most = address.includes(':') ? 128 : 32;
    return fc.integer({ min: 0, max: most }).map((length) => networkOf(address, length));
  });
  const policies: fc.Arbitrary<Policy> = fc.record({
    subnets: fc.array(network, { maxLength: 2 }),
    nodes: fc.array(ip, { maxLength: 5 }),
    elsewhere: fc.array(ip, { maxLength: 5 }),
    protected: fc.array(network, { maxLength: 2 }),
    held: fc.array(ip, { maxLength: 5 }),
    isShared: fc.boolean(),
    allowed: fc.array(network, { maxLength: 4 }),
    smtp: fc.constantFrom('blocked', 'open'),
    api: fc.array(fc.record({ ip, port: fc.constantFrom(25, 443, 8080) }), { maxLength: 3 }),
  });
  const all = ({ egress, ingress }: AclRules) => [...egress, ...ingress];

  it('each have distinct addresses of one family', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const rules = compilePolicy(policy);
        for (const { destination } of all(rules)) {
          assert.ok(destination, 'an empty destination would mean everybody');
          const parts = destination.split(',');
          assert.equal(new Set(parts.map((part) => part.includes(':'))).size, 1);
          assert.equal(new Set(parts).size, parts.length);
        }
        for (const direction of [rules.egress, rules.ingress]) {
          const texts = direction.map((rule) => JSON.stringify(Object.entries(rule).sort()));
          assert.equal(new Set(texts).size, texts.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('allow what the longest matching prefix allows', () => {
    fc.assert(
      fc.property(policies, ip, fc.constantFrom(25, 443), (policy, to, port) => {
        assert.equal(sent(policy, to, port), expected(policy, to, port), to);
      }),
      { numRuns: 3000 },
    );
  });
});

function networkOf(address: string, length: number): string {
  const family = address.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
  return `${family.networkAddressFromCIDR(`${address}/${length}`)}/${length}`;
}

/** An independent implementation: of all entries that contain an address, the longest prefix decides. */
function expected(policy: Policy, ip: string, port: number) {
  const { subnets, nodes, elsewhere, allowed, smtp, api } = policy;
  const most = ip.includes(':') ? 128 : 32;
  const lengths = (cidrs: readonly string[]) =>
    cidrs.filter((cidr) => isWithin(ip, cidr)).map((cidr) => Number(cidr.split('/')[1]));
  const isPublic = isOnInternet(ip);
  const guards = [...nodes, ...(isPublic ? elsewhere : [])];
  const guarded = Math.max(
    -1,
    ...lengths([...subnets, ...policy.protected]),
    ...(guards.some((guard) => bytes(guard) === bytes(ip)) ? [most] : []),
  );
  const opened = Math.max(-1, ...lengths(allowed));
  if (opened >= 0 && opened >= guarded) return port === 25 && smtp === 'blocked' ? 'drop' : 'allow';
  if (guarded < 0 && isPublic) return port === 25 && smtp === 'blocked' ? 'drop' : 'allow';
  const isApi = api.some((one) => bytes(one.ip) === bytes(ip) && one.port === port);
  return isApi && isPublic ? 'allow' : 'drop';
}

/** Uses another list than the product; that list has no term for unallocated addresses. */
function isOnInternet(text: string): boolean {
  const address = ipaddr.parse(text);
  if (address.kind() === 'ipv6' && !isWithin(text, '2000::/3')) return false;
  const beyond = ['168.63.129.16/32', '192.88.99.0/24', '198.18.0.0/15', '2001::/23', '3fff::/20'];
  return address.range() === 'unicast' && !beyond.some((cidr) => isWithin(text, cidr));
}
