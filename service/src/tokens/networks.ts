import { BlockList, isIP } from 'node:net';

/** A network in canonical form, such as `203.0.113.0/24`; undefined if it is invalid. */
export function normalNetwork(text: string): string | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  const bits = family === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : Number(prefix);
  if (family === 0 || rest.length > 0 || prefix === '' || !(length <= bits)) return undefined;
  return `${address}/${length}`;
}

/** Whether an address is in one of these networks. No networks mean any address. */
export function isFrom(address: string, networks: readonly string[]): boolean {
  if (networks.length === 0) return true;
  const own = normalNetwork(address);
  return own !== undefined && isWithin(own, networks);
}

/** Whether a network is a part of one of the others. All are in canonical form. */
export function isWithin(network: string, others: readonly string[]): boolean {
  const [address = '', length] = network.split('/');
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  return others.some((other) => {
    const [base = '', otherLength] = other.split('/');
    if (isIP(base) !== isIP(address) || Number(length) < Number(otherLength)) return false;
    const list = new BlockList();
    list.addSubnet(base, Number(otherLength), family);
    return list.check(address, family);
  });
}
