/**
 * Chooses the tuner for a new user, and who loses a tuner for it. In order of preference:
 *
 * 1. A tuner that is on the transponder already is shared.
 * 2. A free tuner is tuned to it: the least able one, so that the others remain free for what only they can receive.
 * 3. The least important users lose their tuner, if all of its users are less important than the new one.
 * 4. A recording moves to another tuner without a gap, if a suitable one has no more important users.
 *
 * Tuners that have failed recently come last.
 */
import { isSameTransponder, type Transponder } from './transponder.ts';

/** What a tuner is used for, the most important first. A recording never loses its tuner. */
export const purposes = ['recording', 'timer', 'live', 'timeshift', 'stream', 'scan', 'guide'] as const;
export type Purpose = (typeof purposes)[number];

/** What the choice needs to know of a tuner. */
export interface Choosable {
  /** Users, the most important first. */
  readonly users: readonly { readonly purpose: Purpose }[];
  /** The users who cannot move to another tuner without a gap. */
  readonly immovableUsers: readonly { readonly purpose: Purpose }[];
  /** The transponder it is tuned to while it runs, with users or shortly after the last one left. */
  readonly tuned: Transponder | undefined;
  /** It has failed recently. */
  readonly avoided: boolean;
  readonly ability: number;
  canReceive(transponder: Transponder): boolean;
  /** True if this tuner cannot receive `own` while `other` receives `its`. */
  clashes(own: Transponder, other: this, its: Transponder): boolean;
}

export interface TunerChoice<Tuner> {
  readonly tuner: Tuner;
  readonly transponder: Transponder;
  /** Tuners that must stop first, including the chosen one if it is tuned elsewhere. */
  readonly stopped: readonly Tuner[];
}

export interface HandOver<Tuner> {
  /** The tuner that becomes free. */
  readonly from: Tuner;
  /** The tuner that receives the same instead. Its less important users, if any, lose it. */
  readonly to: Tuner;
}

/** Rank of the most important user: the lower, the more important. A tuner without users ranks last. */
const rankOf = ([first]: Choosable['users']): number =>
  first === undefined ? purposes.length : purposes.indexOf(first.purpose);

/** Chooses a tuner that can receive one of the transponders. Undefined if none is available. */
export function chooseTuner<Tuner extends Choosable>(
  tuners: readonly Tuner[],
  transponders: readonly Transponder[],
  purpose: Purpose,
): TunerChoice<Tuner> | undefined {
  const choices = transponders.flatMap((transponder) =>
    tuners.flatMap((tuner) => choiceOf(tuners, tuner, transponder) ?? []),
  );
  const askerRank = purposes.indexOf(purpose);
  const possible = choices.filter(({ stopped }) => stopped.every(({ users }) => rankOf(users) > askerRank));
  return possible.toSorted((a, b) => compare(costOf(a), costOf(b)))[0];
}

/**
 * Chooses a tuner whose users, though too important to lose it, can move to another tuner without a gap. Undefined if
 * there is none. `mayMove` excludes tuners.
 */
export function chooseHandOver<Tuner extends Choosable>(
  tuners: readonly Tuner[],
  transponders: readonly Transponder[],
  purpose: Purpose,
  mayMove: (tuner: Tuner) => boolean = () => true,
): HandOver<Tuner> | undefined {
  const askerRank = purposes.indexOf(purpose);
  // A scan and the collection of guide data can wait.
  if (askerRank >= purposes.indexOf('scan')) return undefined;
  const yields = (tuner: Tuner) => rankOf(tuner.users) > askerRank;
  const clashes = (tuner: Tuner, wanted: Transponder, others: readonly Tuner[]) =>
    others.filter((other) => other !== tuner && other.tuned && tuner.clashes(wanted, other, other.tuned));
  const possible = transponders.flatMap((wanted) =>
    tuners.flatMap((from) => {
      const { tuned } = from;
      if (tuned === undefined || rankOf(from.immovableUsers) <= askerRank || !from.canReceive(wanted) || !mayMove(from))
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

/** Compared in this order: avoided or not, importance of the users who lose a tuner, whether it must tune, ability. */
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
