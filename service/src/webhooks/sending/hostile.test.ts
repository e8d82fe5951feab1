import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { after, describe, it } from 'node:test';
import type { Client } from 'undici';
import { startReceiver } from '../../testing/receiver.ts';
import { addressCheck } from '../addresses.ts';
import { hostOf, readTarget, strictTargets, UnusableUrl } from '../url.ts';
import { guardedConnector, NameUnresolvable, type ResolveName } from './connect.ts';
import { send } from './send.ts';

// URLs by which somebody could have the service send requests to where only it can: to itself, to its neighbours, to
// metadata services. Each is refused when it is given, or when it is connected to. The receiver stands for what is inside.

const inside = await startReceiver();
after(() => inside[Symbol.asyncDispose]());
const { port } = inside;

/** What the names of an attacker resolve to: one answer after the other, the last one from then on. */
const answers: Record<string, string[][]> = {
  'loopback.example.com': [['127.0.0.1']],
  'zero.example.com': [['0.0.0.0']],
  'private.example.com': [['10.0.0.5']],
  'carrier.example.com': [['100.64.1.1']],
  'metadata.example.com': [['169.254.169.254']],
  'metadata6.example.com': [['fd00:ec2::254']],
  'local6.example.com': [['fe80::1']],
  'mapped.example.com': [['::ffff:127.0.0.1']],
  'nat64.example.com': [['64:ff9b::7f00:1']],
  '6to4.example.com': [['2002:7f00:1::']],
  'both-inside.example.com': [['127.0.0.1', '::1']],
  'guest.example.com': [['9.9.9.9']],
  'api.example.com': [['1.0.0.1']],
  'node.example.com': [['2a00:1450::7']],
  'nothing.example.com': [[]],
  'garbage.example.com': [['localhost']],
  // Rebinding: the first answer is harmless. Only one is asked for, so that a second one is never used.
  'rebinding.example.com': [['192.0.2.1'], ['127.0.0.1']],
};

const asked: string[] = [];
function attackersDns(): ResolveName {
  const left = structuredClone(answers);
  return async (name) => {
    asked.push(name);
    const of = left[name];
    const found = of && of.length > 1 ? of.shift() : of?.[0];
    if (!found || found.length === 0) throw new NameUnresolvable('None.');
    return found;
  };
}

const own = ['9.9.9.0/24', '1.0.0.1', '2a00:1450::7'];
const check = addressCheck({ allowed: [], own });
const signal = new AbortController().signal;

async function attempt(url: string, connect: Client.Options['connect']) {
  const message = { url, headers: { 'content-type': 'application/json' }, body: '{}' };
  return await send(message, { connect: connect as never, timeoutMs: 5000, signal });
}

const guarded = (resolve = attackersDns(), checked = check) =>
  guardedConnector({ check: checked, resolve, timeoutMs: 5000 });

/** Refused when a webhook is created. */
const unusable = [
  `https://127.0.0.1:${port}/`,
  `https://127.1:${port}/`,
  `https://2130706433:${port}/`,
  `https://0x7f000001:${port}/`,
  `https://0x7f.0.0.1:${port}/`,
  `https://0177.0.0.1:${port}/`,
  `https://017700000001:${port}/`,
  `https://127.0.0.1.:${port}/`,
  `https://①②⑦.⓪.⓪.①:${port}/`,
  `https://127。0。0。1:${port}/`,
  `https://%31%32%37.0.0.1:${port}/`,
  `https://0:${port}/`,
  `https://0.0.0.0:${port}/`,
  `https://[::1]:${port}/`,
  `https://[::]:${port}/`,
  `https://[::ffff:127.0.0.1]:${port}/`,
  `https://[0:0:0:0:0:ffff:7f00:1]:${port}/`,
  `https://[::127.0.0.1]:${port}/`,
  `https://[64:ff9b::127.0.0.1]:${port}/`,
  `https://[2002:7f00:1::]:${port}/`,
  `https://[fe80::1]:${port}/`,
  `https://[fe80::1%25eth0]:${port}/`,
  `https://[fd00:ec2::254]/latest/meta-data/`,
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/latest/meta-data/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.0.1/',
  'https://100.64.0.1/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://a.localhost/',
  `http://example.com:${port}/`,
  'file:///etc/passwd',
  'gopher://example.com:70/_x',
  'https://user:password@example.com/',
  'https://example.com@127.0.0.1/',
  'https://example.com:25/',
  'https://example.com:22/',
  'https://example.com/#fragment',
  'https:// example.com/',
  'https://exa\tmple.com/',
  'https://example.com/\r\nX-Injected: 1',
  'https://',
  '//example.com/',
  'example.com',
];

/** Refused when they are connected to: nobody knows before what a name resolves to. */
const unreachable = Object.keys(answers).map((name) => `https://${name}:${port}/`);

describe('a hostile URL', () => {
  assert.ok(unusable.length + unreachable.length >= 40);

  for (const url of unusable) {
    it(`is refused when it is given: ${JSON.stringify(url)}`, () => {
      assert.throws(() => readTarget(url, strictTargets), UnusableUrl);
    });
  }

  for (const url of unusable) {
    const parsed = URL.parse(url);
    if (!parsed || !/^https?:$/.test(parsed.protocol) || isIP(hostOf(parsed)) === 0) continue;
    if (check(hostOf(parsed)) === undefined) continue;
    it(`is refused when it is connected to as well: ${JSON.stringify(url)}`, async () => {
      const { failure } = await attempt(parsed.href, guarded());
      assert.equal(failure?.reason, 'address_refused');
    });
  }

  for (const url of unreachable) {
    it(`is refused when it is connected to: ${url}`, async () => {
      readTarget(url, strictTargets);
      for (const protocol of ['https:', 'http:']) {
        const { failure } = await attempt(url.replace('https:', protocol), guarded());
        const expected = /nothing|garbage/.test(url) ? 'name_unresolvable' : 'address_refused';
        assert.equal(failure?.reason, expected, failure?.detail);
        assert.doesNotMatch(
          failure?.detail ?? '',
          /\d+\.\d+|::/,
          'it does not tell what is inside',
        );
      }
    });
  }

  it('never reaches what is inside', () => assert.deepEqual(inside.received, []));
});

const insideIsPublic = addressCheck({ allowed: ['127.0.0.1/32'], own });

describe('the checked address is the one that is connected to', () => {
  it('so that a later answer of the name server is not used', async () => {
    asked.length = 0;
    const dns: ResolveName = async (name) => {
      asked.push(name);
      return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    };
    const before = inside.received.length;
    const { status } = await attempt(
      `http://rebinding.example.com:${port}/x`,
      guarded(dns, insideIsPublic),
    );
    assert.equal(status, 204);
    assert.deepEqual(asked, ['rebinding.example.com']);
    assert.equal(inside.received.length, before + 1);
    assert.equal(inside.received.at(-1)?.headers.host, `rebinding.example.com:${port}`);
  });

  it('and others of the same name are left out', async () => {
    const dns: ResolveName = async () => ['10.0.0.1', '127.0.0.1', '::1'];
    const { status } = await attempt(
      `http://both.example.com:${port}/`,
      guarded(dns, insideIsPublic),
    );
    assert.equal(status, 204);
  });

  it('and a name whose address becomes private is refused at its next delivery', async () => {
    const found = [['127.0.0.1'], ['10.0.0.1']];
    const connect = guarded(async () => found.shift() ?? [], insideIsPublic);
    assert.equal((await attempt(`http://later.example.com:${port}/`, connect)).status, 204);
    const { failure } = await attempt(`http://later.example.com:${port}/`, connect);
    assert.equal(failure?.reason, 'address_refused');
  });
});

describe('a redirect', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    it(`is not followed: ${status}`, async () => {
      const before = inside.received.length;
      inside.answer((response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${port}/inner` }).end(),
      );
      const outcome = await attempt(inside.url, guarded(attackersDns(), insideIsPublic));
      assert.equal(outcome.status, status);
      assert.equal(outcome.failure?.reason, 'redirect');
      assert.deepEqual(
        inside.received.slice(before).map(({ path }) => path),
        ['/hook'],
      );
    });
  }
});
