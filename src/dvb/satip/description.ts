/** The description of a SAT>IP server (EN 50585): a UPnP device document that says who it is and which tuners it has. */
import { fail, systemReason } from '../../errors.ts';
import { urlOf } from '../../url.ts';
import { elementsOf, parseXml, textOf, type XmlElement, XmlError } from '../../xml.ts';

export interface ServerFrontEnd {
  /** As in FrontEndInformation; empty for a system that nobody here knows. */
  readonly systems: readonly string[];
}

export interface ServerDescription {
  readonly name: string;
  readonly model: string;
  readonly manufacturer: string;
  /** Its UDN, `uuid:...`. */
  readonly identity: string;
  /** In its order: the first is `fe=1`. */
  readonly frontEnds: readonly ServerFrontEnd[];
}

/** A description, and where the server takes requests. */
export interface DescribedServer extends ServerDescription {
  /** As in a URL. */
  readonly host: string;
  readonly rtspPort: number;
}

/** Bounds: bytes of a document, characters of a name, front ends of a server. */
const longestDocument = 256 * 1024;
const longestName = 100;
const mostFrontEnds = 64;
/** Milliseconds to get a document in. */
const patience = 5000;
const usualPort = 554;

/** Of each kind of tuner. ATSCC and DVBCB are names for cable in America. */
const systems: Readonly<Record<string, readonly string[]>> = {
  DVBS: ['DVB-S'],
  DVBS2: ['DVB-S', 'DVB-S2'],
  DVBT: ['DVB-T'],
  DVBT2: ['DVB-T', 'DVB-T2'],
  DVBC: ['DVB-C'],
  DVBC2: ['DVB-C', 'DVB-C2'],
  DVBCB: ['DVB-C annex B'],
  ATSC: ['ATSC'],
  ATSCT: ['ATSC'],
  ATSCC: ['DVB-C annex B'],
  ISDBT: ['ISDB-T'],
};

/**
 * The front ends of `DVBS2-4,DVBT2-2`, at most 64. An unknown kind has front ends too, since requests count them; what
 * is not a kind and a number is ignored. A kind without a number is one.
 */
export function parseCapabilities(text: string): readonly ServerFrontEnd[] {
  const found: ServerFrontEnd[] = [];
  for (const word of text.toUpperCase().split(/[\s,]+/)) {
    const [, kind = '', count = '1'] = /^([A-Z][A-Z0-9]*)(?:-(\d{1,3}))?$/.exec(word) ?? [];
    if (kind === '') continue;
    const frontEnd = { systems: Object.hasOwn(systems, kind) ? (systems[kind] ?? []) : [] };
    for (let left = Number(count); left > 0 && found.length < mostFrontEnds; left--) found.push(frontEnd);
  }
  return found;
}

/** Reads a description; what it does not say is empty. @throws XmlError */
export async function parseDescription(text: string): Promise<ServerDescription> {
  const root = await parseXml(text.trim(), 'root');
  const device = elementsOf(root).find(({ name }) => localName(name) === 'device');
  if (device === undefined) throw new XmlError(root.line, 'it describes no device');
  return {
    name: wordsOf(device, 'friendlyName'),
    model: wordsOf(device, 'modelName'),
    manufacturer: wordsOf(device, 'manufacturer'),
    identity: wordsOf(device, 'UDN'),
    frontEnds: parseCapabilities(contentOf(device, 'X_SATIPCAP')),
  };
}

/** Without its prefix, which servers choose. */
const localName = (name: string) => name.slice(name.indexOf(':') + 1);

function contentOf(device: XmlElement, name: string): string {
  const element = elementsOf(device).find((one) => localName(one.name) === name);
  return element === undefined ? '' : textOf(element);
}

/** In one line, for logs and lists. */
function wordsOf(device: XmlElement, name: string): string {
  return contentOf(device, name)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, longestName);
}

/**
 * Gets the description at an `http:` address, which does not redirect, within 5 s.
 * @throws ReceiverError `parameter-invalid` for another address, `file-unreadable`; the reason of `signal`
 */
export async function fetchDescription(location: string, signal?: AbortSignal): Promise<DescribedServer> {
  const url = urlOf(location);
  if (url?.protocol !== 'http:') throw fail('parameter-invalid', 'location', 'must be the http: address of a server');
  const late = AbortSignal.timeout(patience);
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    const text = await documentOf(response);
    const port = Number(response.headers.get('x-satip-rtsp-port') ?? usualPort);
    const isPort = Number.isInteger(port) && port > 0 && port <= 0xffff;
    return { ...(await parseDescription(text)), host: url.hostname, rtspPort: isPort ? port : usualPort };
  } catch (error) {
    signal?.throwIfAborted();
    throw fail('file-unreadable', location, late.aborted ? `no answer within ${patience / 1000} s` : reasonOf(error));
  }
}

async function documentOf({ ok, status, body }: Response): Promise<string> {
  if (!ok || body === null) {
    await body?.cancel();
    throw new Error(`the server answered ${status}`);
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > longestDocument) throw new Error(`is larger than ${longestDocument} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** What fetch says is "fetch failed"; its cause knows more. */
function reasonOf(error: unknown): string {
  const { cause } = error as Error;
  if (cause instanceof Error) return systemReason(cause);
  return error instanceof XmlError ? `line ${error.line}: ${error.message}` : (error as Error).message;
}
