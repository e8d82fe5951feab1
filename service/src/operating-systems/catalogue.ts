import type { ImageSource, OperatingSystemType } from '../db/schema/schema.ts';
import { publicImageServer } from './image-servers.ts';

export interface CatalogueEntry {
  slug: string;
  name: string;
  version: string;
  type: OperatingSystemType;
  source: ImageSource;
  minRamMb: number;
  minDiskGb: number;
}

/** The operating systems of a new installation. The aliases are of images with cloud-init. */
export const defaultCatalogue: readonly CatalogueEntry[] = [
  { ...container('debian-12', 'Debian', '12'), source: { build: 'debian-12' } },
  { ...container('debian-13', 'Debian', '13'), source: pulled('debian/13/cloud') },
  { ...container('ubuntu-24.04', 'Ubuntu', '24.04 LTS'), source: pulled('ubuntu/24.04/cloud') },
  {
    ...container('almalinux-9', 'AlmaLinux', '9'),
    source: pulled('almalinux/9/cloud'),
    minRamMb: 512,
    minDiskGb: 3,
  },
  {
    ...container('alpine-3.22', 'Alpine Linux', '3.22'),
    source: pulled('alpine/3.22/cloud'),
    minRamMb: 128,
    minDiskGb: 1,
  },
];

function container(slug: string, name: string, version: string) {
  return { slug, name, version, type: 'container' as const, minRamMb: 256, minDiskGb: 2 };
}

function pulled(alias: string): ImageSource {
  return { server: publicImageServer, alias };
}

/**
 * Whether the guest's cloud-init can use a gateway outside of the subnet of its address. The renderers for netplan and
 * networkd, which these systems use, can. That of Alpine can't.
 */
export function takesGatewayBeyond(source: ImageSource): boolean {
  return 'build' in source || /^(debian|ubuntu)\//.test(source.alias);
}

/** The architecture of this machine, as the kernel and Incus name it. */
export function machineArchitecture(arch: string = process.arch): string {
  const names: Record<string, string> = { x64: 'x86_64', arm64: 'aarch64' };
  return names[arch] ?? arch;
}
