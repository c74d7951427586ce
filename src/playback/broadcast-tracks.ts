/** What the PMT of a service says of its streams, as CurrentService has it. */
import type { BroadcastService, ElementaryStream } from '../dvb/tuner.ts';
import type { AudioTrack, ServicePids, SubtitleTrack } from './current-service.ts';

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

/** Where clients know a codec by another name than the standard's. */
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

/** teletext_type of subtitle pages: for everybody, and for the hearing impaired (EN 300 468 table 100). */
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
