/** Addresses of this machine: those at which a server can be reached, and whether an address is one of them. */
import { hostname, networkInterfaces } from 'node:os';

/** Whether only programs on this machine can reach a server that listens on `bind`. */
export function isLoopback(bind: string): boolean {
  return /^(?:127\.|::1$|localhost$)/.test(bind);
}

/**
 * The addresses at which other machines reach a server that listens on `bind`. Of a wildcard, those of all interfaces,
 * without link-local IPv6 addresses, which need a zone.
 */
export function reachableAddresses(bind: string): string[] {
  if (bind !== '::' && bind !== '0.0.0.0') return [bind];
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all
    .filter(({ internal, family, scopeid }) => !internal && (family === 'IPv4' || (bind === '::' && scopeid === 0)))
    .map(({ address }) => address);
}

/**
 * The address without the IPv4-mapped form of IPv6: `192.0.2.9` for `::ffff:192.0.2.9` and `::ffff:c000:209`. Empty for
 * a closed socket.
 */
export function plainAddress(address = ''): string {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return address.replace(/^::ffff:(?=\d+\.)/i, '');
  const bytes = [high, low].flatMap((text) => [Number.parseInt(text, 16) >> 8, Number.parseInt(text, 16) & 0xff]);
  return bytes.join('.');
}

/** The machine's name as one label of a host name, with `suffix`; characters invalid in a label are dropped. */
export function hostLabel(suffix: string): string {
  const [first = ''] = hostname().split('.', 1);
  return `${first.replace(/[^a-z0-9-]/gi, '').slice(0, 40) || 'box'}-${suffix}`;
}

/** Whether a numeric address is one of this machine. */
export function isThisMachine(address: string): boolean {
  if (isLoopback(address) || address === '0.0.0.0' || address === '::') return true;
  return Object.values(networkInterfaces()).some((interfaces) =>
    interfaces?.some((entry) => entry.address === address),
  );
}

/** Which of our IPv4 addresses a client reaches us at: the one on its network, otherwise the first. */
export function addressTowards(client: string, ours: readonly string[]): string | undefined {
  const masks = new Map(
    Object.values(networkInterfaces()).flatMap((all = []) => all.map((one) => [one.address, one.netmask] as const)),
  );
  const number = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const isNear = (local: string) => {
    const mask = number(masks.get(local) ?? '255.255.255.255');
    return (number(local) & mask) === (number(client) & mask);
  };
  return ours.find(isNear) ?? ours[0];
}
