/**
 * The output of the current service: picture and sound. Playback decides what is shown. An output shows it, and
 * continues to do so if its player program restarts.
 */
import type { FileHandle } from 'node:fs/promises';
import type { PacketStream } from '../dvb/service-stream.ts';
import type { VideoPicture } from '../dvb/video-format.ts';

/** What to show. */
export type OutputSource =
  /** A service or a network stream; each call of `open` opens a new stream of it. */
  | { readonly kind: 'live'; open(): PacketStream }
  /** A local file, by its absolute path. `open` checks it again and opens it; the output closes it. */
  | { readonly kind: 'file'; readonly path: string; open(): Promise<FileHandle> };

/** A track of the current source. */
export interface OutputTrack {
  readonly kind: 'audio' | 'subtitles';
  /** PID in a transport stream; undefined if the container has no number for the track. */
  readonly pid: number | undefined;
  /** FFmpeg's name: `mp2`, `ac3`, `eac3`, `aac`. */
  readonly codec: string;
  /** ISO 639-2 code; empty if there is none. */
  readonly language: string;
}

export interface StillOptions {
  readonly format: 'jpg' | 'png';
  /** Width in pixels; undefined: as displayed, with square pixels. */
  readonly width?: number | undefined;
  /** Whether the still shows subtitles. */
  readonly subtitles: boolean;
}

export interface Output {
  /** False if the output shows nothing, so that no tuner needs to be held for it. */
  readonly shows: boolean;
  /** Format of the picture; undefined while there is none. */
  readonly video: VideoPicture | undefined;
  /** Empty until the source is shown. */
  readonly tracks: readonly OutputTrack[];
  /** Seconds into the source; undefined until it is shown. */
  readonly position: number | undefined;
  /** Seconds; undefined while unknown, or if the source has no end. */
  readonly length: number | undefined;
  readonly paused: boolean;

  /** Shows a source from its beginning, with the first audio track and without subtitles. */
  play(source: OutputSource): void;
  /** Shows nothing, as in standby. */
  stop(): void;
  /** `level` is 0 to 100. */
  setVolume(level: number, muted: boolean): void;
  /**
   * Selects the audio track or the subtitles with this PID, once the source has them; undefined: the first audio track,
   * no subtitles.
   */
  selectAudio(pid: number | undefined): void;
  selectSubtitles(pid: number | undefined): void;
  pause(paused: boolean): void;
  /** Seeks to a position in seconds from the start. Does nothing for a live source. */
  seek(position: number): void;
  /** Shows a text over the picture for this many seconds; 0 removes it. */
  showText(text: string, seconds: number): void;
  /** Captures the current picture; undefined if there is none. */
  still(options: StillOptions): Promise<Buffer | undefined>;
  /** Calls `listener` when a file has played to its end. Returns a function that removes it. */
  onEnd(listener: () => void): () => void;
  /** Stops the player. */
  close(): Promise<void>;
}

/** The output of a receiver without a screen, which only serves its clients. */
export const noOutput: Output = {
  shows: false,
  video: undefined,
  tracks: [],
  position: undefined,
  length: undefined,
  paused: false,
  play: () => undefined,
  stop: () => undefined,
  setVolume: () => undefined,
  selectAudio: () => undefined,
  selectSubtitles: () => undefined,
  pause: () => undefined,
  seek: () => undefined,
  showText: () => undefined,
  still: async () => undefined,
  onEnd: () => () => undefined,
  close: async () => undefined,
};
