/**
 * Finds SAT>IP servers by SSDP (UPnP Device Architecture 1.1 §1): searches the network, and listens for notifications.
 *
 * A reply may only name its sender as the server, so that no host can make the receiver fetch from another one.
 *
 * It uses node:dgram: of the libraries, @achingbrain/ssdp brings a second XML parser and three more packages, the
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
  /** URL of its description, at `address`. */
  readonly location: string;
  readonly address: string;
}

// Messages

export interface SsdpMessage {
  readonly kind: 'search' | 'notify' | 'reply';
  /** Values by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Bytes of a message; longer ones are ignored. */
const maxMessageBytes = 4096;
const starts: readonly (readonly [SsdpMessage['kind'], RegExp])[] = [
  ['search', /^M-SEARCH \* HTTP\/1\.[01]\s*$/],
  ['notify', /^NOTIFY \* HTTP\/1\.[01]\s*$/],
  ['reply', /^HTTP\/1\.[01] 200(?: |$)/],
];

/**
 * Undefined for an unknown or too long message. Lines that are not headers are skipped; of repeated headers, the first
 * counts.
 */
export function parseSsdp(bytes: Buffer): SsdpMessage | undefined {
  if (bytes.length > maxMessageBytes) return undefined;
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

/** Undefined unless the header `about` (ST of a reply, NT of a notification) names a SAT>IP server at `address`. */
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
  /** Destination of the search: one host, or the multicast group. */
  readonly target?: { readonly address: string; readonly port: number };
  /** IPv4 addresses of the interfaces to search on. Default: all that lead to a network. */
  readonly interfaces?: readonly string[];
  /** Milliseconds from the first request to the end. */
  readonly durationMs?: number;
  readonly signal?: AbortSignal;
}

/** Milliseconds between requests, and their number: datagrams may get lost. */
const requestIntervalMs = 250;
const requestCount = 3;
/** Seconds over which servers spread their replies (MX). */
const replySpreadSeconds = 2;
/** Servers that a search reports. */
const maxServers = 64;

/**
 * Searches for servers for 2.5 s and yields each on its first reply. An interface that cannot send is left out.
 * @throws AbortError after `signal`
 */
export async function* searchServers({
  target = group,
  interfaces = networkAddresses(),
  durationMs = requestIntervalMs * (requestCount - 1) + replySpreadSeconds * 1000,
  signal,
}: SearchOptions = {}): AsyncGenerator<FoundServer, void> {
  const heard = new EventEmitter();
  const replies = on(heard, 'server', { close: ['end'], ...(signal === undefined ? {} : { signal }) });
  const known = new Set<string>();
  const hear = (bytes: Buffer, { address }: RemoteInfo) => {
    const message = parseSsdp(bytes);
    const server = message?.kind === 'reply' ? serverOf(message, 'st', address) : undefined;
    if (server === undefined || known.has(server.usn) || known.size >= maxServers) return;
    known.add(server.usn);
    heard.emit('server', server);
  };
  const sockets = interfaces.map((address) => searchFrom(address, target, hear));
  const timer = setTimeout(() => heard.emit('end'), durationMs);
  try {
    for await (const [server] of replies) yield server as FoundServer;
  } finally {
    clearTimeout(timer);
    for (const close of sockets) close();
  }
}

/** Searches from one interface. Returns a function that closes its socket. */
function searchFrom(
  address: string,
  target: { readonly address: string; readonly port: number },
  hear: (bytes: Buffer, from: RemoteInfo) => void,
): () => void {
  const request = [
    'M-SEARCH * HTTP/1.1',
    `HOST: ${target.address}:${target.port}`,
    'MAN: "ssdp:discover"',
    `MX: ${replySpreadSeconds}`,
    `ST: ${satipServer}`,
    '\r\n',
  ].join('\r\n');
  // Its own port: of all sockets on port 1900 of a machine, only one receives replies.
  const socket = createSocket('udp4', hear);
  let timer: NodeJS.Timeout | undefined;
  const ask = (left: number) => {
    // With a callback, a failure emits no event. A closed socket throws.
    attempt(() => socket.send(request, target.port, target.address, () => undefined));
    if (left > 1) timer = setTimeout(ask, requestIntervalMs, left - 1);
  };
  socket.on('error', () => undefined);
  socket.bind({ address, port: 0 }, () => {
    attempt(() => socket.setMulticastInterface(address));
    attempt(() => socket.setMulticastTTL(timeToLive));
    ask(requestCount);
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
  /** IPv4 addresses of the interfaces to listen on. Default: all that lead to a network. */
  readonly interfaces?: () => readonly string[];
}

/** Milliseconds between two attempts to join the group, for interfaces that have come up. */
const joinIntervalMs = 60_000;

/**
 * Calls `onAlive` whenever a server announces itself, which servers do every few minutes. Any host can send such
 * messages.
 * @returns the bound port, and `stop`. @throws Error of the system if the port cannot be bound
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
  const timer = setInterval(join, joinIntervalMs).unref();
  return {
    port: socket.address().port,
    async stop() {
      clearInterval(timer);
      await new Promise<void>((resolve) => socket.close(resolve));
    },
  };
}

/** Joins the group on each interface. Interfaces that have joined already, or have gone, are skipped. */
export function joinGroup(socket: Socket, interfaces: readonly string[]): void {
  for (const address of interfaces) attempt(() => socket.addMembership(group.address, address));
}

/** Calls `act` and ignores its failure. */
export function attempt(act: () => unknown): void {
  try {
    act();
  } catch {
    // The other interfaces or requests suffice.
  }
}

/** IPv4 addresses of the interfaces that lead to a network. */
export const networkAddresses = (): readonly string[] => reachableAddresses('0.0.0.0');
