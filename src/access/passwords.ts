/**
 * Passwords as scrypt hashes (RFC 7914), in the PHC string format.
 *
 * A hash takes 16 MiB for 40 ms on a desktop and half a second on a 1 GHz MIPS core: dear for those who guess, bearable
 * for a box of 512 MB. It is computed on a thread of libuv.
 */

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { fail } from '../base/errors.ts';

/** Characters of a password. The time to normalise a text grows with the square of its length. */
export const passwordLength = { least: 8, most: 1024 } as const;

/** `parameter`: which gave it. @throws ReceiverError `parameter-invalid` */
export function checkPassword({ length }: string, parameter = 'password'): void {
  const { least, most } = passwordLength;
  if (length < least || length > most)
    throw fail('parameter-invalid', parameter, `must have ${least} to ${most} characters`);
}

/** log2 of the cost N, block size, parallelism. */
const cost = { ln: 14, r: 8, p: 1 };
const saltLength = 16;
const hashLength = 32;

/** The hash of a password under a new salt. */
export async function hashOf(password: string): Promise<string> {
  const salt = randomBytes(saltLength);
  const hash = await derive(password, salt, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

const format = /^\$scrypt\$ln=(1?[1-9]|[12]0),r=([1-9]\d?),p=([1-9]\d?)\$([\w-]{16,86})\$([\w-]{43})$/;

/** True for a hash that `hashOf` may have written. */
export const isHash = (text: string): boolean => format.test(text);

/** Whether the password has this hash. One that is too long, and a text that is no hash, match none and take as long. */
export async function matches(password: string, hash: string): Promise<boolean> {
  const [, ln = cost.ln, r = cost.r, p = cost.p, salt = '', wanted = ''] = format.exec(hash) ?? [];
  const isTooLong = password.length > passwordLength.most;
  const text = isTooLong ? '' : password;
  const found = await derive(text, Buffer.from(salt, 'base64url'), { ln: Number(ln), r: Number(r), p: Number(p) });
  const expected = Buffer.from(wanted, 'base64url');
  return !isTooLong && expected.length === found.length && timingSafeEqual(found, expected);
}

function derive(password: string, salt: Buffer, { ln, r, p }: typeof cost): Promise<Buffer> {
  const N = 2 ** ln;
  const options: ScryptOptions = { N, r, p, maxmem: 256 * r * (N + p) };
  return new Promise((resolve, reject) => {
    // The same text may be typed as different code points on another device.
    scrypt(password.normalize('NFKC'), salt, hashLength, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
