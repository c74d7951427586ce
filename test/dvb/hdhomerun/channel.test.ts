import { describe, expect, it } from 'vitest';
import { modulationOf, transponderOf } from '../../../src/dvb/hdhomerun/channel.ts';
import { automaticBut, type Transponder, type TransponderParameters } from '../../../src/dvb/transponder.ts';

const transponder = (parameters: TransponderParameters, transportStreamId = 0): Transponder => ({
  namespace: 0,
  transportStreamId,
  originalNetworkId: 0,
  parameters,
});
const listed = [
  transponder(automaticBut('terrestrial', { frequency: 474_166_000, bandwidth: 0, system: 1 }), 1),
  transponder(automaticBut('terrestrial', { frequency: 482_000_000, bandwidth: 0, system: 0 }), 2),
  transponder(automaticBut('cable', { frequency: 346_000, symbolRate: 6_900_000, modulation: 5 }), 3),
  transponder(automaticBut('atsc', { frequency: 57_000_000, modulation: 6 }), 4),
  transponder(automaticBut('satellite', { frequency: 474_000_000 }), 5),
];

describe('the transponder that a client names', () => {
  it.each([
    ['auto:474000000', 1],
    ['t8dvbt2:474000000', 1],
    ['auto8t:482000000', 2],
    ['a8qam256-6900:346000000', 3],
    ['auto:346000000', 3],
    ['8vsb:57000000', 4],
  ])('%s is the listed one', (text, id) => {
    expect(transponderOf(text, listed)?.transportStreamId).toBe(id);
  });

  it.each([
    ['auto:600000000', 3],
    ['t7dvbt:600000000', 1],
    ['auto6t:600000000', 2],
  ])('%s is terrestrial without being listed', (text, bandwidth) => {
    const parameters = { kind: 'terrestrial', frequency: 600_000_000, bandwidth };
    expect(transponderOf(text, listed)).toMatchObject({ transportStreamId: 0, parameters });
  });

  it.each(['none', '474000000', 'auto:', 'auto:47400000000', 'dvbs2:474000000', '8vsb:600000000', 'AUTO:474000000'])(
    '%s is none',
    (text) => {
      expect(transponderOf(text, listed)).toBeUndefined();
    },
  );
});

it('names the modulation that is received', () => {
  expect(listed.map(({ parameters }) => modulationOf(parameters))).toEqual([
    't8dvbt2',
    't8dvbt',
    'a8qam256-6900',
    '8vsb',
    'dvbs',
  ]);
  expect(modulationOf(undefined)).toBe('auto');
});
