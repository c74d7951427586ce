/**
 * The socket from which mpv reads the live service: whoever connects gets the service that is shown at that moment, as the
 * transport stream that clients of the stream port get, without being one of them.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { sendStream } from '../../dvb/send-stream.ts';
import type { PacketStream } from '../../dvb/service-stream.ts';

export class LiveSocket {
  /** As mpv is told it. */
  readonly url: string;
  readonly #server: Server;
  readonly #streams = new Map<Socket, PacketStream>();
  #open: (() => PacketStream) | undefined;

  /** @param path in a folder that nobody else may enter; nothing is there. `onError` is told when it cannot be made */
  constructor(path: string, onError: (error: Error) => void) {
    this.url = `lavf://unix:${path}`;
    this.#server = createServer((socket) => void this.#send(socket));
    this.#server.on('error', onError).listen(path);
  }

  /** Whoever connects from now on gets what `open` opens; undefined: nothing. Those who are connected get no more. */
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
    // mpv says nothing; what is not read would keep its leaving from being noticed.
    socket.resume();
    await sendStream(stream, socket);
    this.#streams.delete(socket);
    socket.destroy();
  }
}
