/** The name of the system, which is the first label of the host name. */
export const systemName = (hostname: string): string => hostname.split('.', 1)[0] ?? '';

/** The address of a guest's own names in `/etc/hosts` (Debian Reference, section 5.1.1). */
const ownAddress = '127.0.1.1';

/** The line of `/etc/hosts` with the own names of a guest. */
export function ownHostsLine(hostname: string, others: string[] = []): string {
  return [...new Set([ownAddress, hostname, systemName(hostname), ...others])].join(' ');
}

/** The content of `/etc/hosts` of a new guest. */
export function newHosts(hostname: string): string {
  return `${ownHostsLine(hostname)}
127.0.0.1 localhost

::1 localhost ip6-localhost ip6-loopback
ff02::1 ip6-allnodes
ff02::2 ip6-allrouters
`;
}

/**
 * The content of `/etc/hosts` after a guest was renamed: its line has the new names in the place of the former ones.
 * Everything else stays as it was. An empty file, such as one that Incus did not finish to write, gets the content of a
 * new guest.
 */
export function renamedHosts(content: string, hostname: string, formerNames: string[]): string {
  if (content.trim() === '') return newHosts(hostname);
  const former = new Set(formerNames.flatMap((name) => [name, systemName(name)]));
  let isWritten = false;
  const lines = content.split('\n').flatMap((line) => {
    const [address, ...names] = line.trim().split(/\s+/);
    if (address !== ownAddress) return [line];
    const others = names.filter((name) => !former.has(name));
    if (!isWritten) {
      isWritten = true;
      return [ownHostsLine(hostname, others)];
    }
    return others.length > 0 ? [[ownAddress, ...others].join(' ')] : [];
  });
  return (isWritten ? lines : [ownHostsLine(hostname), ...lines]).join('\n');
}

/**
 * The settings of cloud-init without the module that writes `/etc/hosts` anew at each boot, with the name that the guest
 * was created with. Its documentation advises this where `manage_etc_hosts` is set.
 */
export function withoutHostsModule(settings: string): string {
  return settings.replace(/^[ \t]*-[ \t]*update[_-]etc[_-]hosts[ \t]*\n/m, '');
}
