import { BlockList, isIP, isIPv6 } from 'node:net';

/** `192.168.0.0/16`, `fd00::/8`, `192.0.2.7` */
export function isPrefix(text: string): boolean {
  const [, address = '', length = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = [-1, 32, 128][[0, 4, 6].indexOf(isIP(address))] ?? -1;
  return Number(length) <= bits;
}

/** The eight groups of a numeric IPv6 address. */
export function groupsOf(address: string): readonly number[] {
  const [head = '', tail = ''] = address.split('::');
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [first, last] = [numbers(head), numbers(tail)];
  return [...first, ...Array<number>(Math.max(0, 8 - first.length - last.length)).fill(0), ...last];
}

/** The network of an IPv6 address with a prefix of this length; an IPv4 address as it is. Clients choose addresses in a /64. */
export function networkOf(address: string, bits: 48 | 64): string {
  return isIPv6(address)
    ? groupsOf(address)
        .slice(0, bits / 16)
        .join(':')
    : address;
}

/** Whether a numeric address is in one of the prefixes, which are valid. */
export function addressesOf(prefixes: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of prefixes) {
    const [address = '', length] = text.split('/');
    // Not `isIPv6`: the first call takes 8 ms, and this runs at every start.
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(length ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}
