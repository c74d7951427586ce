/**
 * Whether the tuners can do what timers want at the same time. Services of one multiplex share a tuner; a tuner that has been given
 * a recording keeps it until that ends.
 */
import { Turn } from '../turn.ts';
import type { Span } from './repeat.ts';

/** What is wanted of the tuners for a time. */
export interface Want extends Span {
  /** Whatever is the same for services of one multiplex. */
  readonly multiplex: string;
  /** Numbers of the tuners that can receive it. */
  readonly tuners: readonly number[];
}

/** Ways that are tried to give the tuners out; beyond it, what has been found has to do. */
const maximumTries = 2000;
/** Wants that are looked at together. */
const maximumTogether = 64;

/** What a tuner is given to. */
interface Given {
  readonly multiplex: string;
  readonly until: number;
}

/**
 * Whether every want can be given a tuner from its begin to its end. With very many ways to do so it may say no where one would have
 * been left, and never yes where there is none.
 */
export function allFit(wants: readonly Want[]): boolean {
  const inOrder = [...wants].sort((a, b) => a.begin - b.begin || a.end - b.end);
  // What does not even go for a moment needs no trying.
  if (!inOrder.every(({ begin }) => fitAt(inOrder, begin))) return false;
  const kinds = kindsOf(inOrder);
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
      else if (now.multiplex === want.multiplex) sharing.push(tuner);
    }
    // Alike are free tuners that nothing to come tells apart: one of them is enough to try.
    const seen = new Set<number | undefined>();
    const different = free.filter((tuner) => {
      const kind = kinds[index]?.get(tuner);
      return !seen.has(kind) && seen.add(kind);
    });
    for (const tuner of [...sharing, ...different]) {
      if (++tries > maximumTries) return false;
      const before = given.get(tuner);
      const until = Math.max(want.end, before?.multiplex === want.multiplex ? before.until : 0);
      given.set(tuner, { multiplex: want.multiplex, until });
      if (fits(index + 1)) return true;
      if (before === undefined) given.delete(tuner);
      else given.set(tuner, before);
    }
    return false;
  };
  return fits(0);
}

/** Whether there is a tuner for each multiplex that is wanted at this moment. */
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

/** For each want the kinds of the tuners: of one kind are those that could take the same of the wants from there on. */
function kindsOf(wants: readonly Want[]): readonly ReadonlyMap<number, number>[] {
  const tuners = new Set(wants.flatMap((want) => want.tuners));
  let behind: ReadonlyMap<number, number> = new Map();
  const kinds = wants.toReversed().map((want) => {
    const own = new Set(want.tuners);
    const numbers = new Map<number, number>();
    const here = new Map<number, number>();
    for (const tuner of tuners) {
      const kind = 2 * (behind.get(tuner) ?? 0) + (own.has(tuner) ? 1 : 0);
      const number = numbers.get(kind) ?? numbers.size;
      numbers.set(kind, number);
      here.set(tuner, number);
    }
    behind = here;
    return here;
  });
  return kinds.reverse();
}

/** Whether a want can be had beside the others, without looking for those in its way, which takes much longer. */
export async function fits<Other extends Want>(want: Want, others: readonly Other[]): Promise<boolean> {
  return want.tuners.length > 0 && allFit([...(await fitting(together(want, others))), want]);
}

const shareTime = (a: Span, b: Span) => a.begin < b.end && b.begin < a.end;

/**
 * Those of `others` that stand in the way of `want`, in order of their begin; undefined when it can be had beside all of them. An
 * empty list: no tuner can receive it at all. What of the others cannot be had as it is does not count.
 */
export async function conflictsWith<Other extends Want>(
  want: Want,
  others: readonly Other[],
): Promise<readonly Other[] | undefined> {
  if (want.tuners.length === 0) return [];
  const beside = await fitting(together(want, others));
  if (allFit([...beside, want])) return undefined;
  const atTheSameTime = beside.filter((other) => shareTime(want, other) && other.multiplex !== want.multiplex);
  // Without one of these there would be room; where it takes more than one, all of them are in the way.
  const deciding = await filteredInTurns(atTheSameTime, (other) =>
    allFit([...beside.filter((one) => one !== other), want]),
  );
  return (deciding.length > 0 ? deciding : atTheSameTime).sort((a, b) => a.begin - b.begin);
}

/** What shares a moment with the want, and with what does so, as far as that goes. */
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

/** As many of them as there are tuners for, the earlier ones first. */
async function fitting<Other extends Want>(wants: readonly Other[]): Promise<Other[]> {
  if (allFit(wants)) return [...wants];
  const kept: Other[] = [];
  const inOrder = [...wants].sort((a, b) => a.begin - b.begin);
  return filteredInTurns(inOrder, (want) => allFit([...kept, want]) && kept.push(want) > 0);
}

async function filteredInTurns<T>(items: readonly T[], keeps: (item: T) => boolean): Promise<T[]> {
  const turn = new Turn();
  const kept: T[] = [];
  for (const item of items) {
    if (turn.isOver) await turn.next();
    if (keeps(item)) kept.push(item);
  }
  return kept;
}
