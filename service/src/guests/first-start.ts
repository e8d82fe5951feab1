import { file, type GuestFile } from './files.ts';
import { newHostKeys } from './host-keys.ts';

// How a guest becomes itself without cloud-init: by files that are in place before its first start.

/** What an image says of itself that is made for it, as its property. */
export const madeForFiles = { 'berth.first-start': '1' } as const;

export interface FirstStart {
  hostname: string;
  /** As `networkConfig` answers it. */
  network: string;
}

/** Incus notes the properties of an image in the configuration of each instance that it is made of. */
export function startsFromFiles(instance: { type: string; config: Record<string, string> }) {
  const isMadeForFiles = Object.entries(madeForFiles).every(
    ([property, value]) => instance.config[`image.${property}`] === value,
  );
  // A virtual machine has no files to write to before its agent runs.
  return isMadeForFiles && instance.type === 'container';
}

/**
 * What has to be there before it boots, and what it may write itself while it does, of which each costs
 * less. It makes its machine id by itself, as the image's is empty.
 */
export function firstStartFiles({ hostname, network }: FirstStart) {
  const [name = ''] = hostname.split('.', 1);
  const keys = newHostKeys(`root@${name}`);
  const before: GuestFile[] = [
    file('/etc/cloud/cloud-init.disabled', 0o644, 'Berth has set this server up.\n'),
    file('/etc/hostname', 0o644, `${name}\n`),
    // Where cloud-init has it, too, so that it is not set twice should that be enabled.
    file('/etc/netplan/50-cloud-init.yaml', 0o600, `{"network": ${network.trim()}}\n`),
    ...keys.map(({ type, privateKey }) => file(keyPath(type), 0o600, privateKey)),
  ];
  const during = [
    { path: '/etc/hosts', content: hosts(hostname, name) },
    ...keys.map(({ type, publicKey }) => ({ path: `${keyPath(type)}.pub`, content: publicKey })),
  ];
  return { before, during };
}

const keyPath = (type: string) => `/etc/ssh/ssh_host_${type}_key`;

function hosts(hostname: string, name: string): string {
  const own = [...new Set([hostname, name])].join(' ');
  return `127.0.1.1 ${own}
127.0.0.1 localhost

::1 localhost ip6-localhost ip6-loopback
ff02::1 ip6-allnodes
ff02::2 ip6-allrouters
`;
}
