/** What this browser plays, by the names that the PMT has for it. */
import type { ElementaryStream, Programme } from './transport-stream.ts';

/** A type as Media Source Extensions want to be asked for it, in a usual profile. */
const asked: Readonly<Record<string, string>> = {
  'H.264': 'video/mp4; codecs="avc1.640028"',
  HEVC: 'video/mp4; codecs="hvc1.1.6.L120.90"',
  AAC: 'audio/mp4; codecs="mp4a.40.2"',
  'HE-AAC': 'audio/mp4; codecs="mp4a.40.5"',
  'AC-3': 'audio/mp4; codecs="ac-3"',
  'E-AC-3': 'audio/mp4; codecs="ec-3"',
  MPEG: 'audio/mpeg',
};

export const hasMediaSource = () => 'MediaSource' in globalThis;

export function canDecode({ codec }: ElementaryStream): boolean {
  const type = asked[codec];
  if (type === undefined) return false;
  return hasMediaSource()
    ? MediaSource.isTypeSupported(type)
    : document.createElement('video').canPlayType(type) !== '';
}

/** What of a programme is to be played, and how. */
export interface Choice {
  readonly video: ElementaryStream | undefined;
  readonly audio: ElementaryStream | undefined;
  /** Those of the two that this browser cannot decode. */
  readonly foreign: readonly ElementaryStream[];
}

/** The first pictures, and the wanted sound: else the first one that this browser decodes, else the first. */
export function choose({ streams }: Programme, wantedAudio: number | undefined): Choice {
  const video = streams.find(({ kind }) => kind === 'video');
  const sounds = streams.filter(({ kind }) => kind === 'audio');
  const audio = sounds.find(({ pid }) => pid === wantedAudio) ?? sounds.find(canDecode) ?? sounds[0];
  const both = [video, audio].filter((one) => one !== undefined);
  return { video, audio, foreign: both.filter((one) => !canDecode(one)) };
}
