/**
 * Encodes and decodes JPEG with the library jpeg-js, on a worker thread for each picture, because a large picture takes some
 * hundred milliseconds. Only the worker loads the library.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RawImageData } from 'jpeg-js';

/** Pixels from left to right and top to bottom, four bytes each: red, green, blue, alpha. */
export type RawPicture = RawImageData<Uint8Array>;

/** 0 to 100; the same as for mpv's stills. */
const quality = 90;
/** Options for decoding: maximum size in megapixels and memory in MB. */
const decodeOptions = { useTArray: true, maxResolutionInMP: 10, maxMemoryUsageInMB: 256 };

/** The bundled program has the file next to it, too. */
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
  return call('decode', bytes, decodeOptions);
}
