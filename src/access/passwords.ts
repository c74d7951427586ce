/**
 * Passwords as scrypt hashes (RFC 7914), in the PHC string format.
 *
 * A hash takes 16 MiB, and 40 ms on a desktop or half a second on a 1 GHz MIPS core: expensive for guessing, acceptable
 * for a box with 512 MB. It is computed on a thread of libuv.
 */

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { fail } from '../base/errors.ts';

/** Lengths of a password in characters. The time to normalise a text grows with the square of its length. */
export const minPasswordLength = 8;
export const maxPasswordLength = 1024;

/**
 * Checks the length of a new password. `parameter`: its name in the request.
 * @throws ReceiverError `parameter-invalid`
 */
export function checkPassword({ length }: string, parameter = 'password'): void {
  if (length < minPasswordLength || length > maxPasswordLength)
    throw fail('parameter-invalid', parameter, `must have ${minPasswordLength} to ${maxPasswordLength} characters`);
}

/** Parameters of scrypt: log2 of the cost N, block size, parallelism. */
const cost = { ln: 14, r: 8, p: 1 };
const saltLength = 16;
const hashLength = 32;

/** Hashes a password with a new salt. */
export async function hashOf(password: string): Promise<string> {
  const salt = randomBytes(saltLength);
  const hash = await derive(password, salt, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

const format = /^\$scrypt\$ln=(1?[1-9]|[12]0),r=([1-9]\d?),p=([1-9]\d?)\$([\w-]{16,86})\$([\w-]{43})$/;

/** Whether a text has the format of `hashOf`. */
export const isHash = (text: string): boolean => format.test(text);

/**
 * Whether a password has this hash. False, after the same time, if the password is too long or `hash` is not a hash.
 */
export async function matches(password: string, hash: string): Promise<boolean> {
  const [, ln = cost.ln, r = cost.r, p = cost.p, salt = '', wanted = ''] = format.exec(hash) ?? [];
  const isTooLong = password.length > maxPasswordLength;
  const text = isTooLong ? '' : password;
  const found = await derive(text, Buffer.from(salt, 'base64url'), { ln: Number(ln), r: Number(r), p: Number(p) });
  const expected = Buffer.from(wanted, 'base64url');
  return !isTooLong && expected.length === found.length && timingSafeEqual(found, expected);
}

function derive(password: string, salt: Buffer, { ln, r, p }: typeof cost): Promise<Buffer> {
  const N = 2 ** ln;
  const options: ScryptOptions = { N, r, p, maxmem: 256 * r * (N + p) };
  return new Promise((resolve, reject) => {
    // Devices may enter the same text as different code points.
    scrypt(password.normalize('NFKC'), salt, hashLength, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
