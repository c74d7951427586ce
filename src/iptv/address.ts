/** Parses the URL of an IPTV service's stream, in the dialects of bouquets and channel lists. */
import { isIP } from 'node:net';
import { urlOf } from '../base/url.ts';
import type { ServiceReference } from '../services/reference.ts';

/** A stream by HTTP: a transport stream, or an HLS playlist. */
export interface WebAddress {
  readonly kind: 'web';
  readonly url: string;
  /** Header fields that the request must carry, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A transport stream by UDP or RTP: `udp://@239.1.1.1:1234`, `rtp://SENDER@232.1.1.1:1234`. */
export interface MulticastAddress {
  readonly kind: 'multicast';
  /** IP address of the group; `0.0.0.0` for unicast to this machine. */
  readonly group: string;
  readonly port: number;
  /** IP address of the only sender to accept; empty: any. */
  readonly sender: string;
}

export type StreamAddress = WebAddress | MulticastAddress;

const web = /^https?:\/\//i;
const datagrams = /^(?:udp|rtp):\/\/(?:([^@/]*)@)?(\[[^\]]*\]|[^:/@]*):(\d{1,5})\/?(?:\?.*)?$/i;
/** Accepted header names: none that controls the connection itself. */
const headerName = /^(?!host$|connection$|content-|transfer-|range$|te$|upgrade$|x-receiverd$)[a-z0-9-]{1,64}$/;
const headerValue = /^[\x20-\x7e]{0,1024}$/;

/** Returns the address of a service's stream; undefined if it is not a stream, or of a kind that we do not receive. */
export function streamAddress({ isStream, path }: ServiceReference): StreamAddress | undefined {
  if (!isStream) return undefined;
  return web.test(path) ? webAddress(path) : multicastAddress(path);
}

/** Header fields follow as `#User-Agent=X&Referer=Y` (Enigma2) or `|User-Agent=X&!Name=Y` (Kodi), percent-encoded. */
function webAddress(path: string): WebAddress | undefined {
  const [, location = '', options = ''] = /^([^#|]*)(?:[#|](.*))?$/s.exec(path) ?? [];
  const url = urlOf(location);
  if (url === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(options.replaceAll('+', '%2B'))) {
    const header = name.replace(/^!/, '').toLowerCase();
    if (headerName.test(header) && headerValue.test(value)) headers[header] = value;
  }
  return { kind: 'web', url: url.href, headers };
}

function multicastAddress(path: string): MulticastAddress | undefined {
  const [, sender = '', host = '', digits] = datagrams.exec(path) ?? [];
  const port = Number(digits);
  const group = host.replace(/^\[|\]$/g, '') || '0.0.0.0';
  if (!(port > 0 && port < 65_536) || isIP(group) === 0 || (sender !== '' && isIP(sender) === 0)) return undefined;
  return { kind: 'multicast', group, port, sender };
}
