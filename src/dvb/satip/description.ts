/** The description of a SAT>IP server (EN 50585): a UPnP device document with its identity and its tuners. */
import { fail, systemReason } from '../../base/errors.ts';
import { signalWithin } from '../../base/signal-within.ts';
import { urlOf } from '../../base/url.ts';
import { elementsOf, parseXml, textOf, type XmlElement, XmlError } from '../../base/xml.ts';
import { parseCapabilities, type ServerFrontEnd } from '../../config/satip-capabilities.ts';

export interface ServerDescription {
  readonly name: string;
  readonly model: string;
  readonly manufacturer: string;
  /** Its UDN, `uuid:...`. */
  readonly identity: string;
  /** In the order of the document: the first is `fe=1`. */
  readonly frontEnds: readonly ServerFrontEnd[];
}

/** A description, and the address for RTSP requests. */
export interface DescribedServer extends ServerDescription {
  /** Host as in a URL: an IPv6 address has brackets. */
  readonly host: string;
  readonly rtspPort: number;
}

/** Bytes of a document. */
const maxDocumentBytes = 256 * 1024;
/** Characters of a name. */
const maxNameLength = 100;
const fetchTimeoutMs = 5000;
const defaultRtspPort = 554;

/** Parses a description; missing fields are empty. @throws XmlError */
export async function parseDescription(text: string): Promise<ServerDescription> {
  const root = await parseXml(text.trim(), 'root');
  const device = elementsOf(root).find(({ name }) => localName(name) === 'device');
  if (device === undefined) throw new XmlError(root.line, 'it describes no device');
  return {
    name: lineOf(device, 'friendlyName'),
    model: lineOf(device, 'modelName'),
    manufacturer: lineOf(device, 'manufacturer'),
    identity: lineOf(device, 'UDN'),
    frontEnds: parseCapabilities(contentOf(device, 'X_SATIPCAP')),
  };
}

/** Name without the namespace prefix, which differs between servers. */
const localName = (name: string) => name.slice(name.indexOf(':') + 1);

function contentOf(device: XmlElement, name: string): string {
  const element = elementsOf(device).find((one) => localName(one.name) === name);
  return element === undefined ? '' : textOf(element);
}

/** Content as one line, for logs and lists. */
function lineOf(device: XmlElement, name: string): string {
  return contentOf(device, name)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxNameLength);
}

/**
 * Fetches the description at an `http:` address within 5 s. Redirects are not followed.
 * @throws ReceiverError `parameter-invalid` for an address without `http:`, `file-unreadable`; the reason of `signal`
 */
export async function fetchDescription(location: string, signal?: AbortSignal): Promise<DescribedServer> {
  const url = urlOf(location);
  if (url?.protocol !== 'http:') throw fail('parameter-invalid', 'location', 'must be the http: address of a server');
  const limit = signalWithin(fetchTimeoutMs, signal);
  try {
    const response = await fetch(url, { redirect: 'error', signal: limit });
    const text = await documentOf(response);
    const port = Number(response.headers.get('x-satip-rtsp-port') ?? defaultRtspPort);
    const isPort = Number.isInteger(port) && port > 0 && port <= 0xffff;
    return { ...(await parseDescription(text)), host: url.hostname, rtspPort: isPort ? port : defaultRtspPort };
  } catch (error) {
    signal?.throwIfAborted();
    throw fail(
      'file-unreadable',
      location,
      limit.aborted ? `no answer within ${fetchTimeoutMs / 1000} s` : reasonOf(error),
    );
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
    if (length > maxDocumentBytes) throw new Error(`is larger than ${maxDocumentBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** The message of an error of fetch is only "fetch failed"; its cause has the details. */
function reasonOf(error: unknown): string {
  const { cause } = error as Error;
  if (cause instanceof Error) return systemReason(cause);
  return error instanceof XmlError ? `line ${error.line}: ${error.message}` : (error as Error).message;
}
