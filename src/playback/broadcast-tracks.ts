/** Converts the tables of a service's streams and sub-services to the form of CurrentService. */
import type { BroadcastService, ElementaryStream } from '../dvb/tuner.ts';
import { ServiceReference } from '../services/reference.ts';
import type { AudioTrack, LinkedService, ServicePids, SubtitleTrack } from './current-service.ts';

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

/** Codecs that clients know by another name than the standard's. */
const codecNames: Readonly<Record<string, string>> = {
  'AC-3': 'AC3',
  'E-AC-3': 'AC3+',
  'AC-4': 'AC4',
  'HE-AAC': 'AAC-HE',
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
