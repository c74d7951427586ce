/** The addresses at which other devices and apps reach the receiver, as seen from the address of this page. */
import type { Result } from '../../../client/client.ts';

export interface Addresses {
  /** The page itself, with a final slash. */
  readonly page: string;
  readonly host: string;
  readonly webPort: string;
  /** Undefined if live streams have no port of their own, as behind a proxy with HTTPS. */
  readonly streamPort: string | undefined;
  readonly isSecure: boolean;
  /** Whether a proxy serves the receiver below a path, which apps for Enigma2 cannot use. */
  readonly hasPath: boolean;
  /** Whether the page was opened on the receiver's machine, whose network address `host` then is if it has one. */
  readonly isLocal: boolean;
  /** Whether other devices cannot use the addresses. */
  readonly isOnlyHere: boolean;
  /** Whether apps must log in. */
  readonly needsLogin: boolean;
}

export interface Sources {
  /** Address of this page. */
  readonly page: string;
  /** `stream.m3u` without a service, whose last line is the address of live streams. */
  readonly playlist: string;
  /** The first address of the machine in its network; empty if it has none. */
  readonly networkAddress: string;
  /** The session of a client without a login at this address. */
  readonly stranger: Pick<Result<'get', '/login'>, 'accounts' | 'rights'>;
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80');

export function addressesOf({ page: opened, playlist, networkAddress, stranger }: Sources): Addresses {
  const page = new URL('.', opened);
  const streams = new URL(playlist.trimEnd().split('\n').at(-1) ?? '', page);
  const isLocal = loopback.test(page.hostname);
  if (isLocal && networkAddress !== '') page.hostname = networkAddress;
  const { accounts, rights } = stranger;
  const mayWatch = rights.some((right) => right === 'view' || right === 'admin');
  return {
    page: page.href,
    host: page.hostname,
    webPort: portOf(page),
    streamPort: streams.pathname === '/' ? portOf(streams) : undefined,
    isSecure: page.protocol === 'https:',
    hasPath: page.pathname !== '/',
    isLocal,
    isOnlyHere: isLocal && networkAddress === '',
    needsLogin: accounts && !mayWatch,
  };
}

/** Playlist and guide of a bouquet, or of all of them. Channels in both have the same ids. */
export function listsOf({ page }: Addresses, bouquet: string | undefined): { playlist: string; guide: string } {
  const query = bouquet === undefined ? '' : `?bRef=${encodeURIComponent(bouquet)}`;
  return {
    playlist: `${page}web/services.m3u${query || '?unique=1'}`,
    guide: query === '' ? `${page}api/epgexport?format=xmltv` : `${page}web/epgxmltv${query}`,
  };
}

/** The HDHomeRun and its guide, in which channels have the numbers of the tuner. */
export const hdhomerunOf = ({ page }: Addresses) => ({ tuner: page.replace(/\/$/, ''), guide: `${page}xmltv.xml` });
