/**
 * Whether the tuners can do what timers want at the same time. Services of one multiplex share a tuner; a tuner that has been given
 * a recording keeps it until that ends.
 */
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
    const seen = new Set<string>();
    const different = free.filter((tuner) => {
      const kind = kindOf(tuner, inOrder, index);
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

/** Which of the wants from `index` on it could take. */
function kindOf(tuner: number, wants: readonly Want[], index: number): string {
  let kind = '';
  for (let i = index; i < wants.length; i++) kind += wants[i]?.tuners.includes(tuner) ? '1' : '0';
  return kind;
}

/** Whether a want can be had beside the others, without looking for those in its way, which takes much longer. */
export function fits<Other extends Want>(want: Want, others: readonly Other[]): boolean {
  return want.tuners.length > 0 && allFit([...fitting(together(want, others)), want]);
}

const shareTime = (a: Span, b: Span) => a.begin < b.end && b.begin < a.end;

/**
 * Those of `others` that stand in the way of `want`, in order of their begin; undefined when it can be had beside all of them. An
 * empty list: no tuner can receive it at all. What of the others cannot be had as it is does not count.
 */
export function conflictsWith<Other extends Want>(want: Want, others: readonly Other[]): readonly Other[] | undefined {
  if (want.tuners.length === 0) return [];
  const beside = fitting(together(want, others));
  if (allFit([...beside, want])) return undefined;
  const atTheSameTime = beside.filter((other) => shareTime(want, other) && other.multiplex !== want.multiplex);
  // Without one of these there would be room; where it takes more than one, all of them are in the way.
  const deciding = atTheSameTime.filter((other) => allFit([...beside.filter((one) => one !== other), want]));
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
function fitting<Other extends Want>(wants: readonly Other[]): Other[] {
  if (allFit(wants)) return [...wants];
  const kept: Other[] = [];
  for (const want of [...wants].sort((a, b) => a.begin - b.begin)) if (allFit([...kept, want])) kept.push(want);
  return kept;
}
