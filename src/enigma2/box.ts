/** The web interface of an Enigma2 box: what it is, its bouquets, its guide, its standby. */
import { limitBytes } from '../base/limit-bytes.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { elementsOf, parseXml, textOf, type XmlElement, XmlError } from '../base/xml.ts';
import type { Enigma2Spec } from '../config/enigma2-spec.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import { StreamError } from '../iptv/stream-error.ts';
import { boxBouquetStart } from '../services/bouquet-file.ts';
import type { BouquetKind } from '../services/bouquets.ts';
import { ServiceReference } from '../services/reference.ts';

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** A bouquet of the box: markers, and services that its tuners receive. */
export interface BoxBouquet {
  /** As the box writes it. */
  readonly reference: string;
  readonly name: string;
  readonly kind: BouquetKind;
  readonly entries: readonly ServiceReference[];
}

export interface BoxDescription {
  readonly name: string;
  readonly tuners: number;
}

/** Bytes of lists; one of 60,000 services takes about 12 million. */
const maxListBytes = 16 * 2 ** 20;
/** Maximum bytes of other documents. Setup requests them from every box that is announced in the network. */
const maxDocumentBytes = 64 * 2 ** 10;
/** Milliseconds for a list or a guide: old boxes make it as a whole before they send it. */
const answerTimeoutMs = 60_000;
const maxNameLength = 255;
const maxTuners = 32;
/** Each becomes a file. */
const maxBouquets = 500;
/** Files of bouquets that are not imported: those that the box has from another one, and the results of its last scan. */
const leftOut = [boxBouquetStart, 'userbouquet.LastScanned'];

export class Box {
  readonly spec: Enigma2Spec;
  /** Undefined: none. */
  login: Login | undefined;
  readonly #network: Pick<NetworkStreams, 'download'>;

  constructor(spec: Enigma2Spec, login: Login | undefined, network: Pick<NetworkStreams, 'download'>) {
    this.spec = spec;
    this.login = login;
    this.#network = network;
  }

  /** @throws Error with the reason as text for users, as all methods */
  async describe(signal: AbortSignal): Promise<BoxDescription> {
    const info = await this.#ask('deviceinfo', 'e2deviceinfo', signal);
    const frontEnds = childrenOf(info, 'e2frontends').flatMap((list) => childrenOf(list, 'e2frontend'));
    return { name: lineOf(info, 'e2devicename'), tuners: Math.min(Math.max(frontEnds.length, 1), maxTuners) };
  }

  /** The bouquets with the services that its own tuners receive. */
  async bouquets(signal: AbortSignal): Promise<readonly BoxBouquet[]> {
    const all: BoxBouquet[] = [];
    const slice = new TimeSlice();
    for (const kind of ['tv', 'radio'] as const) {
      const question = kind === 'tv' ? 'getallservices' : 'getallservices?type=radio';
      const root = await this.#ask(question, 'e2servicelistrecursive', signal, true);
      for (const list of childrenOf(root, 'e2bouquet')) {
        if (slice.isOver) await slice.next();
        const reference = lineOf(list, 'e2servicereference', Number.POSITIVE_INFINITY);
        const entries = childrenOf(list, 'e2servicelist').flatMap((one) => childrenOf(one, 'e2service'));
        const isOwn = reference !== '' && !leftOut.some((start) => reference.includes(start));
        if (isOwn && all.length < maxBouquets)
          all.push({ reference, name: lineOf(list, 'e2servicename'), kind, entries: entries.flatMap(entryOf) });
      }
    }
    return all;
  }

  /** The `e2eventlist` with all events of the services of a bouquet. */
  events({ reference }: Pick<BoxBouquet, 'reference'>, signal: AbortSignal): AsyncIterable<Uint8Array> {
    return this.#download(`epgmulti?bRef=${encodeURIComponent(reference)}`, signal, answerTimeoutMs);
  }

  /** Wakes it if it is in standby. */
  async wakeUp(signal: AbortSignal): Promise<void> {
    const state = await this.#ask('powerstate', 'e2powerstate', signal);
    if (lineOf(state, 'e2instandby') === 'true') await this.#ask('powerstate?newstate=4', 'e2powerstate', signal);
  }

  /** The stream of one of its services, with the name of the service. */
  stream({ type, fields, name }: ServiceReference): ServiceReference {
    const path = this.#url(this.spec.streamPort, ServiceReference.of({ type, fields }).format());
    return ServiceReference.of({ type, fields, path, name });
  }

  #url(port: number, path: string): string {
    const { host } = this.spec;
    const login = this.login && [this.login.user, this.login.password].map(encodeURIComponent).join(':');
    return `http://${login ? `${login}@` : ''}${host.includes(':') ? `[${host}]` : host}:${port}/${path}`;
  }

  async #ask(question: string, root: string, signal: AbortSignal, isList = false): Promise<XmlElement> {
    const pieces: Uint8Array[] = [];
    try {
      const document = this.#download(question, signal, isList ? answerTimeoutMs : undefined);
      const maxBytes = isList ? maxListBytes : maxDocumentBytes;
      for await (const piece of limitBytes(document, 'the document', maxBytes)) pieces.push(piece);
      return await parseXml(Buffer.concat(pieces).toString().trim(), root);
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(whyNot(error), { cause: (error as Error).cause });
    }
  }

  #download(question: string, signal: AbortSignal, timeoutMs?: number) {
    const url = this.#url(this.spec.webPort, `web/${question}`);
    return this.#network.download(url, { signal, ...(timeoutMs && { timeoutMs }) });
  }
}

/** Why a box did not do what it was asked to do, as text for users that continues its name and a colon. */
export function whyNot(error: unknown): string {
  if (error instanceof XmlError) return `its answer is not that of an Enigma2 box (${error.message})`;
  if ((error as Error).name === 'TimeoutError') return 'it takes too long to answer';
  const cause = causeOf(error);
  if (cause === undefined) return (error as Error).message;
  if (needsLogin(error))
    return 'it refuses the login; enter user and password on the page, Receiver, Tuners, or in enigma2.logins';
  if (isRefusedAsBusy(error)) return 'none of its tuners is free';
  return isAway(error) ? `it does not answer (${cause.message}); is it switched on?` : cause.message;
}

export const needsLogin = (error: unknown): boolean => causeOf(error)?.status === 401;

/** Without a free tuner, receivers answer with status 503, and boxes end the stream at once, with status 200. */
export const isRefusedAsBusy = (error: unknown): boolean => [200, 503].includes(causeOf(error)?.status ?? 0);

/** Whether the box itself is not there, rather than one of its services. */
export function isAway(error: unknown): boolean {
  const cause = causeOf(error);
  return cause !== undefined && cause.status === undefined && !cause.isFinal;
}

function causeOf(error: unknown): StreamError | undefined {
  const { cause } = error as Error;
  return cause instanceof StreamError ? cause : undefined;
}

const childrenOf = (element: XmlElement, name: string) => elementsOf(element).filter((one) => one.name === name);

function lineOf(element: XmlElement, name: string, maxLength = maxNameLength): string {
  const [child] = childrenOf(element, name);
  const text = child === undefined ? '' : textOf(child);
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxLength);
}

/** Streams, files and lists are left out: their addresses and paths are for the box. */
function entryOf(element: XmlElement): ServiceReference[] {
  const reference = ServiceReference.tryParse(lineOf(element, 'e2servicereference'));
  if (reference === undefined || !(reference.isMarker || reference.isBroadcast)) return [];
  const { type, flags, fields } = reference;
  // A bullet would begin the provider.
  const name = lineOf(element, 'e2servicename').replaceAll('\u2022', '\u00b7');
  return [ServiceReference.of({ type, flags, fields, name })];
}
