/** The codecs that this browser decodes, and the streams to play. */
import type { ElementaryStream, Program } from './transport-stream.ts';

/** MIME types to query Media Source Extensions with, in common profiles, by codec. */
const mimeTypes: Readonly<Record<string, string>> = {
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
  const type = mimeTypes[codec];
  if (type === undefined) return false;
  return hasMediaSource()
    ? MediaSource.isTypeSupported(type)
    : document.createElement('video').canPlayType(type) !== '';
}

/** The streams of a program to play. */
export interface Choice {
  readonly video: ElementaryStream | undefined;
  readonly audio: ElementaryStream | undefined;
  /** Which of the two this browser cannot decode. */
  readonly undecodable: readonly ElementaryStream[];
}

/** Chooses the first video stream, and the wanted audio stream: otherwise the first decodable one, otherwise the first. */
export function choose({ streams }: Program, wantedAudio: number | undefined): Choice {
  const video = streams.find(({ kind }) => kind === 'video');
  const audioStreams = streams.filter(({ kind }) => kind === 'audio');
  const audio = audioStreams.find(({ pid }) => pid === wantedAudio) ?? audioStreams.find(canDecode) ?? audioStreams[0];
  const both = [video, audio].filter((one) => one !== undefined);
  return { video, audio, undecodable: both.filter((one) => !canDecode(one)) };
}

/** The program without pictures and sound that would be chosen, but have not arrived. */
export function arriving(program: Program, arrived: ReadonlySet<number>, wantedAudio: number | undefined): Program {
  const { video, audio } = choose(program, wantedAudio);
  const missing = [video, audio].filter((one) => one !== undefined && !arrived.has(one.pid));
  if (missing.length === 0) return program;
  const streams = program.streams.filter((stream) => !missing.includes(stream));
  return arriving({ ...program, streams }, arrived, wantedAudio);
}
