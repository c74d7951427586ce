/**
 * The one-time code for adding the first administrator over the network, which the receiver prints. Each start of the
 * program has a new one, and so does the loss of the last administrator; it is of no use once there is one.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { readRegularFile, replaceFile } from '../base/files.ts';
import { reachableAddresses } from '../base/network-addresses.ts';
import type { Configuration } from '../config/config.ts';

/** Without letters and digits that look alike. */
const characters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** `XXXX-XXXX`, 40 random bits. */
export function newSetupCode(): string {
  const four = () => Array.from({ length: 4 }, () => characters[randomInt(characters.length)]).join('');
  return `${four()}-${four()}`;
}

export class SetupCode {
  #code: string | undefined;
  readonly #tell: (code: string) => void;

  /** `tell` is called with each later one. */
  constructor(code: string, tell: (code: string) => void = () => undefined) {
    this.#code = code;
    this.#tell = tell;
  }

  /** Another one if it has been used. */
  get current(): string {
    this.#code ??= newSetupCode();
    return this.#code;
  }

  /** Compares in constant time; case, blanks and hyphens do not count. */
  is(given: string): boolean {
    const [one, other] = [given, this.current].map((text) => createHash('sha256').update(plain(text)).digest());
    return one !== undefined && other !== undefined && timingSafeEqual(one, other);
  }

  /** It has been used. */
  end(): void {
    this.#code = undefined;
  }

  /** Replaces it, and tells the new one. */
  renew(): void {
    this.end();
    this.#tell(this.current);
  }
}

const plain = (code: string) => code.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** The address of the page that asks for a password, as other devices reach it; by HTTPS if `httpsPort` is not 0. */
export function setupLink(
  { bind, httpPort }: Pick<Configuration, 'bind' | 'httpPort'>,
  httpsPort: number,
  code: string,
): string {
  const [first = 'localhost'] = reachableAddresses(bind).sort((a, b) => Number(isIPv6(a)) - Number(isIPv6(b)));
  const [scheme, port] = httpsPort === 0 ? ['http', httpPort] : ['https', httpsPort];
  return `${scheme}://${isIPv6(first) ? `[${first}]` : first}:${port}/#/setup?code=${code}`;
}

/** Where `receiverd setup` leaves a code for the start that follows. Only the owner can read it. */
const pathIn = (dataDir: string) => join(dataDir, 'setup-code');

/** @throws the system's error */
export const keepSetupCode = (dataDir: string, code: string) =>
  replaceFile(pathIn(dataDir), Buffer.from(`${code}\n`), 0o600);

/** The code that `receiverd setup` has printed, once; otherwise a new one. */
export async function takeSetupCode(dataDir: string): Promise<string> {
  const kept = await readRegularFile(pathIn(dataDir), 100).then(String, () => '');
  await rm(pathIn(dataDir), { force: true }).catch(() => undefined);
  return /^[A-Z2-9]{4}-[A-Z2-9]{4}\n$/.test(kept) ? kept.trim() : newSetupCode();
}
