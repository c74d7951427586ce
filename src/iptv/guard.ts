/**
 * Restricts the hosts that a network stream may connect to, since the receiver is inside the local network and
 * strangers write the addresses of streams, redirects and playlists.
 *
 * - No stream connects to this machine, to link-local addresses or back to this receiver.
 * - A stream that begins on the internet never connects to the local network.
 * - Pictures, whose addresses nobody in the household has chosen, never come from the local network.
 *
 * The checked address is the one that is then connected to: a second look-up of the name could return another one.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { addressMatcher } from '../base/ip-prefixes.ts';
import { isThisMachine, plainAddress } from '../base/network-addresses.ts';
import { StreamError } from './stream-error.ts';

/** Special addresses (RFC 6890): this machine, this network, link-local, carriers, multicast, reserved. */
const isSpecial = addressMatcher([
  ...['0.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '198.18.0.0/15'],
  ...['224.0.0.0/4', '240.0.0.0/4', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16'],
  ...['fe80::/10', 'fec0::/10', 'ff00::/8'],
]);
/** Private addresses (RFC 1918, RFC 4193). */
const isPrivate = addressMatcher(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']);

export interface GuardRules {
  /** True for addresses that are permitted although they would be refused. */
  readonly allowed: (address: string) => boolean;
  /** True if this receiver listens there. */
  readonly isOwn: (address: string, port: number) => boolean;
  /** Private addresses are refused like special ones. Default: false. */
  readonly isForeign?: boolean;
}

/** Checks the connections of one stream. */
export class StreamGuard {
  readonly #rules: GuardRules;
  /** The network of the first connection, whose address the user has chosen. */
  #origin: 'local' | 'internet' | undefined;

  constructor(rules: GuardRules) {
    this.#rules = rules;
  }

  /** Returns the addresses of a host that may be connected to. @throws StreamError if there are none */
  admit(addresses: readonly string[], port: number): readonly string[] {
    const reasons = addresses.map((address) => this.#refusal(plainAddress(address), port));
    const admitted = addresses.filter((_, n) => reasons[n] === undefined);
    if (admitted.length === 0) {
      throw new StreamError(reasons[0] ?? 'the host has no address', { isFinal: true, code: 'not-allowed' });
    }
    this.#origin ??= admitted.some((address) => !this.#isLocal(plainAddress(address))) ? 'internet' : 'local';
    return admitted;
  }

  /** Returns a look-up of host names for connections to a port. */
  lookup(port: number): LookupFunction {
    return (host, options, done) => {
      lookup(host, { ...options, all: true } as LookupOptions & { all: true }, (error, found: LookupAddress[]) => {
        if (error) return done(error, '', 0);
        try {
          const admitted = this.admit(
            found.map(({ address }) => address),
            port,
          );
          const addresses = found.filter(({ address }) => admitted.includes(address));
          if (options.all) done(null, addresses);
          else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
        } catch (refusal) {
          done(refusal as Error, '', 0);
        }
      });
    };
  }

  #isLocal(address: string): boolean {
    return isPrivate(address) || this.#rules.allowed(address);
  }

  #refusal(address: string, port: number): string | undefined {
    if (this.#rules.isOwn(address, port)) return 'it leads back to this receiver';
    const isRefused =
      isSpecial(address) || isThisMachine(address) || (this.#rules.isForeign === true && isPrivate(address));
    if (isRefused && !this.#rules.allowed(address)) return `${address} is refused unless iptv.allow contains it`;
    if (this.#origin === 'internet' && this.#isLocal(address))
      return 'it leads from the internet into the local network';
    return undefined;
  }
}
