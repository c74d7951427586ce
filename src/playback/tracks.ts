/** Converts the tables of a service, and the picture and tracks of an output, to the fields of CurrentService. */
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

/** Names of codecs for clients, where they differ from the standard or FFmpeg. */
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

/** Service type in the reference of a sub-service. */
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

/** Maximum ratios of width to height that count as 4:3 and as 16:9. */
const maxRatios = { normal: 1.5, wide: 1.9 } as const;
/** Lines of a picture in standard definition. */
const maxStandardLines = 576;

/**
 * The format of a picture. `aspect` is a component_type of EN 300 468 table 26 at 25 Hz: 1 for 4:3, 3 for 16:9, 4 for
 * wider pictures, and 8 more in high definition.
 */
export function videoFormat(video: VideoPicture | undefined): VideoFormat | undefined {
  if (video === undefined) return undefined;
  const { width, height, ratio } = video;
  const shape = ratio <= maxRatios.normal ? 1 : ratio <= maxRatios.wide ? 3 : 4;
  return { width, height, aspect: height > maxStandardLines ? shape + 8 : shape };
}

/** The audio tracks that have a PID, by which they are selected. */
export function audioTracksShown(tracks: readonly OutputTrack[], active: number): AudioTrack[] {
  const audio = tracks.filter(({ kind, pid }) => kind === 'audio' && pid !== undefined);
  return audio.map(({ pid = 0, codec, language }, index) => ({
    pid,
    codec: codecNames[codec] ?? codec.toUpperCase(),
    language,
    active: index === active,
  }));
}

/** The subtitles that have a PID, by which they are selected. Their page is unknown. */
export function subtitlesShown(tracks: readonly OutputTrack[]): SubtitleTrack[] {
  return tracks.flatMap(({ kind, pid, codec, language }) => {
    if (kind !== 'subtitles' || pid === undefined) return [];
    const isTeletext = codec === 'dvb_teletext';
    return [{ kind: isTeletext ? 'teletext' : 'dvb', pid, page: 0, ancillary: 0, language, hearingImpaired: false }];
  });
}
