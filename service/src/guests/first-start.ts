import { file, type GuestFile } from './files.ts';
import { newHostKeys } from './host-keys.ts';
import { newHosts, systemName } from './host-name.ts';

// How a guest is set up without cloud-init: by files that are pushed before its first start.

/** The file that switches cloud-init off in a guest. */
export const cloudInitOff = '/etc/cloud/cloud-init.disabled';

/** The property of an image that supports this. */
export const madeForFiles = { 'berth.first-start': '1' } as const;

export interface FirstStart {
  hostname: string;
  /** As returned by `networkConfig`. */
  network: string;
}

/** Incus copies the properties of an image to the configuration of each of its instances. */
export function startsFromFiles(instance: { type: string; config: Record<string, string> }) {
  const isMadeForFiles = Object.entries(madeForFiles).every(
    ([property, value]) => instance.config[`image.${property}`] === value,
  );
  // The files of a virtual machine cannot be written before its agent runs.
  return isMadeForFiles && instance.type === 'container';
}

/**
 * Returns the files that must exist before it boots, and those that it can write itself during the boot, which is
 * faster. It generates its own machine id, because that of the image is empty. With user data, cloud-init runs as well,
 * and may change its host name and its host keys.
 */
export function firstStartFiles({ hostname, network }: FirstStart, hasUserData: boolean) {
  const name = systemName(hostname);
  const keys = newHostKeys(`root@${name}`);
  const open = [
    { path: hostsPath, content: newHosts(hostname) },
    ...keys.map(({ type, publicKey }) => ({ path: `${keyPath(type)}.pub`, content: publicKey })),
  ];
  const before: GuestFile[] = [
    ...(hasUserData
      ? open.map(({ path, content }) => file(path, 0o644, content))
      : [file(cloudInitOff, 0o644, 'Berth has set this server up.\n')]),
    file('/etc/hostname', 0o644, `${name}\n`),
    // cloud-init uses the same file, so it is not set twice if cloud-init is enabled.
    file('/etc/netplan/50-cloud-init.yaml', 0o600, `{"network": ${network.trim()}}\n`),
    ...keys.map(({ type, privateKey }) => file(keyPath(type), 0o600, privateKey)),
  ];
  return { before, during: hasUserData ? [] : open };
}

const hostsPath = '/etc/hosts';
const keyPath = (type: string) => `/etc/ssh/ssh_host_${type}_key`;
