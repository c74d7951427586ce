/**
 * Finds SAT>IP servers by SSDP (UPnP Device Architecture 1.1 §1): asks the network for them, and hears them come and go.
 *
 * A reply is believed only about the host that sent it, so that nobody makes the receiver fetch from others.
 *
 * node:dgram does the work. Of the libraries, @achingbrain/ssdp brings a second XML parser and three packages more, the
 * others are old, and none sends the DEVICEID and the three notifications of a SAT>IP server.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { EventEmitter, on, once } from 'node:events';
import { reachableAddresses } from '../../base/network-addresses.ts';
import { urlOf } from '../../base/url.ts';

export const satipServer = 'urn:ses-com:device:SatIPServer:1';
export const group = { address: '239.255.255.250', port: 1900 };
export const timeToLive = 2;

export interface FoundServer {
  /** `uuid:...::urn:...`: the same for as long as the server exists. */
  readonly usn: string;
  /** Of its description, at `address`. */
  readonly location: string;
  readonly address: string;
}

// Messages

export interface SsdpMessage {
  readonly kind: 'search' | 'notify' | 'reply';
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Bytes of a message. */
const longest = 4096;
const starts: readonly (readonly [SsdpMessage['kind'], RegExp])[] = [
  ['search', /^M-SEARCH \* HTTP\/1\.[01]\s*$/],
  ['notify', /^NOTIFY \* HTTP\/1\.[01]\s*$/],
  ['reply', /^HTTP\/1\.[01] 200(?: |$)/],
];

/** Undefined if it is none of the kinds, or too long. Lines that are not headers are skipped; the first of a name counts. */
export function parseSsdp(bytes: Buffer): SsdpMessage | undefined {
  if (bytes.length > longest) return undefined;
  const [start = '', ...lines] = bytes.toString().split(/\r?\n/);
  const kind = starts.find(([, pattern]) => pattern.test(start))?.[0];
  if (kind === undefined) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    if (line === '') break;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name !== '' && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return { kind, headers };
}

/** Undefined unless the header `about` (ST of a reply, NT of a notification) says that it is a SAT>IP server. */
function serverOf({ headers }: SsdpMessage, about: 'st' | 'nt', address: string): FoundServer | undefined {
  const [usn = '', location = ''] = [headers.get('usn'), headers.get('location')];
  const url = urlOf(location);
  if (!isAboutServer(headers, about) || usn === '') return undefined;
  if (url?.protocol !== 'http:' || url.hostname !== address) return undefined;
  return { usn, location, address };
}

const isAboutServer = (headers: SsdpMessage['headers'], about: 'st' | 'nt') =>
  headers.get(about)?.toLowerCase() === satipServer.toLowerCase();

// Searching

export interface SearchOptions {
  /** Whom to ask: everybody, or one host. */
  readonly target?: { readonly address: string; readonly port: number };
  /** IPv4 addresses of the interfaces to ask on; all that lead to a network. */
  readonly interfaces?: readonly string[];
  /** Milliseconds from the first question to the end. */
  readonly wait?: number;
  readonly signal?: AbortSignal;
}

/** Milliseconds between questions, and their number: datagrams get lost. */
const pace = 250;
const questions = 3;
/** Seconds over which servers spread their replies. */
const spread = 2;
/** Of the servers that are found. */
const mostServers = 64;

/**
 * Asks for servers and yields each once, as its first reply comes, for 2.5 s. An interface that cannot send is left out.
 * @throws AbortError after `signal`
 */
export async function* searchServers({
  target = group,
  interfaces = networkAddresses(),
  wait = pace * (questions - 1) + spread * 1000,
  signal,
}: SearchOptions = {}): AsyncGenerator<FoundServer, void> {
  const heard = new EventEmitter();
  const replies = on(heard, 'server', { close: ['end'], ...(signal === undefined ? {} : { signal }) });
  const known = new Set<string>();
  const hear = (bytes: Buffer, { address }: RemoteInfo) => {
    const message = parseSsdp(bytes);
    const server = message?.kind === 'reply' ? serverOf(message, 'st', address) : undefined;
    if (server === undefined || known.has(server.usn) || known.size >= mostServers) return;
    known.add(server.usn);
    heard.emit('server', server);
  };
  const sockets = interfaces.map((address) => searcher(address, target, hear));
  const timer = setTimeout(() => heard.emit('end'), wait);
  try {
    for await (const [server] of replies) yield server as FoundServer;
  } finally {
    clearTimeout(timer);
    for (const close of sockets) close();
  }
}

/** Asks from one interface; returns what closes its socket. */
function searcher(
  address: string,
  target: { readonly address: string; readonly port: number },
  hear: (bytes: Buffer, from: RemoteInfo) => void,
): () => void {
  const question = [
    'M-SEARCH * HTTP/1.1',
    `HOST: ${target.address}:${target.port}`,
    'MAN: "ssdp:discover"',
    `MX: ${spread}`,
    `ST: ${satipServer}`,
    '\r\n',
  ].join('\r\n');
  // Its own port: of all sockets of port 1900 on a machine, only one receives replies.
  const socket = createSocket('udp4', hear);
  let timer: NodeJS.Timeout | undefined;
  const ask = (left: number) => {
    // With a callback, a failure is no event. A closed socket throws.
    attempt(() => socket.send(question, target.port, target.address, () => undefined));
    if (left > 1) timer = setTimeout(ask, pace, left - 1);
  };
  socket.on('error', () => undefined);
  socket.bind({ address, port: 0 }, () => {
    attempt(() => socket.setMulticastInterface(address));
    attempt(() => socket.setMulticastTTL(timeToLive));
    ask(questions);
  });
  return () => {
    clearTimeout(timer);
    attempt(() => socket.close());
  };
}

// Listening

export interface ListenOptions {
  /** UDP port; 1900 except in tests. */
  readonly port?: number;
  /** IPv4 addresses of the interfaces to listen on; all that lead to a network. */
  readonly interfaces?: () => readonly string[];
}

/** Milliseconds until interfaces that have come up are listened on too. */
const joinPause = 60_000;

/**
 * Calls `onAlive` each time that a server says that it is there, which it does every few minutes, and anybody may claim.
 * @returns the bound port, and what ends it. @throws Error of the system if the port cannot be bound
 */
export async function listenForServers(
  onAlive: (server: FoundServer) => void,
  { port = group.port, interfaces = networkAddresses }: ListenOptions = {},
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  socket.on('message', (bytes, { address }) => {
    const message = parseSsdp(bytes);
    if (message?.kind !== 'notify') return;
    const isAlive = message.headers.get('nts')?.toLowerCase() === 'ssdp:alive';
    const server = isAlive ? serverOf(message, 'nt', address) : undefined;
    if (server !== undefined) onAlive(server);
  });
  socket.bind({ port });
  try {
    await once(socket, 'listening');
  } catch (error) {
    socket.close();
    throw error;
  }
  socket.on('error', () => undefined);
  const join = () => joinGroup(socket, interfaces());
  join();
  const timer = setInterval(join, joinPause).unref();
  return {
    port: socket.address().port,
    async stop() {
      clearInterval(timer);
      await new Promise<void>((resolve) => socket.close(resolve));
    },
  };
}

/** Fails for an interface that it has joined, or that has gone. */
export function joinGroup(socket: Socket, interfaces: readonly string[]): void {
  for (const address of interfaces) attempt(() => socket.addMembership(group.address, address));
}

/** Does without what fails. */
export function attempt(act: () => unknown): void {
  try {
    act();
  } catch {
    // The others will do.
  }
}

/** IPv4 addresses of the interfaces that lead to a network. */
export const networkAddresses = (): readonly string[] => reachableAddresses('0.0.0.0');
