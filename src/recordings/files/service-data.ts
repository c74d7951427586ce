/**
 * Line 8 of a `.meta` file: the PIDs of the recorded service in the format of lamedb. They let a player start before it
 * has received a PMT.
 */
import type { BroadcastService } from '../../dvb/multiplex.ts';
import { hex } from '../../dvb/transponder.ts';

const cacheIds = { video: 0, mpegAudio: 1, teletext: 2, clock: 3, ac3: 4, videoType: 5 } as const;
/** Enigma2's numbers of video codecs; other codecs have none. */
const videoTypes: ReadonlyMap<string, number> = new Map([
  ['MPEG-2', 0],
  ['H.264', 1],
  ['HEVC', 7],
]);

/** For example `f:0,c:000200,c:010300,c:030200`; `f:0` if the service is not known to be on the air. */
export function serviceData(broadcast: BroadcastService | undefined): string {
  const { streams = [], pcrPid = 0x1fff } = broadcast ?? {};
  const video = streams.find(({ kind }) => kind === 'video');
  const codec = (name: string) => streams.find((stream) => stream.codec === name)?.pid;
  const values: readonly (readonly [id: number, value: number | undefined])[] = [
    [cacheIds.video, video?.pid],
    [cacheIds.mpegAudio, codec('MPEG')],
    [cacheIds.teletext, streams.find(({ kind }) => kind === 'teletext')?.pid],
    [cacheIds.clock, pcrPid === 0x1fff ? undefined : pcrPid],
    [cacheIds.ac3, codec('AC-3')],
    [cacheIds.videoType, video && videoTypes.get(video.codec)],
  ];
  const entries = values.flatMap(([id, value]) => (value === undefined ? [] : [`c:${hex(id, 2)}${hex(value, 4)}`]));
  return ['f:0', ...entries].join(',');
}
