/**
 * A self-signed certificate (RFC 5280) in DER. Node reads certificates but cannot create them, and the library
 * selfsigned would add 770 KB to a program of 3.4 MB. Only what this one certificate needs is written here.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import type { UnixSeconds } from '../base/clock.ts';
import { groupsOf } from '../base/ip-prefixes.ts';

export interface SelfSignedCertificate {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

const day = 86_400;

/** Browsers refuse server certificates that are valid for more than 398 days. */
export const validitySeconds = 397 * day;

/**
 * Creates a certificate for these host names and addresses. Its key (ECDSA on P-256) is `existingKey` (PEM), or a new
 * one. It is valid from a day before `now`, because the clocks of clients differ.
 */
export function createSelfSigned(
  subject: string,
  names: readonly string[],
  now: UnixSeconds,
  existingKey?: string,
): SelfSignedCertificate {
  const privateKey =
    existingKey === undefined
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      : createPrivateKey(existingKey);
  const signed = signedPart(subject, names, { publicKey: createPublicKey(privateKey), begin: now - day });
  const signature = sign('sha256', signed, privateKey);
  const certificate = sequence(signed, algorithm, bitString(signature));
  return {
    certificate: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** TBSCertificate (§4.1.2). */
function signedPart(
  subject: string,
  names: readonly string[],
  { publicKey, begin }: { readonly publicKey: KeyObject; readonly begin: UnixSeconds },
): Buffer {
  const serial = randomBytes(16);
  // Positive, and without a zero in front.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const name = sequence(set(sequence(identifier('2.5.4.3'), tagged(0x0c, Buffer.from(subject)))));
  return sequence(
    explicit(0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, serial),
    algorithm,
    name,
    sequence(timeOf(begin), timeOf(begin + validitySeconds - 1)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(
      3,
      sequence(
        // basicConstraints (not a CA), keyUsage (digitalSignature), extKeyUsage (serverAuth), subjectAltName.
        extension('2.5.29.19', sequence(), true),
        extension('2.5.29.15', tagged(0x03, Buffer.from([7, 0x80])), true),
        extension('2.5.29.37', sequence(identifier('1.3.6.1.5.5.7.3.1'))),
        extension('2.5.29.17', sequence(...names.map(alternativeName))),
      ),
    ),
  );
}

/** Validity dates (§4.1.2.5): UTCTime until 2049, GeneralizedTime from 2050 on. */
function timeOf(seconds: UnixSeconds): Buffer {
  const digits = `${new Date(seconds * 1000).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  return digits < '2050' ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

/** GeneralName (§4.2.1.6): a DNS name or an IP address. */
function alternativeName(name: string): Buffer {
  return isIP(name) === 0 ? tagged(0x82, Buffer.from(name, 'ascii')) : tagged(0x87, addressBytes(name));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  return Buffer.from(groupsOf(address).flatMap((group) => [group >> 8, group & 0xff]));
}

/** Encodes a DER element: tag, length, content (X.690 §8.1). */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const lengthBytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

const sequence = (...parts: readonly Buffer[]) => tagged(0x30, Buffer.concat(parts));
const set = (...parts: readonly Buffer[]) => tagged(0x31, Buffer.concat(parts));
const explicit = (number: number, content: Buffer) => tagged(0xa0 | number, content);
const bitString = (bytes: Buffer) => tagged(0x03, Buffer.concat([Buffer.from([0]), bytes]));

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [tagged(0x01, Buffer.from([0xff]))] : [];
  return sequence(identifier(id), ...critical, tagged(0x04, value));
}

/** Encodes an object identifier (X.690 §8.19) whose numbers are below 16384. */
function identifier(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  const bytes = others.flatMap((number) => (number < 128 ? [number] : [0x80 | (number >> 7), number & 0x7f]));
  return tagged(0x06, Buffer.from([40 * first + second, ...bytes]));
}

/** ecdsa-with-SHA256 (RFC 5758 §3.2). */
const algorithm = sequence(identifier('1.2.840.10045.4.3.2'));

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
