/**
 * Decides whether a request may change something. Pages of other origins may read (cors.ts) but not change anything. A page
 * can also use a host name of its own that its owner has pointed at this machine (DNS rebinding): the browser then treats the
 * receiver as the page's own origin. So changes are refused under any host name that could belong to somebody else. This
 * also applies to programs, which use addresses or the receiver's own names anyway.
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

/** Describes, for the OpenAPI documents, when a change is refused. */
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
 * True if a browser may have sent the request on behalf of a page that is not ours: the headers say so, or the page may have
 * reached this machine by a name of its own (DNS rebinding).
 */
export function mayBeFromPage(request: Pick<FastifyRequest, 'headers' | 'host'>): boolean {
  return fromOtherSite(request, { origins: [] }) || !isLoopbackName(nameOf(request.host));
}

const isLoopbackName = (name: string) =>
  name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));

/**
 * True for requests that a browser sends on behalf of a page of another origin. Another port of this machine is another
 * origin too; configured origins are not. The headers that tell are:
 * - Sec-Fetch-Site, which browsers do not send to plain http addresses other than localhost;
 * - Origin, which is `null` for pages without an address (sandboxed frames, files) and missing for images, links and GET
 *   forms;
 * - Referer, unless the page forbids it.
 * Programs send none of these.
 */
function fromOtherSite(
  { headers, host }: Pick<FastifyRequest, 'headers' | 'host'>,
  { origins }: Pick<Sites, 'origins'>,
): boolean {
  const { origin, referer, 'sec-fetch-site': site } = headers;
  const page = origin ?? (referer === undefined ? undefined : originOf(referer));
  if (page !== undefined && page !== anyOrigin && origins.includes(page)) return false;
  // `same-site` could be another port of this machine or another host of its domain. `none`: the user typed the address.
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return page !== undefined && page.replace(/^[a-z]+:\/\//, '') !== host;
}

/** The origin of a URL; `null` if it is invalid. */
function originOf(address: string): string {
  return /^[a-z][a-z\d+.-]*:\/\/[^/?#]+/i.exec(address)?.[0] ?? 'null';
}

/** A Host header in lower case, without the port and the brackets of an IPv6 address. */
function nameOf(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[(.*)\]|(.*?))(?::\d*)?$/.exec(host.trim()) ?? [];
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '');
}

/**
 * Suffixes of names that cannot be registered on the internet: those of RFC 6761, RFC 6762 and RFC 8375, ICANN's suffix for
 * private use, and those that home routers assign.
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
