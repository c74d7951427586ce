/** Converts a service's tables, and an output's picture and tracks, to the form of CurrentService. */
import type { BroadcastService, ElementaryStream } from '../dvb/tuner.ts';
import type { VideoPicture } from '../dvb/video-format.ts';
import { ServiceReference } from '../services/reference.ts';
import type { AudioTrack, LinkedService, ServicePids, SubtitleTrack, VideoFormat } from './current-service.ts';
import type { OutputTrack } from './output.ts';

export function pidsOf(service: BroadcastService | undefined, audioTrack: number): ServicePids {
  const first = (kind: ElementaryStream['kind']) => service?.streams.find((stream) => stream.kind === kind)?.pid;
  const audio = service?.streams.filter((stream) => stream.kind === 'audio');
  return {
    pmt: service?.pmtPid,
    pcr: service?.pcrPid === 0x1fff ? undefined : service?.pcrPid,
    video: first('video'),
    audio: (audio?.[audioTrack] ?? audio?.[0])?.pid,
    teletext: first('teletext'),
  };
}

/** Codecs that clients know by another name than the standard or FFmpeg. */
const codecNames: Readonly<Record<string, string>> = {
  'AC-3': 'AC3',
  'E-AC-3': 'AC3+',
  'AC-4': 'AC4',
  'HE-AAC': 'AAC-HE',
  mp1: 'MPEG',
  mp2: 'MPEG',
  mp3: 'MPEG',
  eac3: 'AC3+',
  aac_latm: 'AAC-HE',
};

export function audioTracksOf(service: BroadcastService | undefined, active: number): AudioTrack[] {
  const streams = service?.streams.filter((stream) => stream.kind === 'audio') ?? [];
  return streams.map((stream, index) => ({
    pid: stream.pid,
    codec: codecNames[stream.codec] ?? stream.codec,
    language: stream.languages[0] ?? '',
    active: index === active,
  }));
}

/** teletext_type of subtitle pages: general, and for the hearing impaired (EN 300 468 table 100). */
const teletextSubtitles: ReadonlySet<number> = new Set([2, 5]);

export function subtitlesOf(service: BroadcastService | undefined): SubtitleTrack[] {
  return (service?.streams ?? []).flatMap(({ kind, pid, pages }) => {
    if (kind !== 'subtitles' && kind !== 'teletext') return [];
    const shown = kind === 'subtitles' ? pages : pages.filter(({ type }) => teletextSubtitles.has(type));
    return shown.map(({ page, ancillary, language, hearingImpaired }) => ({
      kind: kind === 'subtitles' ? ('dvb' as const) : kind,
      pid,
      page,
      ancillary,
      language,
      hearingImpaired,
    }));
  });
}

/** Service type of a sub-service's reference. */
const linkedType = 7;

export function subServicesOf(service: BroadcastService | undefined, parent: ServiceReference): LinkedService[] {
  return (service?.subServices ?? []).map(({ serviceId, transportStreamId, originalNetworkId, name }) => {
    const same = serviceId === parent.serviceId && transportStreamId === parent.transportStreamId;
    const [parentService, parentStream] = same ? [0, 0] : [parent.serviceId, parent.transportStreamId];
    const { namespace } = parent;
    return {
      reference: ServiceReference.of({
        fields: [
          linkedType,
          serviceId,
          transportStreamId,
          originalNetworkId,
          namespace,
          parentService,
          parentStream,
          0,
        ],
      }),
      name,
    };
  });
}

/** Upper bounds of width to height for 4:3 and 16:9, and of the lines of standard definition. */
const widerThan = { normal: 1.5, wide: 1.9 } as const;
const standardLines = 576;

/**
 * `aspect` is a component_type of EN 300 468 table 26 for 25 Hz: 1, 3, 4 for 4:3, 16:9 and wider, 8 more in high
 * definition.
 */
export function videoFormat(video: VideoPicture | undefined): VideoFormat | undefined {
  if (video === undefined) return undefined;
  const { width, height, ratio } = video;
  const shape = ratio <= widerThan.normal ? 1 : ratio <= widerThan.wide ? 3 : 4;
  return { width, height, aspect: height > standardLines ? shape + 8 : shape };
}

/** The audio tracks that have a PID to identify them. */
export function audioTracksShown(tracks: readonly OutputTrack[], active: number): AudioTrack[] {
  const audio = tracks.filter(({ kind, pid }) => kind === 'audio' && pid !== undefined);
  return audio.map(({ pid = 0, codec, language }, index) => ({
    pid,
    codec: codecNames[codec] ?? codec.toUpperCase(),
    language,
    active: index === active,
  }));
}

/** The subtitles that have a PID to identify them. Their page within the stream is not known here. */
export function subtitlesShown(tracks: readonly OutputTrack[]): SubtitleTrack[] {
  return tracks.flatMap(({ kind, pid, codec, language }) => {
    if (kind !== 'subtitles' || pid === undefined) return [];
    const isTeletext = codec === 'dvb_teletext';
    return [{ kind: isTeletext ? 'teletext' : 'dvb', pid, page: 0, ancillary: 0, language, hearingImpaired: false }];
  });
}
