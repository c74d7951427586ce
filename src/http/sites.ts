/**
 * Who may change something. Whatever a browser sends on behalf of a page counts for the page: one of another site may read (cors.ts)
 * and no more. And one that has got here by a name of its own, which its owner has pointed at this machine (DNS rebinding), looks
 * to the browser like ours: so nothing is changed by a name that could be somebody else's. Programs are asked the same, and reach
 * the receiver by addresses and by names of its own anyway.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { FastifyRequest } from 'fastify';
import { fail, type ReceiverError } from '../errors.ts';
import { once } from '../once.ts';
import { anyOrigin } from './cors.ts';
import type { InterfaceConfig } from './parts.ts';

type Sites = Pick<InterfaceConfig, 'origins' | 'hostNames'>;

/** Why this request may not do `what`, which changes something; undefined when it may. */
export function refusedChange(request: FastifyRequest, sites: Sites, what: string): ReceiverError | undefined {
  if (fromOtherSite(request, sites)) return fail('not-allowed', `${what} from a page of another site`);
  const name = nameOf(request.headers.host ?? '');
  return isOwn(name, sites) ? undefined : fail('host-unknown', name);
}

/**
 * True for what a browser sends on behalf of a page of another site: it says so itself (Sec-Fetch-Site, with Origin as what
 * older ones have). Programs send neither. Origins that the owner names are no other sites.
 */
function fromOtherSite({ headers }: FastifyRequest, { origins }: Sites): boolean {
  const { origin, host } = headers;
  if (origin !== undefined && origin !== anyOrigin && origins.includes(origin)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'cross-site';
  return origin !== undefined && origin !== 'null' && origin.replace(/^[a-z]+:\/\//, '') !== host;
}

/** A Host header without its port and the brackets of an address, in small letters. */
function nameOf(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[(.*)\]|(.*?))(?::\d*)?$/.exec(host.trim()) ?? [];
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '');
}

/**
 * Last parts of names that cannot be had on the internet: those of RFC 6761, RFC 6762, RFC 8375 and ICANN's for private use, and
 * what routers give to the machines behind them.
 */
const privateNames =
  /\.(local|localhost|localdomain|home\.arpa|internal|intranet|private|corp|home|lan|fritz\.box|speedport\.ip)$/;

/** An address, a name without dots, one that nobody else can have, or one of this machine. */
function isOwn(name: string, { hostNames }: Sites): boolean {
  if (!name.includes('.') || isIP(name) !== 0 || privateNames.test(name)) return true;
  return hostNames.includes('*') || machineNames().has(name) || hostNames.some((one) => one.toLowerCase() === name);
}

/** The machine's host name, alone and in the domains that its resolver searches. */
const machineNames = once((): ReadonlySet<string> => {
  const full = hostname().toLowerCase();
  const [short = full] = full.split('.', 1);
  return new Set([full, ...searchedDomains(resolverFile()).map((domain) => `${short}.${domain}`)]);
});

/** Domains of the `search` and `domain` lines of a resolv.conf. */
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
