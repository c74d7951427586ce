/**
 * Signed texts that stand for an account until they end: the session of a browser, and the tickets in addresses of
 * streams, whose players cannot log in. Nothing is stored. They end early when the account's password changes or the
 * account is removed, because its hash is signed with them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { UnixSeconds } from '../base/clock.ts';

export type PassKind = 'session' | 'ticket';

/** Who a pass is for: a unique name, and the hash of its password or token. */
export interface PassHolder {
  readonly name: string;
  readonly hash: string;
}

/** `NAME.END.SIGNATURE`, safe in cookies and addresses. `end`: in Unix seconds. */
export function passFor({ name, hash }: PassHolder, kind: PassKind, end: UnixSeconds, secret: string): string {
  const head = `${Buffer.from(name).toString('base64url')}.${end.toString(36)}`;
  return `${head}.${signature(head, hash, kind, secret)}`;
}

/** The name in a pass; undefined of anything else. It still has to be checked. */
export function nameIn(pass: string): string | undefined {
  const match = /^([\w-]{1,200})\.[0-9a-z]{1,10}\.[\w-]{43}$/.exec(pass);
  return match?.[1] === undefined ? undefined : Buffer.from(match[1], 'base64url').toString('utf8');
}

/** Whether a pass with the name of this holder is true and has not ended. */
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
