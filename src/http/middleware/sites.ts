/**
 * Decides who may change something. Whatever a browser sends on behalf of a page counts as the page: a page of another
 * origin may read (cors.ts) but nothing more. A page can also use a name of its own that its owner has pointed at this
 * machine (DNS rebinding); the browser then takes it for one of ours. So changes are refused for any host name that
 * could belong to somebody else. The same rule applies to programs, which use addresses or the receiver's own names
 * anyway.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { FastifyRequest } from 'fastify';
import { type Permission, permits } from '../../access/permissions.ts';
import { fail, type ReceiverError } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import type { InterfaceConfig } from '../parts/parts.ts';
import { anyOrigin } from './cors.ts';

type Sites = Pick<InterfaceConfig, 'origins' | 'hostNames'>;

/** What a request needs; `none`: every client that is admitted. */
export type RequiredPermission = Permission | 'none';

/** When a change is refused, for documents. */
export const refusedTo = (permission: RequiredPermission): string =>
  `requested by a page of another site${permission === 'none' ? '' : `, or without the permission '${permission}'`}`;

/** The reason why this request may not do `what`, which changes something; undefined if it may. */
export function refusedChange(
  request: FastifyRequest,
  sites: Sites,
  what: string,
  permission: RequiredPermission,
): ReceiverError | undefined {
  if (fromOtherSite(request, sites)) return fail('not-allowed', `${what} from a page of another site`);
  const name = nameOf(request.host);
  if (!isOwn(name, sites)) return fail('host-unknown', name);
  if (permission === 'none') return undefined;
  const { permissions = [], account } = request.client ?? {};
  if (permits(permissions, permission)) return undefined;
  return account === undefined
    ? fail('login-needed', loginFor(what, permission))
    : fail('right-missing', what, permission);
}

const loginFor = (what: string, permission: Permission) =>
  `${what} needs a login with the permission '${permission}': send user and password by HTTP Basic or a token, or log in on the web page`;

/**
 * Whether a browser may have sent a request on behalf of a page that is not ours: it says so, or the page may have reached
 * this machine by a name of its own.
 */
export function mayBeFromPage(request: Pick<FastifyRequest, 'headers' | 'host'>): boolean {
  return fromOtherSite(request, { origins: [] }) || !isLoopbackName(nameOf(request.host));
}

const isLoopbackName = (name: string) =>
  name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));

/**
 * True for requests that a browser sends on behalf of a page of another origin, which counts as another site even if it
 * is only another port of this machine. Browsers say so in Sec-Fetch-Site; to plain http addresses other than localhost
 * only in Origin, which is `null` for pages without an address of their own (sandboxed frames, files); with images, links
 * and GET forms only in Referer, unless the page forbids it. Programs send none of these. Configured origins do not count
 * as other sites.
 */
function fromOtherSite(
  { headers, host }: Pick<FastifyRequest, 'headers' | 'host'>,
  { origins }: Pick<Sites, 'origins'>,
): boolean {
  const { origin, referer, 'sec-fetch-site': site } = headers;
  const page = origin ?? (referer === undefined ? undefined : originOf(referer));
  if (page !== undefined && page !== anyOrigin && origins.includes(page)) return false;
  // `same-site`: any program of this machine, any machine of this domain. `none`: a person has typed the address.
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return page !== undefined && page.replace(/^[a-z]+:\/\//, '') !== host;
}

/** The origin of an address; an address that is none has one of its own. */
function originOf(address: string): string {
  return /^[a-z][a-z\d+.-]*:\/\/[^/?#]+/i.exec(address)?.[0] ?? 'null';
}

/** A Host header without its port and the brackets of an address, in lower case. */
function nameOf(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[(.*)\]|(.*?))(?::\d*)?$/.exec(host.trim()) ?? [];
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '');
}

/**
 * Suffixes of names that cannot be registered on the internet: those of RFC 6761, RFC 6762 and RFC 8375, ICANN's for
 * private use, and those that routers assign to machines behind them.
 */
const privateNames =
  /\.(local|localhost|localdomain|home\.arpa|internal|intranet|private|corp|home|lan|fritz\.box|speedport\.ip)$/;

/** True for an address, a name without dots, a name under a private suffix, and a name of this machine. */
function isOwn(name: string, { hostNames }: Sites): boolean {
  if (!name.includes('.') || isIP(name) !== 0 || privateNames.test(name)) return true;
  return hostNames.includes('*') || machineNames().has(name) || hostNames.some((one) => one.toLowerCase() === name);
}

/** The machine's host name, alone and in the search domains of its resolver. */
const machineNames = once((): ReadonlySet<string> => {
  const full = hostname().toLowerCase();
  const [short = full] = full.split('.', 1);
  return new Set([full, ...searchedDomains(resolverFile()).map((domain) => `${short}.${domain}`)]);
});

/** The domains in the `search` and `domain` lines of a resolv.conf. */
export function searchedDomains(text: string): string[] {
  const lines = text.matchAll(/^[ \t]*(?:search|domain)[ \t]+(.*)$/gm);
  const domains = Array.from(lines, ([, line = '']) => line.trim().toLowerCase().split(/\s+/)).flat();
  return domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== '');
}

function resolverFile(): string {
  try {
    return readFileSync('/etc/resolv.conf', 'utf8');
  } catch {
    return '';
  }
}
