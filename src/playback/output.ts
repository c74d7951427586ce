/**
 * Where the current service is shown and heard. Playback decides what is shown; an output shows it, and resumes by
 * itself if its player ends and restarts.
 */
import type { PacketStream } from '../dvb/service-stream.ts';
import type { VideoPicture } from '../dvb/video-format.ts';

/** What to show. */
export type OutputSource =
  /** A service, broadcast or by the network; `open` opens a new stream of it each time. */
  | { readonly kind: 'live'; open(): PacketStream }
  /** A local file, by its absolute path. */
  | { readonly kind: 'file'; readonly path: string };

/** A track of the current source. */
export interface OutputTrack {
  readonly kind: 'audio' | 'subtitles';
  /** In a transport stream; undefined if the container has no number for it. */
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
  /** With subtitles. */
  readonly subtitles: boolean;
}

export interface Output {
  /** False if nobody can see or hear anything, so that no tuner need be held for it. */
  readonly shows: boolean;
  /** Undefined until there is a picture, or if there is none. */
  readonly video: VideoPicture | undefined;
  /** Empty until the source is shown. */
  readonly tracks: readonly OutputTrack[];
  /** Seconds into the source; undefined until it is shown. */
  readonly position: number | undefined;
  /** Seconds; undefined while unknown, or if the source has no end. */
  readonly length: number | undefined;
  readonly paused: boolean;

  /** Replaces the source shown: starts at the beginning, with the first audio track and without subtitles. */
  play(source: OutputSource): void;
  /** Shows nothing, as in standby. */
  stop(): void;
  /** `level` is 0 to 100. */
  setVolume(level: number, muted: boolean): void;
  /**
   * Selects the audio track or the subtitles with this PID once they exist; undefined: the first track, no subtitles.
   */
  selectAudio(pid: number | undefined): void;
  selectSubtitles(pid: number | undefined): void;
  pause(paused: boolean): void;
  /** Goes to a position in seconds from the start. Not possible for a live source. */
  seek(position: number): void;
  /** Shows a text over the picture for this many seconds; 0 removes it. */
  showText(text: string, seconds: number): void;
  /** Captures the current picture; undefined if there is none. */
  still(options: StillOptions): Promise<Buffer | undefined>;
  /** Calls `listener` when a file has played to its end. */
  onEnd(listener: () => void): () => void;
  /** Stops the player. */
  close(): Promise<void>;
}

/** A receiver without screen and loudspeaker, which only serves its clients. */
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
