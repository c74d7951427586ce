/**
 * The socket from which mpv reads the live service. A connection receives the service shown at that moment, as the same
 * transport stream as on the stream port, but without counting as a stream client.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { sendStream } from '../../dvb/send-stream.ts';
import type { PacketStream } from '../../dvb/service-stream.ts';

export class LiveSocket {
  /** The address for mpv. */
  readonly url: string;
  readonly #server: Server;
  readonly #streams = new Map<Socket, PacketStream>();
  #open: (() => PacketStream) | undefined;

  /**
   * @param path an unused path in a folder that other users cannot enter
   * @param onError called if the socket cannot be created
   */
  constructor(path: string, onError: (error: Error) => void) {
    this.url = `lavf://unix:${path}`;
    this.#server = createServer((socket) => void this.#send(socket));
    this.#server.on('error', onError).listen(path);
  }

  /** Sets the stream for new connections; undefined: none. Closes existing connections. */
  offer(open: (() => PacketStream) | undefined): void {
    this.#open = open;
    for (const stream of this.#streams.values()) stream.close();
  }

  async close(): Promise<void> {
    this.offer(undefined);
    for (const socket of this.#streams.keys()) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #send(socket: Socket): Promise<void> {
    const stream = this.#open?.();
    if (stream === undefined) {
      socket.destroy();
      return;
    }
    this.#streams.set(socket, stream);
    // mpv sends nothing, but only a socket that is read reports that the peer has closed it.
    socket.resume();
    await sendStream(stream, socket);
    this.#streams.delete(socket);
    socket.destroy();
  }
}
