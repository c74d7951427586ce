/** Which tuner a new user gets, and who loses one for it. */
import { describe, expect, it } from 'vitest';
import { namedTuners } from '../../src/dvb/open-tuners.ts';
import type { Transponder } from '../../src/dvb/transponder.ts';
import { type Choosable, chooseHandOver, chooseTuner, type Purpose } from '../../src/dvb/tuner-choice.ts';

const transponder = (transportStreamId: number): Transponder => ({
  namespace: 0xeeee0000,
  transportStreamId,
  originalNetworkId: 1,
  parameters: { kind: 'cable', frequency: 0, symbolRate: 0, inversion: 2, modulation: 0, fec: 0, flags: 0, system: 0 },
});
const [one, two, three] = [transponder(1), transponder(2), transponder(3)];

interface Trial extends Choosable {
  readonly name: string;
}

/** A tuner that receives all transponders unless `receives` lists some. */
function tuner(
  name: string,
  {
    tuned,
    users = [],
    immovable = users,
    receives = [one, two, three],
    ability = receives.length,
    avoided = false,
    shares = [],
  }: {
    readonly tuned?: Transponder;
    readonly users?: readonly Purpose[];
    /** The users who cannot move to another tuner. Default: all. */
    readonly immovable?: readonly Purpose[];
    readonly receives?: readonly Transponder[];
    readonly ability?: number;
    readonly avoided?: boolean;
    readonly shares?: readonly string[];
  } = {},
): Trial {
  return {
    name,
    tuned,
    users: users.map((purpose) => ({ purpose })),
    immovableUsers: immovable.map((purpose) => ({ purpose })),
    ability,
    avoided,
    canReceive: (wanted) => receives.includes(wanted),
    clashes: (_, other: Trial) => other.name === name || shares.includes(other.name),
  };
}

const chosen = (tuners: readonly Trial[], wanted: Transponder, purpose: Purpose) => {
  const choice = chooseTuner(tuners, [wanted], purpose);
  return choice && [choice.tuner.name, ...choice.stopped.map(({ name }) => `not ${name}`)].join(', ');
};

describe('the chosen tuner', () => {
  it('is one that is on the transponder already, regardless of its users', () => {
    const recording = tuner('A', { tuned: one, users: ['recording'] });
    expect(chosen([tuner('B'), recording], one, 'guide')).toBe('A');
    expect(chosen([tuner('B'), recording], two, 'guide')).toBe('B');
  });

  it('is tuned again if the list has new parameters for the same entry', () => {
    const edited = { ...one, parameters: { ...one.parameters, frequency: 346_000 } };
    expect(chosen([tuner('A', { tuned: one, receives: [one, edited] })], edited, 'live')).toBe('A, not A');
  });

  it('is the least able one, so that the others stay free', () => {
    const tuners = [tuner('A'), tuner('B', { receives: [one] }), tuner('C', { receives: [two] })];
    expect(chosen(tuners, one, 'live')).toBe('B');
    expect(chosen(tuners, three, 'live')).toBe('A');
  });

  it('is one without users rather than one in use', () => {
    expect(chosen([tuner('A', { tuned: one, users: ['guide'] }), tuner('B', { tuned: two })], three, 'live')).toBe(
      'B, not B',
    );
  });

  it('is taken from the least important user, and only from a less important one', () => {
    const tuners = [
      tuner('A', { tuned: one, users: ['recording', 'guide'] }),
      tuner('B', { tuned: two, users: ['live'] }),
    ];
    expect(chosen(tuners, three, 'timer')).toBe('B, not B');
    expect(chosen(tuners, three, 'recording')).toBe('B, not B');
    expect(chosen(tuners, three, 'live')).toBeUndefined();
    expect(chosen(tuners, three, 'stream')).toBeUndefined();
    const guide = tuner('C', { tuned: transponder(4), users: ['guide'] });
    expect(chosen([...tuners, guide], three, 'stream')).toBe('C, not C');
    // A recording does not even lose it to another recording.
    expect(chosen([tuners[0] as Trial], three, 'recording')).toBeUndefined();
  });

  it('excludes the other front end of a pair of which one works at a time', () => {
    const pair = (user: Purpose) => [
      tuner('A', { tuned: one, users: [user], receives: [one], shares: ['B'] }),
      tuner('B', { receives: [two], shares: ['A'] }),
    ];
    expect(chosen(pair('stream'), two, 'live')).toBe('B, not A');
    expect(chosen(pair('recording'), two, 'live')).toBeUndefined();
  });

  it('has not failed recently, if there is another', () => {
    const tuners = [tuner('A', { avoided: true, receives: [one] }), tuner('B', { tuned: two, users: ['guide'] })];
    expect(chosen(tuners, one, 'live')).toBe('B, not B');
    expect(chosen(tuners, one, 'guide')).toBe('A');
  });

  it('is on one of several transponders with the service, if a tuner is', () => {
    expect(chooseTuner([tuner('A', { tuned: two })], [one, two], 'live')).toMatchObject({
      transponder: two,
      stopped: [],
    });
    expect(chooseTuner([tuner('A', { receives: [two] })], [one, two], 'live')).toMatchObject({ transponder: two });
  });
});

describe('a recording moves to another tuner', () => {
  const moved = (tuners: readonly Trial[], purpose: Purpose = 'timer', wanted = two) => {
    const move = chooseHandOver(tuners, [wanted], purpose);
    return move && `${move.from.name} to ${move.to.name}`;
  };
  const recording = tuner('A', { tuned: one, users: ['recording'], immovable: [] });

  it('if only its own can receive the requested transponder', () => {
    expect(moved([recording, tuner('B', { receives: [one] })])).toBe('A to B');
    expect(moved([recording, tuner('B', { receives: [three] })])).toBeUndefined();
    const unable = tuner('A', { tuned: one, users: ['recording'], immovable: [], receives: [one] });
    expect(moved([unable, tuner('B', { receives: [one] })])).toBeUndefined();
  });

  it('that is the least important and least able, and has not failed', () => {
    const free = tuner('D', { receives: [one], ability: 4 });
    const guide = tuner('C', { tuned: three, users: ['guide'], receives: [one] });
    expect(moved([recording, guide, tuner('B', { receives: [one], ability: 5 }), free])).toBe('A to D');
    expect(moved([recording, guide])).toBe('A to C');
    expect(moved([recording, guide], 'guide')).toBeUndefined();
    expect(moved([recording, tuner('B', { tuned: three, users: ['recording'], receives: [one] })])).toBeUndefined();
    expect(moved([recording, tuner('B', { receives: [one], avoided: true })])).toBeUndefined();
  });

  it('unless an equally important user would lose its tuner', () => {
    const shared = (user: Purpose) => tuner('A', { tuned: one, users: ['recording', user], immovable: [user] });
    const other = tuner('B', { receives: [one] });
    expect(moved([shared('stream'), other], 'live')).toBe('A to B');
    expect(moved([shared('live'), other], 'live')).toBeUndefined();
  });

  it('unless the two cannot work at the same time', () => {
    const own = { tuned: one, users: ['recording'], immovable: [] } as const;
    expect(moved([tuner('A', { ...own, shares: ['B'] }), tuner('B', { receives: [one] })])).toBeUndefined();
    expect(moved([recording, tuner('B', { receives: [one], shares: ['A'] })])).toBeUndefined();
    const third = (user: Purpose) => tuner('C', { tuned: three, users: [user] });
    const pair = (user: Purpose) => [
      tuner('A', { ...own, shares: ['C'] }),
      tuner('B', { receives: [one] }),
      third(user),
    ];
    expect(moved(pair('stream'))).toBe('A to B');
    expect(moved(pair('recording'))).toBeUndefined();
  });
});

describe('the configured tuners', () => {
  const found = [0, 1].map((adapter) => ({
    adapter,
    frontend: 0,
    name: 'Some',
    systems: ['DVB-T'],
    shared: false,
    trouble: '',
  }));
  const frontEnd = (adapter: number) => ({ kind: 'dvb', adapter, frontend: 0 });

  it('default to the front ends of the machine, or the demo if it has none', () => {
    expect(namedTuners([], found)).toEqual([frontEnd(0), frontEnd(1)]);
    expect(namedTuners([], [])).toEqual([{ kind: 'demo', speed: 1 }]);
    expect(namedTuners(['dvb:*'], [])).toEqual([]);
  });

  it('contain no duplicates', () => {
    expect(namedTuners(['dvb:1', 'dvb:*', 'demo', 'demo'], found).map(({ kind }) => kind)).toEqual([
      'dvb',
      'dvb',
      'demo',
      'demo',
    ]);
    expect(namedTuners(['dvb:1', 'dvb:*'], found)).toEqual([frontEnd(1), frontEnd(0)]);
    expect(namedTuners(['dvb:7'], found)).toEqual([frontEnd(7)]);
  });
});
