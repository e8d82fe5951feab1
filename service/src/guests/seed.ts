import { vendorData } from './cloud-init.ts';
import { directory, file, type GuestFile } from './files.ts';

/** The data that cloud-init gets as files, so that the configuration of the instance does not have the user data. */
export interface Seed {
  /** As cloud-init would get it from Incus, so that it takes both for the same instance. */
  instanceId: string;
  hostname: string;
  passwordLogin: boolean;
  /** As returned by `networkConfig`. */
  network: string;
  userData: Buffer;
}

/** cloud-init's data source NoCloud looks here first, and then where Incus puts the data of the configuration. */
const folder = '/var/lib/cloud/seed/nocloud';

/** Only root can read these. They remain in the guest, like the copies that cloud-init itself keeps. */
export function seedFiles(seed: Seed, startsFromFiles: boolean): GuestFile[] {
  const { instanceId, hostname, network, userData } = seed;
  const [name] = hostname.split('.', 1);
  const metaData = { 'instance-id': instanceId, 'local-hostname': name };
  return [
    directory('/var/lib/cloud', 0o755),
    directory('/var/lib/cloud/seed', 0o755),
    directory(folder, 0o700),
    file(`${folder}/user-data`, 0o600, userData),
    file(`${folder}/vendor-data`, 0o600, vendorData(seed, startsFromFiles)),
    file(`${folder}/network-config`, 0o600, network),
    file(`${folder}/meta-data`, 0o600, `${JSON.stringify(metaData)}\n`),
  ];
}
