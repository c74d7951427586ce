/**
 * Passes: signed texts that stand for an account until they expire. A *session* is the cookie of a browser, a *ticket*
 * is part of a stream's URL, whose player cannot log in. Nothing is stored. The signature covers the hash of the
 * account's password, so a new password or the removal of the account makes its passes invalid.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { UnixSeconds } from '../base/clock.ts';

export type PassKind = 'session' | 'ticket';

/** The account of a pass: its unique name, and the hash of its password or token. */
export interface PassHolder {
  readonly name: string;
  readonly hash: string;
}

/** Creates a pass: `NAME.END.SIGNATURE`, safe in cookies and URLs. */
export function passFor({ name, hash }: PassHolder, kind: PassKind, end: UnixSeconds, secret: string): string {
  const head = `${Buffer.from(name).toString('base64url')}.${end.toString(36)}`;
  return `${head}.${signature(head, hash, kind, secret)}`;
}

/** The account's name in a pass, whose signature is not checked here; undefined if the text is not a pass. */
export function nameIn(pass: string): string | undefined {
  const match = /^([\w-]{1,200})\.[0-9a-z]{1,10}\.[\w-]{43}$/.exec(pass);
  return match?.[1] === undefined ? undefined : Buffer.from(match[1], 'base64url').toString('utf8');
}

/** Whether a pass with the name of this holder is genuine and has not expired. */
export function isValid(pass: string, kind: PassKind, { hash }: PassHolder, now: UnixSeconds, secret: string): boolean {
  const [name = '', end = '', given = ''] = pass.split('.');
  if (Number.parseInt(end, 36) <= now) return false;
  const wanted = Buffer.from(signature(`${name}.${end}`, hash, kind, secret));
  const found = Buffer.from(given);
  return wanted.length === found.length && timingSafeEqual(wanted, found);
}

function signature(head: string, hash: string, kind: PassKind, secret: string): string {
  return createHmac('sha256', secret).update(`${kind}\n${head}\n${hash}`).digest('base64url');
}
