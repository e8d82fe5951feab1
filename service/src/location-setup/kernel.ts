import { readFileSync } from 'node:fs';

const setting = 'net.bridge.bridge-nf-call-ip6tables';

/**
 * What the kernel of this machine lacks for Incus, as sentences. Other machines can't be checked.
 * @param read reads a file, or returns undefined; tests set it
 */
export function kernelWarnings(read: (path: string) => string | undefined = content): string[] {
  const value = read(`/proc/sys/${setting.replaceAll('.', '/')}`);
  if (value?.trim() === '1') return [];
  const load = value === undefined ? 'modprobe br_netfilter && ' : '';
  return [
    `The kernel here filters no IPv6 on bridges, without which Incus refuses servers that have an IPv6 address: ${load}sysctl -w ${setting}=1`,
  ];
}

function content(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
