/**
 * Decides whether the tuners can serve several timers at once. Services of one multiplex share a tuner. A recording
 * keeps its tuner until it ends.
 */
import { TimeSlice } from '../base/time-slice.ts';
import type { Span } from './repeat.ts';

/** How a service can be received. */
export interface Reception {
  /** A key that is the same for all services of a multiplex. */
  readonly multiplex: string;
  /** Numbers of the tuners that can receive it. */
  readonly tuners: readonly number[];
}

/** A multiplex that is to be received during a span of time. */
export interface TunerDemand extends Span, Reception {}

/** Assignments tried before the search gives up and reports a conflict. */
const maxTries = 2000;
/** Overlapping demands that are examined together. */
const maxDemands = 64;

/** A multiplex and the tuner that is to receive it. */
export interface Assignment {
  readonly multiplex: string;
  /** Number of the tuner. */
  readonly tuner: number;
}

/**
 * Returns true if both assignments cannot hold at the same time, because the tuners share a device or a cable.
 */
export type Clash = (one: Assignment, other: Assignment) => boolean;
const never: Clash = () => false;

/** What a tuner is receiving, and until when. */
interface Occupation {
  readonly demand: TunerDemand;
  readonly until: number;
}

/**
 * Whether every demand can have a tuner from start to end. If there are more than `maxTries` combinations, the
 * result may be false although an assignment exists; it is never wrongly true.
 */
export function canServeAll(demands: readonly TunerDemand[], clash = never): boolean {
  const inOrder = [...demands].sort((a, b) => a.begin - b.begin || a.end - b.end);
  // No search is needed if there are too few tuners at a single moment.
  if (!inOrder.every(({ begin }) => canServeAt(inOrder, begin))) return false;
  const occupied = new Map<number, Occupation>();
  let tries = 0;
  const assignFrom = (index: number): boolean => {
    const demand = inOrder[index];
    if (demand === undefined) return true;
    const sharing: number[] = [];
    const free: number[] = [];
    for (const tuner of demand.tuners) {
      const now = occupied.get(tuner);
      if (now === undefined || now.until <= demand.begin) free.push(tuner);
      else if (now.demand.multiplex === demand.multiplex) sharing.push(tuner);
    }
    const isClear = (tuner: number) =>
      clash === never ||
      [...occupied].every(
        ([other, { demand: its, until }]) =>
          other === tuner ||
          until <= demand.begin ||
          !clash({ multiplex: demand.multiplex, tuner }, { multiplex: its.multiplex, tuner: other }),
      );
    for (const tuner of [...sharing, ...free]) {
      if (!isClear(tuner)) continue;
      if (++tries > maxTries) return false;
      const before = occupied.get(tuner);
      const until = Math.max(demand.end, before?.demand.multiplex === demand.multiplex ? before.until : 0);
      occupied.set(tuner, { demand, until });
      if (assignFrom(index + 1)) return true;
      if (before === undefined) occupied.delete(tuner);
      else occupied.set(tuner, before);
    }
    return false;
  };
  return assignFrom(0);
}

/** Whether there is a tuner for each multiplex in demand at this time: a bipartite matching by augmenting paths. */
function canServeAt(demands: readonly TunerDemand[], time: number): boolean {
  const receivers = new Map<string, readonly number[]>();
  for (const { begin, end, multiplex, tuners } of demands) {
    if (begin <= time && time < end) receivers.set(multiplex, tuners);
  }
  const takenBy = new Map<number, string>();
  const place = (multiplex: string, visited: Set<number>): boolean =>
    (receivers.get(multiplex) ?? []).some((tuner) => {
      if (visited.has(tuner)) return false;
      visited.add(tuner);
      const other = takenBy.get(tuner);
      if (other !== undefined && !place(other, visited)) return false;
      takenBy.set(tuner, multiplex);
      return true;
    });
  return [...receivers.keys()].every((multiplex) => place(multiplex, new Set()));
}

/**
 * Whether a tuner is free for a demand beside the others. Much faster than `findConflicts`, which also determines the
 * conflicting demands.
 */
export async function canServe<Other extends TunerDemand>(
  demand: TunerDemand,
  others: readonly Other[],
  clash = never,
): Promise<boolean> {
  return (
    demand.tuners.length > 0 &&
    canServeAll([...(await selectServable(overlapping(demand, others), clash)), demand], clash)
  );
}

const overlaps = (a: Span, b: Span) => a.begin < b.end && b.begin < a.end;

/**
 * The demands among `others` that leave no tuner for `demand`, ordered by begin; undefined if it can be served. An
 * empty list means that no tuner can receive its service at all. Demands that cannot be served anyway do not count.
 */
export async function findConflicts<Other extends TunerDemand>(
  demand: TunerDemand,
  others: readonly Other[],
  clash = never,
): Promise<readonly Other[] | undefined> {
  if (demand.tuners.length === 0) return [];
  const beside = await selectServable(overlapping(demand, others), clash);
  if (canServeAll([...beside, demand], clash)) return undefined;
  const atTheSameTime = beside.filter((other) => overlaps(demand, other) && other.multiplex !== demand.multiplex);
  // Removing any one of these makes room. If a single removal is not enough, all overlapping demands are in conflict.
  const decisive = await filterInSlices(atTheSameTime, (other) =>
    canServeAll([...beside.filter((one) => one !== other), demand], clash),
  );
  return (decisive.length > 0 ? decisive : atTheSameTime).sort((a, b) => a.begin - b.begin);
}

/** The demands that overlap `demand`, directly or through others; at most `maxDemands`. */
function overlapping<Other extends TunerDemand>(demand: TunerDemand, others: readonly Other[]): Other[] {
  const found = new Set<Other>(others.filter((other) => overlaps(demand, other)).slice(0, maxDemands));
  for (const one of found) {
    for (const other of others) {
      if (found.size >= maxDemands) return [...found];
      if (overlaps(one, other)) found.add(other);
    }
  }
  return [...found];
}

/** The demands that get a tuner; an earlier begin takes precedence. */
export async function selectServable<Other extends TunerDemand>(
  demands: readonly Other[],
  clash = never,
): Promise<Other[]> {
  if (canServeAll(demands, clash)) return [...demands];
  const kept: Other[] = [];
  const inOrder = [...demands].sort((a, b) => a.begin - b.begin);
  return filterInSlices(inOrder, (demand) => canServeAll([...kept, demand], clash) && kept.push(demand) > 0);
}

/** `Array.filter` that yields to the event loop between time slices. */
async function filterInSlices<T>(items: readonly T[], keeps: (item: T) => boolean): Promise<T[]> {
  const slice = new TimeSlice();
  const kept: T[] = [];
  for (const item of items) {
    if (slice.isOver) await slice.next();
    if (keeps(item)) kept.push(item);
  }
  return kept;
}
