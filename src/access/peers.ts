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

/** Header fields by which proxies name their clients. Only X-Forwarded-For is evaluated. */
const forwardedFields = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'x-real-ip'] as const;

export type Trust = (address: string, hop: number) => boolean;

export class Peers {
  readonly #isAllowed: (address: string) => boolean;
  /** Whether an address belongs to a trusted proxy. */
  readonly trust: Trust;

  constructor({ allow, trustedProxies }: Pick<Configuration['access'], 'allow' | 'trustedProxies'>) {
    this.#isAllowed = addressMatcher(allow);
    this.trust = proxyAddress.compile([...trustedProxies]);
  }

  /**
   * The address of the client. Undefined if the request comes from a proxy that is not trusted or does not name the
   * client: with the proxy's address instead, every client behind it would count as local.
   */
  addressOf(request: IncomingMessage): string | undefined {
    const { headers, socket } = request;
    const peer = plainAddress(socket.remoteAddress);
    if (!forwardedFields.some((name) => headers[name] !== undefined)) return peer;
    if (!this.trust(peer, 0)) return undefined;
    const [, ...clients] = proxyAddress.all(request, this.trust);
    return clients.length === 0 ? undefined : plainAddress(clients.at(-1));
  }

  /** The key of the client of a request for limits per client (src/base/client-slots.ts). */
  clientOf(request: IncomingMessage): string {
    const address = this.addressOf(request);
    return address === undefined ? unnamedProxy : this.clientAt(address);
  }

  /** The key of the client at an address: on the local network the address, elsewhere its IPv6 /64. */
  clientAt(address: string): string {
    return this.isLocal(address) ? address : networkOf(address, 64);
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
   * Whether a program on this machine sends the request, and not a proxy on it. A proxy that adds no header field is
   * recognised by HTTP/1.0, which is the default of nginx.
   */
  isThisMachine({ headers, httpVersion, socket }: IncomingMessage): boolean {
    const isForwarded = Object.keys(headers).some((name) => proxyField.test(name));
    return !isForwarded && httpVersion !== '1.0' && isLoopback(plainAddress(socket.remoteAddress));
  }

  /** Whether an address is on the local network: in `access.allow`, or in an IPv6 network of this machine. */
  isLocal(address: string): boolean {
    return this.#isAllowed(address) || (address.includes(':') && ownNetworks()(address));
  }
}

/** A path of unreserved characters only, which need no escaping in URLs, cookies and XML. */
const prefixPattern = /^((?:\/(?!\.+(?:\/|$))[\w.~-]{1,100}){1,8})\/?$/;

/** Header fields that only proxies add. */
const proxyField = /^(x-forwarded-.*|x-real-ip|forwarded|via|cf-.*|tailscale-.*|true-client-ip)$/;

/** The key of all clients behind proxies that are not trusted or do not name them. */
export const unnamedProxy = 'proxy';

const isLoopback = addressMatcher(['127.0.0.0/8', '::1']);

/**
 * Matches the IPv6 networks of this machine. On a local network these have public addresses, and they change. IPv4
 * networks are left out: they could include other customers of a provider.
 */
function ownNetworks(): (address: string) => boolean {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return addressMatcher(all.flatMap(({ family, cidr }) => (family === 'IPv6' && cidr !== null ? [cidr] : [])));
}
