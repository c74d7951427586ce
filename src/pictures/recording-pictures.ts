/**
 * Pictures of recordings, made once when a client first asks for them, and kept on disk: one that stands for the recording,
 * a frame some minutes in, and previews, small frames that a player shows while the user looks for a position. Timeshift has
 * previews too.
 */
import type { Logger } from 'pino';
import { systemReason } from '../base/errors.ts';
import type { Recording } from '../recordings/files/recording.ts';
import type { RecordingFolders } from '../recordings/library/folders.ts';
import { recordedStream } from '../recordings/recorded-stream.ts';
import type { ServiceReference } from '../services/reference.ts';
import { readSegmentsFrom, type SegmentSource } from '../timeshift/reading.ts';
import { type FrameMaker, type FrameShape, FrameTimeout, type Packets } from './frame-maker.ts';
import type { PictureStore } from './picture-store.ts';
import { RecentFailures } from './recent-failures.ts';
import { WorkQueue } from './work-queue.ts';

export interface RecordingPicturesParts {
  readonly folders: Pick<RecordingFolders, 'open' | 'inFolder'>;
  readonly store: PictureStore;
  readonly frames: FrameMaker;
  readonly log: Logger;
}

/** The position of the picture: this part of the length, past the advertisements before the programme, up to a limit. */
const positionPart = 0.2;
const maxPositionSeconds = 600;
/** There are previews of the multiples of this many seconds. */
const previewStepSeconds = 10;
/** Milliseconds that a client waits for a picture that is being made. */
const maxWaitMs = 500;
/** A player requests one preview at a time, and shows it at once. */
const maxPreviewWaitMs = 3000;
const retryAfterMs = 86_400_000;
/** After a timeout, which says more about the machine than about the recording. */
const retryLateAfterMs = 5 * 60_000;

const pictureShape: FrameShape = { width: 480, height: 270, candidates: 6 };
const previewShape: FrameShape = { width: 320, height: 180 };

type Pictured = Pick<Recording, 'path' | 'begin' | 'length' | 'size' | 'scrambled' | 'service' | 'isIndexed'>;

/** A path; `later` while the picture is being made; undefined if there is none. */
export type RecordingPicture = string | 'later' | undefined;

type Shifted = SegmentSource & { readonly reference: ServiceReference };

interface Wanted {
  readonly key: string;
  /** For the log. */
  readonly what: string;
  readonly scrambled?: boolean;
  readonly shape: FrameShape;
  readonly open: () => Promise<Packets>;
}

export class RecordingPictures {
  readonly #parts: RecordingPicturesParts;
  readonly #failed = new RecentFailures(retryAfterMs);
  readonly #late = new RecentFailures(retryLateAfterMs);
  readonly #queue = new WorkQueue<string | undefined>({ maxAtATime: 1, maxWaiting: 500 });
  /** A queue of their own, because the user waits for them. */
  readonly #previews = new WorkQueue<string | undefined>({ maxAtATime: 1, maxWaiting: 8 });

  constructor(parts: RecordingPicturesParts) {
    this.#parts = parts;
  }

  find(recording: Pictured): Promise<RecordingPicture> {
    const from = Math.min((recording.length ?? 0) * positionPart, maxPositionSeconds);
    return this.#find(this.#wanted(recording, keyOf(recording), from, pictureShape), this.#queue, maxWaitMs);
  }

  /** The preview at a position, in seconds. `isGrowing`: whether the recording is still being written. */
  async findPreview(recording: Pictured, position: number, isGrowing: boolean): Promise<RecordingPicture> {
    const { begin, path, length = 0 } = recording;
    const from = position - (position % previewStepSeconds);
    if (from > length) return undefined;
    // The size of what is growing changes. Without access points the position is estimated.
    const own = recording.isIndexed ? keyOf(recording) : `estimated ${keyOf(recording)}`;
    const key = `${isGrowing ? `growing ${begin} ${path}` : own} at ${from}`;
    return this.#find(this.#wanted(recording, key, from, previewShape), this.#previews, maxPreviewWaitMs);
  }

  /** The preview at a time of timeshift, in Unix seconds: the beginning of the segment. */
  async findShifted(timeshift: Shifted, time: number): Promise<RecordingPicture> {
    const segment = [...timeshift.segments, timeshift.growing].findLast(({ begin }) => begin <= time);
    if (segment === undefined) return undefined;
    const { sequence, begin } = segment;
    const what = `the timeshift of ${timeshift.reference.format()} at ${begin}`;
    const open = async () => readSegmentsFrom(timeshift, sequence);
    return this.#find({ key: what, what, shape: previewShape, open }, this.#previews, maxPreviewWaitMs);
  }

  #wanted(recording: Pictured, key: string, from: number, shape: FrameShape): Wanted {
    const { path, scrambled } = recording;
    const open = async () => (await recordedStream(this.#parts.folders, recording, { from }, () => false)).packets;
    return { key, what: `${path} at ${Math.floor(from)} s`, scrambled, shape, open };
  }

  async #find(wanted: Wanted, queue: WorkQueue<string | undefined>, maxWaitMs: number): Promise<RecordingPicture> {
    const { store, frames } = this.#parts;
    const { key, scrambled = false } = wanted;
    const stored = await store.find(key);
    if (stored !== undefined) return stored.path;
    const mayExist = () => frames.isAble && !this.#failed.has(key) && !this.#late.has(key);
    if (scrambled || store.isOff || !mayExist()) return undefined;
    const made = await queue.do(key, () => this.#make(wanted), maxWaitMs);
    return made ?? (mayExist() ? 'later' : undefined);
  }

  async #make({ key, what, shape, open }: Wanted): Promise<string | undefined> {
    const { store, frames, log } = this.#parts;
    try {
      if (await store.put(key, await frames.frameOf(await open(), shape))) return (await store.find(key))?.path;
      throw new Error('ffmpeg has found no picture');
    } catch (error) {
      (error instanceof FrameTimeout ? this.#late : this.#failed).add(key);
      log.debug(`no picture of ${what}: ${systemReason(error)}`);
      return undefined;
    }
  }
}

/** Stays the same when the recording is renamed, moved or copied. A path may be used again later, for another one. */
function keyOf({ begin, service, size, path }: Pictured): string {
  return service === undefined ? `${begin} ${path}` : `${begin} ${service.format()} ${size}`;
}
