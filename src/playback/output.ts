/**
 * Where picture and sound of the current service come out. Playback decides what is shown; an output shows it, and goes on with it
 * by itself when what it shows with ends and comes back.
 */
import type { PacketStream } from '../dvb/service-stream.ts';
import type { VideoPicture } from '../dvb/video-format.ts';

/** What is to be shown. */
export type OutputSource =
  /** A live service; `open` gives a stream of it, anew each time. */
  | { readonly kind: 'live'; open(): PacketStream }
  /** A file of this machine, by its absolute path. */
  | { readonly kind: 'file'; readonly path: string }
  /** A stream of the network. */
  | { readonly kind: 'network'; readonly url: string };

/** A track of what is shown. */
export interface OutputTrack {
  readonly kind: 'audio' | 'subtitles';
  /** In a transport stream; undefined where the container has no number for it. */
  readonly pid: number | undefined;
  /** As FFmpeg calls it: `mp2`, `ac3`, `eac3`, `aac`. */
  readonly codec: string;
  /** ISO 639-2 code; empty when none is given. */
  readonly language: string;
}

export interface StillOptions {
  readonly format: 'jpg' | 'png';
  /** Points of the still's width; undefined: as the picture is shown, with square points. */
  readonly width?: number | undefined;
  /** With subtitles. */
  readonly subtitles: boolean;
}

export interface Output {
  /** False where nobody can see or hear anything: a tuner need not be held for it then. */
  readonly shows: boolean;
  /** Undefined until there is a picture, and without one. */
  readonly video: VideoPicture | undefined;
  /** Empty until it is shown. */
  readonly tracks: readonly OutputTrack[];
  /** Seconds into what is shown; undefined until it is. */
  readonly position: number | undefined;
  /** Seconds; undefined while it is not known, and of what has no end. */
  readonly length: number | undefined;
  readonly paused: boolean;

  /** Shows this in place of what was shown, from its beginning, with its first sound and without subtitles. */
  play(source: OutputSource): void;
  /** Shows nothing: standby. */
  stop(): void;
  /** `level` is 0 to 100. */
  setVolume(level: number, muted: boolean): void;
  /** The audio track or the subtitles with this PID, as soon as they are there; undefined: no subtitles, the first track. */
  selectAudio(pid: number | undefined): void;
  selectSubtitles(pid: number | undefined): void;
  pause(paused: boolean): void;
  /** Goes to so many seconds from the beginning; of what is live it cannot. */
  seek(position: number): void;
  /** Writes a text over the picture for so many seconds, 0 takes it away. */
  showText(text: string, seconds: number): void;
  /** The picture at this moment; undefined while there is none. */
  still(options: StillOptions): Promise<Buffer | undefined>;
  /** Calls `listener` when a file that was shown is over. */
  onEnd(listener: () => void): () => void;
  /** Ends what it shows with. */
  close(): Promise<void>;
}

/** A receiver without screen and loudspeaker: it is there for its clients. */
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
