/** Size and shape of a service's picture, from its video stream itself: natively parsed out of a look at the stream. */
import { native } from '../native.ts';
import type { BroadcastService, Tuner } from './tuner.ts';

/** The picture as the stream describes it. */
export interface VideoPicture {
  /** Points, as they are shown. */
  readonly width: number;
  readonly height: number;
  /** Width to height on the screen, 1.78 for 16:9. */
  readonly ratio: number;
}

/** Milliseconds of a look. TS 101 154 §4.1 wants a random access point, which says it, every half second; 5 s at the very most. */
const patience = 6000;

/**
 * Looks into the service, which the running tuner carries; resolves to undefined when it has no video, or none that can be read (it is
 * scrambled, or of another codec than MPEG-2, H.264 and HEVC).
 */
export async function videoPictureOf(
  tuner: Tuner,
  { serviceId, streams }: BroadcastService,
): Promise<VideoPicture | undefined> {
  const video = streams.find(({ kind }) => kind === 'video');
  if (video === undefined) return undefined;
  const finder = new dvb.VideoFormatFinder(video.pid, video.streamType);
  const stream = tuner.openStream(serviceId);
  const limit = setTimeout(() => stream.close(), patience);
  try {
    for await (const packets of stream) {
      const found = finder.feed(packets);
      if (found !== null) return found;
    }
    return undefined;
  } finally {
    clearTimeout(limit);
  }
}

const dvb = native as {
  readonly VideoFormatFinder: new (
    pid: number,
    streamType: number,
  ) => {
    feed(packets: Buffer): VideoPicture | null;
  };
};
