/**
 * Which tuner somebody gets, and from whom.
 *
 * A tuner that is on the transponder is shared. Else a free one is tuned to it: of several the least able, so that the
 * others remain free for what only they can receive. Else the users of least importance lose theirs, if all of them are
 * less important than the one who asks. Else a recording goes over to another tuner, without a gap, if one can receive
 * it that nobody more important uses. Tuners that have failed lately come last.
 */
import { isSameTransponder, type Transponder } from './transponder.ts';

/** What a tuner is used for, the most important first. A recording is never taken away. */
export const purposes = ['recording', 'timer', 'live', 'timeshift', 'stream', 'scan', 'guide'] as const;
export type Purpose = (typeof purposes)[number];

/** A tuner as the choice sees it. */
export interface Choosable {
  /** Users, the most important first. */
  readonly users: readonly { readonly purpose: Purpose }[];
  /** Those of them who cannot go over to another tuner without a gap. */
  readonly boundUsers: readonly { readonly purpose: Purpose }[];
  /** What it is tuned to while it runs, with users or shortly after the last has left. */
  readonly tuned: Transponder | undefined;
  /** It has failed lately. */
  readonly avoided: boolean;
  readonly ability: number;
  canReceive(transponder: Transponder): boolean;
  /** Both cannot be received at the same time, by this tuner and the other. */
  clashes(own: Transponder, other: this, its: Transponder): boolean;
}

export interface TunerChoice<Tuner> {
  readonly tuner: Tuner;
  readonly transponder: Transponder;
  /** Those that have to stop before, the tuner itself included if it is tuned elsewhere. */
  readonly stopped: readonly Tuner[];
}

export interface HandOver<Tuner> {
  /** The tuner that becomes free. */
  readonly from: Tuner;
  /** The one that receives the same instead; it may have users of less importance, who lose it. */
  readonly to: Tuner;
}

/** The lower, the more important; nobody is the least. */
const rankOf = ([first]: Choosable['users']): number =>
  first === undefined ? purposes.length : purposes.indexOf(first.purpose);

/** Undefined if there is none to be had. */
export function chooseTuner<Tuner extends Choosable>(
  tuners: readonly Tuner[],
  transponders: readonly Transponder[],
  purpose: Purpose,
): TunerChoice<Tuner> | undefined {
  const choices = transponders.flatMap((transponder) =>
    tuners.flatMap((tuner) => choiceOf(tuners, tuner, transponder) ?? []),
  );
  const asker = purposes.indexOf(purpose);
  const possible = choices.filter(({ stopped }) => stopped.every(({ users }) => rankOf(users) > asker));
  return possible.toSorted((a, b) => compare(costOf(a), costOf(b)))[0];
}

/**
 * How a tuner for one of the transponders becomes free although its users are too important to lose it: they go over to
 * another one. Undefined if that is not possible either. `mayMove` excludes tuners.
 */
export function chooseHandOver<Tuner extends Choosable>(
  tuners: readonly Tuner[],
  transponders: readonly Transponder[],
  purpose: Purpose,
  mayMove: (tuner: Tuner) => boolean = () => true,
): HandOver<Tuner> | undefined {
  const asker = purposes.indexOf(purpose);
  // A scan and the guide can wait.
  if (asker >= purposes.indexOf('scan')) return undefined;
  const yields = (tuner: Tuner) => rankOf(tuner.users) > asker;
  const clashes = (tuner: Tuner, wanted: Transponder, others: readonly Tuner[]) =>
    others.filter((other) => other !== tuner && other.tuned && tuner.clashes(wanted, other, other.tuned));
  const possible = transponders.flatMap((wanted) =>
    tuners.flatMap((from) => {
      const { tuned } = from;
      if (tuned === undefined || rankOf(from.boundUsers) <= asker || !from.canReceive(wanted) || !mayMove(from))
        return [];
      return tuners.flatMap((to) => {
        if (to === from || !yields(to) || to.avoided || !to.canReceive(tuned)) return [];
        const isClear =
          clashes(to, tuned, tuners).length === 0 &&
          !from.clashes(wanted, to, tuned) &&
          clashes(
            from,
            wanted,
            tuners.filter((other) => other !== to),
          ).every(yields);
        return isClear ? [{ from, to }] : [];
      });
    }),
  );
  const cost = ({ to }: HandOver<Tuner>) => [-rankOf(to.users), to.ability];
  return possible.toSorted((a, b) => compare(cost(a), cost(b)))[0];
}

function choiceOf<Tuner extends Choosable>(
  tuners: readonly Tuner[],
  tuner: Tuner,
  transponder: Transponder,
): TunerChoice<Tuner> | undefined {
  if (!tuner.canReceive(transponder)) return undefined;
  if (isSameTransponder(tuner.tuned, transponder)) return { tuner, transponder, stopped: [] };
  const stopped = tuners.filter(
    (other) => other.tuned !== undefined && (other === tuner || tuner.clashes(transponder, other, other.tuned)),
  );
  return { tuner, transponder, stopped };
}

/** Avoided tuners, then the importance of those who lose theirs, then switching at all, then ability. */
function costOf({ tuner, transponder, stopped }: TunerChoice<Choosable>): readonly number[] {
  const mostImportant = Math.min(purposes.length, ...stopped.map(({ users }) => rankOf(users)));
  return [Number(tuner.avoided), -mostImportant, Number(!isSameTransponder(tuner.tuned, transponder)), tuner.ability];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [n, value] of a.entries()) {
    const difference = value - (b[n] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
