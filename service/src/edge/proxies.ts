import { BlockList, isIP } from 'node:net';

/** Whether an address belongs to a trusted reverse proxy. */
export function isAmong(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    list.addSubnet(address, Number(length), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => {
    const family = isIP(address);
    // An IPv4-mapped IPv6 address, as of a socket on `::`, is checked as IPv4 too.
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
}
