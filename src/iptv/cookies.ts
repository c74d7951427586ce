/**
 * The cookies of one stream (RFC 6265), including those set by redirects and playlists. They are dropped with the
 * stream. docs/dependencies.md says why this is not a library.
 */
import { isIP } from 'node:net';

interface Cookie {
  readonly name: string;
  readonly value: string;
  /** In lower case. */
  readonly domain: string;
  /** For `domain` only, not for hosts below it. */
  readonly isHostOnly: boolean;
  readonly path: string;
  /** Sent by https only. */
  readonly isSecure: boolean;
  /** Time of expiry by `now`; infinite for a cookie that lasts as long as the stream. */
  readonly expires: number;
}

/** RFC 6265 §6.1: the number that browsers keep per domain. Beyond it, the oldest are dropped. */
const maxCookies = 50;
/** Characters of name and value together. */
const maxCookieLength = 4096;

export class CookieJar {
  /** The oldest first. */
  #cookies: readonly Cookie[] = [];
  readonly #now: () => number;

  /** `now`: milliseconds since any moment; tests replace it. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Stores the `Set-Cookie` fields of a response. `date`: its `Date` field, since the clock of a box may be wrong. */
  store(url: URL, fields: readonly string[] = [], date = ''): void {
    for (const field of fields) {
      const cookie = this.#cookieOf(url, field, Date.parse(date) || 0);
      if (cookie === undefined) continue;
      const { name, domain, path } = cookie;
      const others = this.#cookies.filter(
        (other) => other.name !== name || other.domain !== domain || other.path !== path,
      );
      this.#cookies = [...others, cookie].slice(-maxCookies);
    }
  }

  /** Returns the `Cookie` field of a request; may be empty. `given`: the user's cookies, replaced by newer values. */
  header(url: URL, given = ''): string {
    const now = this.#now();
    this.#cookies = this.#cookies.filter(({ expires }) => expires > now);
    const isSecure = url.protocol === 'https:';
    const sent = this.#cookies
      .filter(
        (cookie) =>
          isOfHost(url.hostname, cookie) && isBelow(url.pathname, cookie.path) && (isSecure || !cookie.isSecure),
      )
      .sort((one, other) => other.path.length - one.path.length);
    const known = new Set(sent.map(({ name }) => name));
    const own = given.split(';').map((pair) => pair.trim());
    const kept = own.filter((pair) => pair !== '' && !known.has(pair.replace(/=.*/s, '')));
    return [...kept, ...sent.map(({ name, value }) => `${name}=${value}`)].join('; ');
  }

  /** RFC 6265 §5.2, §5.3; undefined for a cookie to ignore. `date`: milliseconds since 1970. */
  #cookieOf({ hostname, pathname }: URL, field: string, date: number): Cookie | undefined {
    const [pair = '', ...rest] = field.split(';');
    const [name, value] = nameAndValue(pair);
    if (name === '' || !pair.includes('=') || name.length + value.length > maxCookieLength) return undefined;
    const attributes = new Map(rest.map(nameAndValue).map(([key, value]) => [key.toLowerCase(), value]));
    const domain = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase();
    const isHostOnly = domain === '' || isIP(hostname) !== 0;
    if (domain !== '' && !isOfHost(hostname, { domain, isHostOnly })) return undefined;
    // A domain of one label is a public suffix: all of its hosts would get the cookie.
    if (!isHostOnly && domain !== hostname && !domain.includes('.')) return undefined;
    const path = attributes.get('path') ?? '';
    return {
      ...{ name, value, isHostOnly },
      domain: domain || hostname,
      path: path.startsWith('/') ? path : pathname.replace(/\/[^/]*$/, '') || '/',
      isSecure: attributes.has('secure'),
      expires: this.#now() + lifetimeMs(attributes, date),
    };
  }
}

/** Milliseconds; zero or negative for a cookie to remove. */
function lifetimeMs(attributes: ReadonlyMap<string, string>, date: number): number {
  const age = attributes.get('max-age') ?? '';
  if (/^-?\d+$/.test(age)) return Number(age) * 1000;
  const expires = Date.parse(attributes.get('expires') ?? '');
  return Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires - date;
}

function nameAndValue(pair: string): [name: string, value: string] {
  const [name = ''] = pair.split('=', 1);
  return [name.trim(), pair.slice(name.length + 1).trim()];
}

/** RFC 6265 §5.1.3. */
const isOfHost = (host: string, { domain, isHostOnly }: Pick<Cookie, 'domain' | 'isHostOnly'>) =>
  host === domain || (!isHostOnly && host.endsWith(`.${domain}`));

/** RFC 6265 §5.1.4. */
const isBelow = (path: string, above: string) =>
  path === above || (path.startsWith(above) && (above.endsWith('/') || path[above.length] === '/'));
