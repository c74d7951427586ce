import type { Writable } from 'node:stream';
import type { PacketStream } from './service-stream.ts';

/**
 * Writes a stream to `reader` at the reader's speed, until the reader closes or the stream ends (as it does if the
 * reader is too slow for it). Unread data waits in the stream's own queue.
 */
export async function sendStream(stream: PacketStream, reader: Writable): Promise<void> {
  const leave = () => stream.close();
  reader.once('close', leave);
  reader.on('error', leave);
  for await (const chunk of stream) {
    if (!reader.write(chunk)) await drained(reader, stream);
    if (reader.destroyed) break;
  }
  reader.off('close', leave);
}

/** Resolves when the reader takes data again or has closed, or when the stream has ended. */
function drained(reader: Writable, stream: PacketStream): Promise<void> {
  return new Promise((resolve) => {
    const watch = setInterval(() => {
      if (stream.reason !== null) done();
    }, 250);
    const done = () => {
      clearInterval(watch);
      reader.off('drain', done);
      reader.off('close', done);
      resolve();
    };
    reader.once('drain', done);
    reader.once('close', done);
  });
}
