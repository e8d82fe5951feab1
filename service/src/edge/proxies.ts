import { BlockList, isIP } from 'node:net';

/** Whether an address is one of a reverse proxy that is trusted. */
export function isAmong(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    list.addSubnet(address, Number(length), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => {
    const family = isIP(address);
    // An IPv4 address within an IPv6 one, as a socket on `::` has it, is checked as IPv4 too.
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
}
