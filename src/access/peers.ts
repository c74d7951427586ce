/**
 * Where requests come from: the address of the client, also behind reverse proxies, and whether that is on the local
 * network.
 */
import type { IncomingMessage } from 'node:http';
import { networkInterfaces } from 'node:os';
import proxyAddress from '@fastify/proxy-addr';
import { addressMatcher, networkOf } from '../base/ip-prefixes.ts';
import { plainAddress } from '../base/network-addresses.ts';
import type { Configuration } from '../config/config.ts';

/** Fields that proxies add. Only the first is believed. */
const forwarded = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'x-real-ip'] as const;

export type Trust = (address: string, hop: number) => boolean;

export class Peers {
  readonly #isNamed: (address: string) => boolean;
  /** Which addresses belong to proxies of ours. */
  readonly trust: Trust;

  constructor({ allow, trustedProxies }: Pick<Configuration['access'], 'allow' | 'trustedProxies'>) {
    this.#isNamed = addressMatcher(allow);
    this.trust = proxyAddress.compile([...trustedProxies]);
  }

  /**
   * The client's address. Undefined if a proxy that is not trusted sends the request, or one that does not name the
   * client: its own address would make every client of it one of this network.
   */
  addressOf(request: IncomingMessage): string | undefined {
    const { headers, socket } = request;
    const peer = plainAddress(socket.remoteAddress);
    if (!forwarded.some((name) => headers[name] !== undefined)) return peer;
    if (!this.trust(peer, 0)) return undefined;
    const [, ...clients] = proxyAddress.all(request, this.trust);
    return clients.length === 0 ? undefined : plainAddress(clients.at(-1));
  }

  /** The client that sends a request, as bounds for each client count it (src/base/client-slots.ts). */
  clientOf(request: IncomingMessage): string {
    const address = this.addressOf(request);
    return address === undefined ? unnamedProxy : this.clientAt(address);
  }

  /** The client at an address: outside the local network, one for a whole /64 of IPv6. */
  clientAt(address: string): string {
    return this.isNear(address) ? address : networkOf(address, 64);
  }

  /**
   * The path below which the proxy that sends a request serves the receiver, `/tv`; empty unless a trusted one names
   * it.
   */
  prefixOf({ headers, socket }: IncomingMessage): string {
    const prefix = headers['x-forwarded-prefix'];
    if (typeof prefix !== 'string' || !this.trust(plainAddress(socket.remoteAddress), 0)) return '';
    return prefixPattern.exec(prefix)?.[1] ?? '';
  }

  /**
   * Whether a program on this machine sends the request for itself. A proxy that says nothing of its clients may still
   * be known: nginx speaks HTTP/1.0 unless told otherwise.
   */
  isThisMachine({ headers, httpVersion, socket }: IncomingMessage): boolean {
    const isForwarded = Object.keys(headers).some((name) => proxyField.test(name));
    return !isForwarded && httpVersion !== '1.0' && isLoopback(plainAddress(socket.remoteAddress));
  }

  /** Whether an address is one of those that need no account, or in an IPv6 network that this machine is in. */
  isNear(address: string): boolean {
    return this.#isNamed(address) || (address.includes(':') && ownNetworks()(address));
  }
}

/** Unreserved characters only, so that it may stand in addresses, cookies and XML as it is. */
const prefixPattern = /^((?:\/(?!\.+(?:\/|$))[\w.~-]{1,100}){1,8})\/?$/;

/** Fields that only proxies add. */
const proxyField = /^(x-forwarded-.*|x-real-ip|forwarded|via|cf-.*|tailscale-.*|true-client-ip)$/;

/** Stands for all clients of a proxy that does not name them, or is not trusted. */
export const unnamedProxy = 'proxy';

const isLoopback = addressMatcher(['127.0.0.0/8', '::1']);

/**
 * The home network's addresses of IPv6 are public ones, and change. Those of IPv4 would include a provider's others.
 */
function ownNetworks(): (address: string) => boolean {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return addressMatcher(all.flatMap(({ family, cidr }) => (family === 'IPv6' && cidr !== null ? [cidr] : [])));
}
