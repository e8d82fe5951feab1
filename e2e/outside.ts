import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run } from './processes.ts';

// The surroundings of the machine: a namespace that stands for the Internet, another network and a
// cloud's metadata service, and a second bridge. Nothing that is sent there leaves the machine.

/** The stack of the servers. */
export const outsideOf = 'e2e';
const namespace = 'berth-e2e-out';
const link = 'berthe2eo';
const bridge = 'berthe2eb';

/** Public addresses that are not in use: those of AS112 (RFC 7534, 7535). */
export const outside = { ipv4: '192.175.48.9', ipv6: '2620:4f:8000::9' };
export const lan = {
  ...{ ipv4: '10.198.0.9', ipv6: 'fd98::9' },
  networks: ['10.198.0.0/24', 'fd98::/64'],
};
export const metadata = '169.254.169.254';
/**
 * The addresses of the machine: on the bridge, on the link, and a public one that is added later.
 */
export const host = {
  bridge: ['10.196.0.1', 'fd96::1'],
  link: ['10.197.0.1', 'fd97::1'],
  public: ['192.175.48.129', '2620:4f:8000::129'],
};
export const ports = { http: 8080, smtp: 25 };

/** Creates all of it, with a listener at each address of the namespace. Remains of an earlier run are removed first. */
export async function bringOutside(): Promise<AsyncDisposable> {
  removeOutside();
  ip('netns', 'add', namespace);
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'out0', 'netns', namespace);
  ip('link', 'add', bridge, 'type', 'bridge');
  for (const [name, [ipv4, ipv6]] of [
    [link, host.link],
    [bridge, host.bridge],
  ] as const) {
    ip('address', 'add', `${ipv4}/24`, 'dev', name);
    ip('address', 'add', `${ipv6}/64`, 'dev', name, 'nodad');
    ip('link', 'set', name, 'up');
  }
  const inside = ['-n', namespace];
  for (const address of [
    '10.197.0.2/24',
    `${outside.ipv4}/32`,
    `${lan.ipv4}/32`,
    `${metadata}/32`,
  ]) {
    ip(...inside, 'address', 'add', address, 'dev', 'out0');
  }
  for (const address of ['fd97::2/64', `${outside.ipv6}/128`, `${lan.ipv6}/128`]) {
    ip(...inside, 'address', 'add', address, 'dev', 'out0', 'nodad');
  }
  ip(...inside, 'link', 'set', 'lo', 'up');
  ip(...inside, 'link', 'set', 'out0', 'up');
  ip(...inside, 'route', 'add', 'default', 'via', '10.197.0.1');
  ip(...inside, '-6', 'route', 'add', 'default', 'via', 'fd97::1');
  for (const to of [outside.ipv4, lan.ipv4, metadata]) {
    ip('route', 'add', `${to}/32`, 'via', '10.197.0.2', 'dev', link);
  }
  for (const to of [outside.ipv6, lan.ipv6]) {
    ip('-6', 'route', 'add', `${to}/128`, 'via', 'fd97::2', 'dev', link);
  }
  const listener = await listen();
  return {
    async [Symbol.asyncDispose]() {
      const ended = once(listener, 'exit');
      listener.kill('SIGKILL');
      await ended;
      removeOutside();
    },
  };
}

/** Sends a datagram from the namespace to so many addresses of the /64 of an address. */
export function floodFromOutside(address: string, count: number): void {
  const flood = fileURLToPath(new URL('attacks/flood.pl', import.meta.url));
  ip('netns', 'exec', namespace, 'perl', flood, address, String(count));
}

/** Adds public addresses to the machine. */
export function becomePublic(): void {
  const [ipv4 = '', ipv6 = ''] = host.public;
  ip('address', 'add', `${ipv4}/32`, 'dev', bridge);
  ip('address', 'add', `${ipv6}/128`, 'dev', bridge, 'nodad');
}

/** Removing a link also removes its other end in the namespace. */
export function removeOutside(): void {
  for (const name of [link, bridge]) {
    if (existsSync(`/sys/class/net/${name}`)) ip('link', 'delete', name);
  }
  if (existsSync(`/run/netns/${namespace}`)) ip('netns', 'delete', namespace);
}

async function listen() {
  const script = `
    const { createServer } = require('node:net');
    const all = ${JSON.stringify(Object.values(ports))}.map((port) => new Promise((resolve) => {
      createServer((socket) => socket.on('error', () => {}).resume()).listen(port, '::', resolve);
    }));
    Promise.all(all).then(() => console.log('ready'));
    process.stdin.resume().on('end', () => process.exit());`;
  // It ends with this process in any case.
  const child = spawn('ip', ['netns', 'exec', namespace, process.execPath, '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

const ip = (...args: string[]) => void run('ip', args);
