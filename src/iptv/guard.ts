/**
 * Which hosts a network stream may come from.
 *
 * The addresses of streams, and all that redirects and playlists lead to, are in the hands of strangers, and the
 * receiver stands inside the home network. So nothing leads to this machine or to addresses that are valid on one link
 * only, a stream of the internet never leads into the home network, and none leads back to this receiver. The check is
 * made of the address that is then connected to: a second look-up of the name could tell another one.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { addressesOf } from '../base/ip-prefixes.ts';
import { isThisMachine, plainAddress } from '../base/network-addresses.ts';
import { StreamError } from './stream-error.ts';

/** RFC 6890: this machine, this network, one link, carriers, groups, reserved. */
const isOut = addressesOf([
  ...['0.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '198.18.0.0/15'],
  ...['224.0.0.0/4', '240.0.0.0/4', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16'],
  ...['fe80::/10', 'fec0::/10', 'ff00::/8'],
]);
/** Of homes: RFC 1918, RFC 4193. */
const isHome = addressesOf(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']);

export interface GuardRules {
  /** Addresses that would be refused otherwise. */
  readonly allowed: (address: string) => boolean;
  /** This receiver listens there. */
  readonly isOwn: (address: string, port: number) => boolean;
}

/** Watches the connections of one stream. */
export class StreamGuard {
  readonly #rules: GuardRules;
  /** Where the first connection led, which the user has named. */
  #reach: 'home' | 'internet' | undefined;

  constructor(rules: GuardRules) {
    this.#rules = rules;
  }

  /** Those of a host's addresses that may be connected to. @throws StreamError if there is none */
  admit(addresses: readonly string[], port: number): readonly string[] {
    const reasons = addresses.map((address) => this.#refusal(plainAddress(address), port));
    const admitted = addresses.filter((_, n) => reasons[n] === undefined);
    if (admitted.length === 0) {
      throw new StreamError(reasons[0] ?? 'the host has no address', { isFinal: true, code: 'not-allowed' });
    }
    this.#reach ??= admitted.some((address) => !this.#isNear(plainAddress(address))) ? 'internet' : 'home';
    return admitted;
  }

  /** For connections to a port. */
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

  #isNear(address: string): boolean {
    return isHome(address) || this.#rules.allowed(address);
  }

  #refusal(address: string, port: number): string | undefined {
    if (this.#rules.isOwn(address, port)) return 'it leads back to this receiver';
    const isRefused = isOut(address) || isThisMachine(address);
    if (isRefused && !this.#rules.allowed(address)) return `${address} is refused unless iptv.allow names it`;
    if (this.#reach === 'internet' && this.#isNear(address)) return 'it leads from the internet into the home network';
    return undefined;
  }
}
