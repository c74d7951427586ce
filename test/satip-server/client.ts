/** A scripted SAT>IP client: RTSP over TCP, and RTP by UDP or inside the connection. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { untilTrue } from '../fixtures/waits.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class RtspClient {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #sequence = 0;
  readonly #replies: Reply[] = [];
  /** Data of the interleaved channels. */
  readonly frames: { readonly channel: number; readonly datagram: Buffer }[] = [];
  closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
    });
  }

  /** `localAddress`: the address of the client. */
  static async connect(port: number, host = '127.0.0.1', localAddress?: string): Promise<RtspClient> {
    const socket = connect({ port, host, localAddress });
    await once(socket, 'connect');
    return new RtspClient(socket);
  }

  /** Sends a request with a CSeq, which the reply must repeat. */
  async ask(method: string, url: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    const sequence = String(++this.#sequence);
    const lines = [`${method} ${url} RTSP/1.0`, `CSeq: ${sequence}`];
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    const reply = await this.send(`${lines.join('\r\n')}\r\n\r\n`);
    expect(reply.headers.cseq).toBe(sequence);
    return reply;
  }

  async send(text: string | Buffer): Promise<Reply> {
    const before = this.#replies.length;
    this.write(text);
    await untilTrue(() => this.#replies.length > before);
    return this.#replies.at(-1) as Reply;
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  pause(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    while (this.#next()) {
      // While a whole reply or frame is buffered.
    }
  }

  #next(): boolean {
    if (this.#bytes[0] === 0x24) {
      if (this.#bytes.length < 4) return false;
      const end = 4 + this.#bytes.readUInt16BE(2);
      if (this.#bytes.length < end) return false;
      this.frames.push({ channel: this.#bytes.readUInt8(1), datagram: this.#bytes.subarray(4, end) });
      this.#bytes = this.#bytes.subarray(end);
      return true;
    }
    const text = this.#bytes.toString('latin1');
    const head = text.indexOf('\r\n\r\n');
    if (head < 0) return false;
    const [start = '', ...lines] = text.slice(0, head).split('\r\n');
    const pairs = lines.map((line) => /^([^:]+): ?(.*)$/.exec(line) ?? []);
    const headers = Object.fromEntries(pairs.map(([, name = '', value = '']) => [name.toLowerCase(), value]));
    const length = Number(headers['content-length'] ?? 0);
    const end = head + 4 + length;
    if (text.length < end) return false;
    expect(start).toMatch(/^RTSP\/1\.0 \d{3} /);
    this.#replies.push({ status: Number(start.slice(9, 12)), headers, body: text.slice(head + 4, end) });
    this.#bytes = this.#bytes.subarray(end);
    return true;
  }
}

/** A pair of UDP ports, and the datagrams received there. */
export class RtpPorts {
  readonly rtp: Buffer[] = [];
  readonly rtcp: Buffer[] = [];
  readonly #sockets: readonly [UdpSocket, UdpSocket];

  private constructor(sockets: readonly [UdpSocket, UdpSocket]) {
    this.#sockets = sockets;
    sockets[0].on('message', (datagram) => this.rtp.push(datagram));
    sockets[1].on('message', (datagram) => this.rtcp.push(datagram));
  }

  static async open(): Promise<RtpPorts> {
    const bound = async () => {
      const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
      socket.bind(0, '127.0.0.1');
      await once(socket, 'listening');
      return socket;
    };
    return new RtpPorts([await bound(), await bound()]);
  }

  get transport(): string {
    const [rtp, rtcp] = this.#sockets.map((socket) => socket.address().port);
    return `RTP/AVP;unicast;client_port=${rtp}-${rtcp}`;
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }
}

/** Returns the packets of datagrams, whose sequence numbers must be consecutive. */
export function packetsOf(datagrams: readonly Buffer[]): Buffer[] {
  let next: number | undefined;
  return datagrams.flatMap((datagram) => {
    expect([datagram.readUInt8(0), datagram.readUInt8(1)]).toEqual([0x80, 33]);
    const sequence = datagram.readUInt16BE(2);
    expect(sequence).toBe(next ?? sequence);
    next = (sequence + 1) & 0xffff;
    const payload = datagram.subarray(12);
    expect(payload.length % 188).toBe(0);
    const packets = Array.from({ length: payload.length / 188 }, (_, n) => payload.subarray(n * 188, (n + 1) * 188));
    expect(packets.length).toBeLessThanOrEqual(7);
    for (const packet of packets) expect(packet[0]).toBe(0x47);
    return packets;
  });
}

export const pidOf = (packet: Buffer): number => packet.readUInt16BE(1) & 0x1fff;

export const pidsIn = (datagrams: readonly Buffer[]): number[] =>
  [...new Set(packetsOf(datagrams).map(pidOf))].sort((a, b) => a - b);

/** The text of the APP part of a report (RFC 3550 §6.7). */
export function statusOf(report: Buffer | undefined): string {
  let at = 0;
  while (report !== undefined && at + 4 <= report.length) {
    const next = at + 4 * (report.readUInt16BE(at + 2) + 1);
    if (report[at + 1] === 204 && report.toString('latin1', at + 8, at + 12) === 'SES1') {
      return report.toString('latin1', at + 16, at + 16 + report.readUInt16BE(at + 14));
    }
    at = next;
  }
  return '';
}
