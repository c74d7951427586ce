/** The description of a SAT>IP server (EN 50585): a UPnP device document that says who it is and which tuners it has. */
import { fail, systemReason } from '../../base/errors.ts';
import { urlOf } from '../../base/url.ts';
import { elementsOf, parseXml, textOf, type XmlElement, XmlError } from '../../base/xml.ts';
import { parseCapabilities, type ServerFrontEnd } from '../../config/satip-capabilities.ts';

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

/** Bounds: bytes of a document, characters of a name. */
const longestDocument = 256 * 1024;
const longestName = 100;
/** Milliseconds to get a document in. */
const patience = 5000;
const usualPort = 554;

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
