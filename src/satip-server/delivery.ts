/** Sends packets and reports to a client: by UDP, or inside its RTSP connection. */
import type { Socket } from 'node:net';
import { native } from '../base/native.ts';
import { plainAddress } from '../base/network-addresses.ts';
import type { PidStream, Pids, Tuner } from '../dvb/tuner.ts';
import { RtspError, type Transport } from './rtsp.ts';

export interface Delivery {
  /** Value of the header Transport in the reply to SETUP. */
  readonly transport: string;
  /** Sequence number of the next RTP packet. */
  readonly sequence: number;
  /** Sends packets of this tuner, instead of those of the previous one. */
  open(tuner: Tuner, pids: Pids): void;
  /** Changes the PIDs of the same tuner. */
  change(tuner: Tuner, pids: Pids): void;
  /** Stops sending packets; reports continue. */
  pause(): void;
  /** Sets the text of the reports. No report is sent before the first text. */
  describe(status: string): void;
  close(): void;
}

/** Opens a delivery to the address of the client's connection. @throws RtspError 500 if no ports are available */
export function openDelivery(transport: Transport, socket: Socket): Delivery {
  return transport.kind === 'tcp' ? new TcpDelivery(socket, transport.channel) : new UdpDelivery(socket, transport);
}

/** Resolves when the socket accepts data again, or has closed. */
export function drained(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

class UdpDelivery implements Delivery {
  readonly transport: string;
  readonly #sender: InstanceType<typeof native.RtpSender>;

  constructor(socket: Socket, { rtp, rtcp }: Extract<Transport, { kind: 'udp' }>) {
    const [local, remote] = [plainAddress(socket.localAddress), plainAddress(socket.remoteAddress)];
    try {
      this.#sender = new native.RtpSender(local, remote, rtp, rtcp);
    } catch {
      throw new RtspError(500);
    }
    const port = this.#sender.port();
    this.transport = `RTP/AVP;unicast;client_port=${rtp}-${rtcp};source=${local};server_port=${port}-${port + 1}`;
  }

  get sequence(): number {
    return this.#sender.sequence();
  }

  open(tuner: Tuner, pids: Pids): void {
    tuner.sendPids(pids, this.#sender);
  }

  change(tuner: Tuner, pids: Pids): void {
    tuner.changePids(pids, this.#sender);
  }

  pause(): void {
    this.#sender.pause();
  }

  describe(status: string): void {
    this.#sender.describe(status);
  }

  close(): void {
    void this.#sender.close();
  }
}

/** Bytes that may wait for a client; further packets are dropped. */
const maxQueuedBytes = 4 * 1024 * 1024;
/** Milliseconds for which packets are gathered. */
const gatherMs = 40;
const reportIntervalMs = 200;

class TcpDelivery implements Delivery {
  readonly transport: string;
  readonly #socket: Socket;
  readonly #frames: InstanceType<typeof native.RtpFrames>;
  #stream: PidStream | undefined;
  #sending: Promise<void> = Promise.resolve();
  #status = '';
  #reports: NodeJS.Timeout | undefined;

  constructor(socket: Socket, channel: number) {
    this.#socket = socket;
    this.#frames = new native.RtpFrames(channel);
    // VDR expects no other parameter between these two.
    this.transport = `RTP/AVP/TCP;interleaved=${channel}-${channel + 1}`;
  }

  get sequence(): number {
    return this.#frames.sequence();
  }

  open(tuner: Tuner, pids: Pids): void {
    this.pause();
    const stream = tuner.readPids(pids, { maxQueuedBytes, gatherMs });
    this.#stream = stream;
    // After the stream being sent: a client that does not read holds up one stream, not one for each request.
    this.#sending = this.#sending.then(() => this.#send(stream));
  }

  change(_tuner: Tuner, pids: Pids): void {
    this.#stream?.change(pids);
  }

  pause(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  describe(status: string): void {
    this.#status = status;
    this.#reports ??= setInterval(() => this.#report(), reportIntervalMs).unref();
  }

  close(): void {
    clearInterval(this.#reports);
    this.pause();
  }

  async #send(stream: PidStream): Promise<void> {
    for await (const packets of stream) {
      if (stream !== this.#stream || this.#socket.destroyed) break;
      if (!this.#socket.write(this.#frames.packets(packets))) await drained(this.#socket);
    }
  }

  #report(): void {
    if (!this.#socket.writableNeedDrain && this.#socket.writable) this.#socket.write(this.#frames.report(this.#status));
  }
}
