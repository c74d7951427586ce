import { BlockList, isIP, isIPv6 } from 'node:net';

/** Whether a text is an address or a network: `192.0.2.7`, `192.168.0.0/16`, `fd00::/8`. */
export function isPrefix(text: string): boolean {
  const [, address = '', length = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = [-1, 32, 128][[0, 4, 6].indexOf(isIP(address))] ?? -1;
  return Number(length) <= bits;
}

/** The eight 16-bit groups of a numeric IPv6 address. */
export function groupsOf(address: string): readonly number[] {
  const [head = '', tail = ''] = address.split('::');
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [first, last] = [numbers(head), numbers(tail)];
  return [...first, ...Array<number>(Math.max(0, 8 - first.length - last.length)).fill(0), ...last];
}

/**
 * The first `bits` of an IPv6 address, as a key for all clients in that network (a device chooses its addresses in a
 * /64); an IPv4 address unchanged.
 */
export function networkOf(address: string, bits: 48 | 64): string {
  return isIPv6(address)
    ? groupsOf(address)
        .slice(0, bits / 16)
        .join(':')
    : address;
}

/** Returns a function that tells whether a numeric address is in one of these prefixes, which must be valid. */
export function addressMatcher(prefixes: readonly string[]): (address: string) => boolean {
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
