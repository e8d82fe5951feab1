import type { Instance, NewInstance } from '../../incus/instances.ts';
import { instanceName } from '../../instances/labels.ts';
import { type Defined, lastingConfig } from './instance.ts';
import { definedAs } from './repair.ts';

/**
 * When templates of its image are to be applied to an instance, which Incus does at its next start. Incus sets it to
 * `copy` for a copy that has none, by which images give the guest another host name.
 */
const templateKey = 'volatile.apply_template';
/** Incus applies those in any case. */
const ofEachStart = 'start';

/**
 * By this, cloud-init knows whether its guest is a new one. Incus gives a copy another one, with which cloud-init would
 * make new SSH host keys.
 */
const guestKey = 'volatile.cloud-init.instance-id';

/**
 * A copy of an instance of any project, with its disk, as the instance of a server. Both have the same addresses, so that
 * Incus refuses to start the copy as long as the other one exists.
 */
export function copyFor(server: Defined, found: Instance, installationId: string): NewInstance {
  const { devices, profiles } = definedAs(server, found, installationId);
  // Incus adds the devices of the source that the copy is not given.
  const others = Object.keys(found.devices).filter((name) => !Object.hasOwn(devices, name));
  const guest = found.config[guestKey];
  return {
    ...{ name: instanceName(server.uuid), type: server.os.type, profiles },
    source: { type: 'copy', source: found.name, project: found.project },
    description: found.description,
    config: {
      ...lastingConfig(server, installationId),
      [templateKey]: found.config[templateKey] || ofEachStart,
      ...(guest !== undefined && { [guestKey]: guest }),
    },
    devices: { ...devices, ...Object.fromEntries(others.map((name) => [name, { type: 'none' }])) },
  };
}
