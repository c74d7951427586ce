/**
 * Decides whether the tuners can serve several timers at once. Services of one multiplex share a tuner, and a tuner
 * assigned to a recording stays with it to the end.
 */
import { TimeSlice } from '../base/time-slice.ts';
import type { Span } from './repeat.ts';

/** How a service can be received. */
export interface Reception {
  /** Any key that is equal for services of one multiplex. */
  readonly multiplex: string;
  /** Numbers of the tuners that can receive it. */
  readonly tuners: readonly number[];
}

/** A demand for a tuner over a span of time. */
export interface Want extends Span, Reception {}

/** Maximum number of assignments tried; after that the result so far stands. */
const maximumTries = 2000;
/** Maximum number of wants examined together. */
const maximumTogether = 64;

/** A multiplex and the tuner that receives it. */
export interface Placed {
  readonly multiplex: string;
  /** Its number. */
  readonly tuner: number;
}

/**
 * Tells whether one tuner cannot receive its multiplex while another receives its own: they share a device or a cable.
 */
export type Clash = (one: Placed, other: Placed) => boolean;
const never: Clash = () => false;

/** What a tuner is assigned to. */
interface Given {
  readonly want: Want;
  readonly until: number;
}

/**
 * Whether every want can have a tuner from its begin to its end. With very many combinations the result may be a false
 * no, but never a false yes.
 */
export function allFit(wants: readonly Want[], clash = never): boolean {
  const inOrder = [...wants].sort((a, b) => a.begin - b.begin || a.end - b.end);
  // If it fails for a single moment already, no search is needed.
  if (!inOrder.every(({ begin }) => fitAt(inOrder, begin))) return false;
  const given = new Map<number, Given>();
  let tries = 0;
  const fits = (index: number): boolean => {
    const want = inOrder[index];
    if (want === undefined) return true;
    const sharing: number[] = [];
    const free: number[] = [];
    for (const tuner of want.tuners) {
      const now = given.get(tuner);
      if (now === undefined || now.until <= want.begin) free.push(tuner);
      else if (now.want.multiplex === want.multiplex) sharing.push(tuner);
    }
    const isClear = (tuner: number) =>
      clash === never ||
      [...given].every(
        ([other, { want: its, until }]) =>
          other === tuner ||
          until <= want.begin ||
          !clash({ multiplex: want.multiplex, tuner }, { multiplex: its.multiplex, tuner: other }),
      );
    for (const tuner of [...sharing, ...free]) {
      if (!isClear(tuner)) continue;
      if (++tries > maximumTries) return false;
      const before = given.get(tuner);
      const until = Math.max(want.end, before?.want.multiplex === want.multiplex ? before.until : 0);
      given.set(tuner, { want, until });
      if (fits(index + 1)) return true;
      if (before === undefined) given.delete(tuner);
      else given.set(tuner, before);
    }
    return false;
  };
  return fits(0);
}

/** Whether there is a tuner for each multiplex wanted at this moment. */
function fitAt(wants: readonly Want[], time: number): boolean {
  const receivers = new Map<string, readonly number[]>();
  for (const { begin, end, multiplex, tuners } of wants) {
    if (begin <= time && time < end) receivers.set(multiplex, tuners);
  }
  const takenBy = new Map<number, string>();
  const place = (multiplex: string, asked: Set<number>): boolean =>
    (receivers.get(multiplex) ?? []).some((tuner) => {
      if (asked.has(tuner)) return false;
      asked.add(tuner);
      const other = takenBy.get(tuner);
      if (other !== undefined && !place(other, asked)) return false;
      takenBy.set(tuner, multiplex);
      return true;
    });
  return [...receivers.keys()].every((multiplex) => place(multiplex, new Set()));
}

/**
 * Whether a want fits beside the others. Much faster than `conflictsWith`, because it does not look for the conflicting
 * ones.
 */
export async function fits<Other extends Want>(want: Want, others: readonly Other[], clash = never): Promise<boolean> {
  return want.tuners.length > 0 && allFit([...(await fitting(together(want, others), clash)), want], clash);
}

const shareTime = (a: Span, b: Span) => a.begin < b.end && b.begin < a.end;

/**
 * The ones of `others` that prevent `want`, ordered by begin; undefined if it fits beside all of them. An empty list
 * means that no tuner can receive it at all. Others that cannot be served anyway do not count.
 */
export async function conflictsWith<Other extends Want>(
  want: Want,
  others: readonly Other[],
  clash = never,
): Promise<readonly Other[] | undefined> {
  if (want.tuners.length === 0) return [];
  const beside = await fitting(together(want, others), clash);
  if (allFit([...beside, want], clash)) return undefined;
  const atTheSameTime = beside.filter((other) => shareTime(want, other) && other.multiplex !== want.multiplex);
  // Without any one of these there would be room. If more than one must go, all of them are in the way.
  const deciding = await filteredInTurns(atTheSameTime, (other) =>
    allFit([...beside.filter((one) => one !== other), want], clash),
  );
  return (deciding.length > 0 ? deciding : atTheSameTime).sort((a, b) => a.begin - b.begin);
}

/** The wants that overlap `want`, directly or through others, up to the maximum. */
function together<Other extends Want>(want: Want, others: readonly Other[]): Other[] {
  const found = new Set<Other>(others.filter((other) => shareTime(want, other)).slice(0, maximumTogether));
  for (const one of found) {
    for (const other of others) {
      if (found.size >= maximumTogether) return [...found];
      if (shareTime(one, other)) found.add(other);
    }
  }
  return [...found];
}

/** As many of them as there are tuners for, earlier ones first. */
export async function fitting<Other extends Want>(wants: readonly Other[], clash = never): Promise<Other[]> {
  if (allFit(wants, clash)) return [...wants];
  const kept: Other[] = [];
  const inOrder = [...wants].sort((a, b) => a.begin - b.begin);
  return filteredInTurns(inOrder, (want) => allFit([...kept, want], clash) && kept.push(want) > 0);
}

async function filteredInTurns<T>(items: readonly T[], keeps: (item: T) => boolean): Promise<T[]> {
  const slice = new TimeSlice();
  const kept: T[] = [];
  for (const item of items) {
    if (slice.isOver) await slice.next();
    if (keeps(item)) kept.push(item);
  }
  return kept;
}
