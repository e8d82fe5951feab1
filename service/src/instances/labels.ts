// The names and labels of servers in Incus.

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const instanceName = (uuid: string) => `srv-${uuid}`;

/** The uuid of the server in the name of an instance; undefined for instances of others. */
export function serverUuid(name: string): string | undefined {
  return name.startsWith('srv-') && uuidPattern.test(name.slice(4)) ? name.slice(4) : undefined;
}

/** The names of our labels on an instance: the installation and the server. */
export const installationLabel = 'user.berth.installation';
export const serverLabel = 'user.berth.server';
/** While its traffic is throttled, the limits that its NIC had before, as JSON. */
export const throttledLabel = 'user.berth.throttled';
/** While its server is suspended, the `boot.autostart` that it had before. */
export const heldLabel = 'user.berth.held';
/** The device that is a server's NIC. */
export const nicDevice = 'eth0';

/** The labels of an instance: the id of its installation, and the uuid of its server. */
export function labelsOf({ config }: { config: Record<string, string> }) {
  const server = config[serverLabel] ?? '';
  return {
    installation: config[installationLabel],
    server: uuidPattern.test(server) ? server : undefined,
  };
}
