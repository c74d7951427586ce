/**
 * The one-time set-up code, which the receiver prints and which adds the first administrator over the network. There is
 * a new one at each start of the program, and when the last administrator is lost. It works only while there is none.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { readRegularFile, replaceFile } from '../base/files.ts';
import { reachableAddresses } from '../base/network-addresses.ts';
import type { Configuration } from '../config/config.ts';

/** All letters and digits except those that look alike (I and 1, O and 0). */
const characters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** `XXXX-XXXX`, 40 random bits. */
export function newSetupCode(): string {
  const four = () => Array.from({ length: 4 }, () => characters[randomInt(characters.length)]).join('');
  return `${four()}-${four()}`;
}

export class SetupCode {
  #code: string | undefined;
  readonly #onRenewed: (code: string) => void;

  /** @param onRenewed is called with each new code that `renew` makes */
  constructor(code: string, onRenewed: (code: string) => void = () => undefined) {
    this.#code = code;
    this.#onRenewed = onRenewed;
  }

  /** The current code; a new one if the last one has been used. */
  get current(): string {
    this.#code ??= newSetupCode();
    return this.#code;
  }

  /** Whether a text is the current code. Case, blanks and hyphens are ignored; the comparison takes constant time. */
  matches(given: string): boolean {
    const [one, other] = [given, this.current].map((text) => createHash('sha256').update(plain(text)).digest());
    return one !== undefined && other !== undefined && timingSafeEqual(one, other);
  }

  /** Makes the code invalid after it has been used. */
  markUsed(): void {
    this.#code = undefined;
  }

  /** Replaces the code and reports the new one. */
  renew(): void {
    this.markUsed();
    this.#onRenewed(this.current);
  }
}

const plain = (code: string) => code.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** The URL of the set-up page for other devices on the network; HTTPS if `httpsPort` is not 0. */
export function setupLink(
  { bind, httpPort }: Pick<Configuration, 'bind' | 'httpPort'>,
  httpsPort: number,
  code: string,
): string {
  const [first = 'localhost'] = reachableAddresses(bind).sort((a, b) => Number(isIPv6(a)) - Number(isIPv6(b)));
  const [scheme, port] = httpsPort === 0 ? ['http', httpPort] : ['https', httpsPort];
  return `${scheme}://${isIPv6(first) ? `[${first}]` : first}:${port}/#/setup?code=${code}`;
}

/** The file in which `receiverd setup` leaves a code for the next start. Only its owner can read it. */
const pathIn = (dataDir: string) => join(dataDir, 'setup-code');

/** @throws the system's error */
export const keepSetupCode = (dataDir: string, code: string) =>
  replaceFile(pathIn(dataDir), Buffer.from(`${code}\n`), 0o600);

/** Returns the code that `receiverd setup` has left, and removes it; without one, returns a new code. */
export async function takeSetupCode(dataDir: string): Promise<string> {
  const kept = await readRegularFile(pathIn(dataDir), 100).then(String, () => '');
  await rm(pathIn(dataDir), { force: true }).catch(() => undefined);
  return /^[A-Z2-9]{4}-[A-Z2-9]{4}\n$/.test(kept) ? kept.trim() : newSetupCode();
}
