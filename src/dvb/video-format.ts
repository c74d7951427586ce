/** Size and shape of a service's picture, parsed natively from a sample of its video stream. */
import { native, type VideoPicture } from '../base/native.ts';
import type { BroadcastService, Tuner } from './tuner.ts';

export type { VideoPicture };

/**
 * Milliseconds of video to search. TS 101 154 §4.1 recommends a random access point, which has the format, every 500
 * ms, and requires one every 5 s.
 */
const sampleTimeoutMs = 6000;

/**
 * Samples the service, which the running tuner carries. Resolves to undefined if it has no video, or none that can be
 * parsed (scrambled, or in a codec other than MPEG-2, H.264 and HEVC).
 */
export async function videoPictureOf(
  tuner: Tuner,
  { serviceId, streams }: BroadcastService,
): Promise<VideoPicture | undefined> {
  const video = streams.find(({ kind }) => kind === 'video');
  if (video === undefined) return undefined;
  const finder = new native.VideoFormatFinder(video.pid, video.streamType);
  const stream = tuner.openStream(serviceId);
  const timeout = setTimeout(() => stream.close(), sampleTimeoutMs);
  try {
    for await (const packets of stream) {
      const found = finder.feed(packets);
      if (found !== null) return found;
    }
    return undefined;
  } finally {
    clearTimeout(timeout);
  }
}
