/** A place from which the guide is refreshed: an address, a file, or a program that writes a guide file. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { UnixSeconds } from '../base/clock.ts';
import { urlOf } from '../base/url.ts';
import type { Configuration } from '../config/config.ts';
import type { AddedSource } from './sources-file.ts';

export const sourceKinds = ['url', 'file', 'command'] as const;

export interface GuideSource {
  /** Stays the same while `kind`, `place` and `args` do. */
  readonly id: string;
  readonly kind: (typeof sourceKinds)[number];
  /** Name for people and the log: `sourceName`; in the list of all, a second source with that name has ` (2)`. */
  readonly name: string;
  /** The address, the path or the program. */
  readonly place: string;
  /** Arguments of the program. */
  readonly args: readonly string[];
  /** Seconds between two readings. */
  readonly every: number;
  /** Local times of the day, such as `06:15`, instead of `every`; may be empty. */
  readonly times: readonly string[];
  /** From -9 to 9; the broadcast has 0 (`rank` in src/epg/xmltv.ts). */
  readonly priority: number;
  /** Whether its channels without a match by id or name are matched by number. */
  readonly numbers?: boolean | undefined;
  /** Path of a file with services of its channels (channels-file.ts). */
  readonly channels?: string | undefined;
  /** Whether the configuration file names it. The others were added by HTTP. */
  readonly isFixed: boolean;
}

type SourceOptions = Pick<GuideSource, 'every' | 'times' | 'priority' | 'numbers' | 'channels'>;

export const sourceOf = (
  kind: GuideSource['kind'],
  place: string,
  isFixed: boolean,
  { every, times, priority, numbers, channels }: SourceOptions,
  args: readonly string[] = [],
): GuideSource => ({
  id: createHash('sha256')
    .update([kind, place, ...args].join(' '))
    .digest('hex')
    .slice(0, 12),
  name: sourceName(kind, place),
  ...{ kind, place, args, isFixed, every, times, priority, numbers, channels },
});

/** Of an address only the host, because addresses of providers contain passwords. */
export const sourceName = (kind: GuideSource['kind'], place: string): string =>
  kind === 'url' ? (urlOf(place)?.host ?? '') : basename(place);

/** The sources in the configuration, each once. */
export function configuredSources({ guide: { sources } }: Pick<Configuration, 'guide'>): readonly GuideSource[] {
  const all = sources.map(({ url, file, command: [program = '', ...args] = [], ...options }) => {
    if (url !== undefined) return sourceOf('url', url, true, options);
    return file === undefined
      ? sourceOf('command', program, true, options, args)
      : sourceOf('file', file, true, options);
  });
  return [...new Map(all.map((source) => [source.id, source])).values()];
}

/** The configured sources, then those that were added by HTTP. */
export function allSources(configured: readonly GuideSource[], added: readonly AddedSource[]): readonly GuideSource[] {
  const known = new Set(configured.map(({ id }) => id));
  const others = added.map(({ url, every, priority }) => sourceOf('url', url, false, { every, times: [], priority }));
  const counts = new Map<string, number>();
  return [...configured, ...others.filter(({ id }) => !known.has(id))].map((source) => {
    const count = (counts.get(source.name) ?? 0) + 1;
    counts.set(source.name, count);
    return count === 1 ? source : { ...source, name: `${source.name} (${count})` };
  });
}

/** Seconds by which readings are spread at most, so that servers are not asked by everyone at the same time. */
const maxSpread = 3600;
const maxSpreadOfTimes = 600;
/** Seconds until a failed reading is tried again. It doubles with each failure. */
const firstPause = 300;
const maxPause = 21_600;
const day = 86_400;

export interface Schedule {
  readonly now: UnixSeconds;
  /** Offset of the local time in seconds. */
  readonly offset: (time: UnixSeconds) => number;
  /** From 0 to 1. */
  readonly random: number;
  /** Failures in a row. */
  readonly failures: number;
}

/** When a source that has just been read is to be read again. */
export function nextReading({ every, times }: Pick<GuideSource, 'every' | 'times'>, schedule: Schedule): UnixSeconds {
  const { now, offset, random, failures } = schedule;
  const [first] = times.map((time) => nextTime(time, now, offset)).sort((a, b) => a - b);
  const regular =
    first === undefined ? now + every + random * Math.min(every / 10, maxSpread) : first + random * maxSpreadOfTimes;
  const pause = Math.min(firstPause * 2 ** (failures - 1), maxPause) * (1 + random / 10);
  return Math.round(failures === 0 ? regular : Math.min(regular, now + pause));
}

/** The next time that local clocks show `time`, which is not now. */
function nextTime(time: string, now: UnixSeconds, offset: Schedule['offset']): UnixSeconds {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const local = now + offset(now);
  const today = Math.floor(local / day) * day + hours * 3600 + minutes * 60;
  const wanted = today > local ? today : today + day;
  return wanted - offset(wanted - offset(now));
}
