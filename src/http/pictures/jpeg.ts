/**
 * Encodes and decodes JPEG with the library jpeg-js. It runs on a thread of its own, because a large picture takes some
 * hundred milliseconds. The library is loaded there, with the first picture.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RawImageData } from 'jpeg-js';

/** Pixels from left to right and top to bottom, four bytes each: red, green, blue, alpha. */
export type RawPicture = RawImageData<Uint8Array>;

/** Out of 100; the same as in mpv's stills. */
const quality = 90;
/** Limits for decoding. */
const bounds = { useTArray: true, maxResolutionInMP: 10, maxMemoryUsageInMB: 256 };

/** Beside the bundled program, too. */
const thread = new URL('jpeg-thread.cjs', import.meta.url);

async function call(name: 'encode' | 'decode', ...given: readonly unknown[]): Promise<RawPicture> {
  const worker = new Worker(thread, { workerData: { name, given } });
  worker.unref();
  const [picture] = await once(worker, 'message');
  return picture as RawPicture;
}

export async function encodeJpeg(picture: RawPicture): Promise<Buffer> {
  const { data } = await call('encode', picture, quality);
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

export function decodeJpeg(bytes: Buffer): Promise<RawPicture> {
  return call('decode', bytes, bounds);
}
