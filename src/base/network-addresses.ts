/** The addresses at which the network reaches a server that listens on `bind`. */
import { hostname, networkInterfaces } from 'node:os';

/** True if only this machine can reach the address. */
export function isLoopback(bind: string): boolean {
  return /^(?:127\.|::1$|localhost$)/.test(bind);
}

/** The address itself, or those of all interfaces for a wildcard address; no link-local IPv6, which needs a zone. */
export function reachableAddresses(bind: string): string[] {
  if (bind !== '::' && bind !== '0.0.0.0') return [bind];
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all
    .filter(({ internal, family, scopeid }) => !internal && (family === 'IPv4' || (bind === '::' && scopeid === 0)))
    .map(({ address }) => address);
}

/** `192.0.2.9` also of `::ffff:192.0.2.9` and `::ffff:c000:209`; empty of a socket that has closed. */
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

/** True if a connection to the numeric address ends at this machine. */
export function isThisMachine(address: string): boolean {
  if (isLoopback(address) || address === '0.0.0.0' || address === '::') return true;
  return Object.values(networkInterfaces()).some((interfaces) => interfaces?.some((one) => one.address === address));
}
