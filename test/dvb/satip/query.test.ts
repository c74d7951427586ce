/** SAT>IP queries, as real clients send them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReceiverError } from '../../../src/base/errors.ts';
import { formatQuery, parseQuery } from '../../../src/dvb/satip/query.ts';
import { automaticBut, defaultParameters, type TransponderParameters } from '../../../src/dvb/transponder.ts';

const astra = automaticBut('satellite', {
  frequency: 11_493_750,
  symbolRate: 22_000_000,
  fec: 2,
  system: 1,
  modulation: 2,
  rollOff: 0,
  pilot: 1,
});
const terrestrial = automaticBut('terrestrial', {
  frequency: 522e6,
  bandwidth: 0,
  system: 0,
  transmissionMode: 1,
  constellation: 2,
  guardInterval: 3,
  codeRateHigh: 1,
});
const second = automaticBut('terrestrial', {
  frequency: 498e6,
  bandwidth: 0,
  system: 1,
  transmissionMode: 6,
  constellation: 4,
  guardInterval: 6,
  codeRateHigh: 1,
  plpId: 1,
});
const cable = automaticBut('cable', { frequency: 330_000, symbolRate: 6_900_000, modulation: 5, inversion: 0 });
const atsc = automaticBut('atsc', { frequency: 473e6, modulation: 6 });

describe('a query', () => {
  it.each([
    ['src=1&freq=11493.75&pol=h&ro=0.35&msys=dvbs2&mtype=8psk&plts=on&sr=22000&fec=23', astra],
    ['freq=522&bw=8&msys=dvbt&tmode=8k&mtype=64qam&gi=14&fec=23', terrestrial],
    ['freq=498&bw=8&msys=dvbt2&tmode=32k&mtype=256qam&gi=19128&fec=23&plp=1', second],
    ['freq=330&msys=dvbc&mtype=256qam&sr=6900&specinv=0', cable],
    ['freq=473&msys=atsc&mtype=8vsb', atsc],
    ['freq=473&msys=dvbcb&mtype=64qam', automaticBut('atsc', { frequency: 473e6, system: 1, modulation: 3 })],
  ])('%s', (text, parameters) => {
    expect(formatQuery(parameters, 1)).toBe(text);
    expect(parseQuery(text).parameters).toEqual(parameters);
  });

  it.each([
    // Values that only the server knows, in the requests of other clients.
    ['freq=498&bw=8&msys=dvbt2&tmode=32k&mtype=256qam&gi=19128&fec=23&plp=1&t2id=4711&sm=0', second],
    ['freq=474&c2tft=0&bw=8&msys=dvbc2&ds=0&plp=1', automaticBut('cable', { frequency: 474_000, system: 2 })],
  ])('is read from %s', (text, parameters) => {
    expect(parseQuery(text).parameters).toEqual(parameters);
  });

  it('omits automatic values, except those that servers insist on', () => {
    const unknown = automaticBut('satellite', {
      frequency: 11_836_500,
      symbolRate: 27_500_000,
      system: 1,
      modulation: 0,
    });
    expect(formatQuery(unknown, 3)).toBe('src=3&freq=11836.5&pol=h&msys=dvbs2&sr=27500');
    expect(formatQuery(unknown, 3, { pilotAlways: true })).toBe('src=3&freq=11836.5&pol=h&msys=dvbs2&plts=on&sr=27500');
    expect(formatQuery(unknown, 3, { rollOffAlways: true })).toBe(
      'src=3&freq=11836.5&pol=h&ro=0.35&msys=dvbs2&sr=27500',
    );
    expect(formatQuery(automaticBut('terrestrial', { frequency: 177.5e6 }), 1)).toBe('freq=177.5&bw=7&msys=dvbt');
    expect(formatQuery(automaticBut('terrestrial', { frequency: 474e6 }), 1)).toBe('freq=474&bw=8&msys=dvbt');
    expect(formatQuery(automaticBut('cable', { frequency: 114_000, fec: 3 }), 1)).toBe(
      'freq=114&msys=dvbc&mtype=256qam',
    );
    expect(formatQuery(automaticBut('terrestrial', { frequency: 473_142_857, system: 2 }), 1)).toBe(
      'freq=473.142857&bw=6&msys=isdbt',
    );
  });

  it('has a pilot only for DVB-S2', () => {
    const first = automaticBut('satellite', { frequency: 12_187_500, polarisation: 1, symbolRate: 27_500_000, fec: 3 });
    expect(formatQuery(first, 2, { pilotAlways: true })).toBe(
      'src=2&freq=12187.5&pol=v&ro=0.35&msys=dvbs&mtype=qpsk&sr=27500&fec=34',
    );
  });

  it('names an input stream and its scrambling', () => {
    const text =
      'src=1&freq=11493.75&pol=h&ro=0.35&msys=dvbs2&mtype=8psk&plts=on&sr=22000&fec=23&isi=4&plsm=gold&plsc=8';
    expect(formatQuery({ ...astra, streamId: 4, plsCode: 8 } as TransponderParameters, 1)).toBe(text);
    expect(parseQuery(text).parameters).toEqual({ ...astra, streamId: 4, plsCode: 8 });
    // The register of the x sequence holds 0x20000 after one step.
    const root = text.replace('gold&plsc=8', `root&plsc=${0x20000}`);
    expect(parseQuery(root).parameters).toMatchObject({ plsMode: 1, plsCode: 1 });
  });
});

describe('parsing', () => {
  it('is lenient', () => {
    const given = parseQuery(
      '?SRC=4&FREQ=11493.75&pol=H&msys=DVBS2&fec=auto&plts=&ro=0.2&sr=22000.0&tnr=x&freq=11494&a&=b',
    );
    expect(given).toMatchObject({ source: 4, frontEnd: undefined, pids: undefined, addPids: [], delPids: [] });
    expect(given.parameters).toMatchObject({
      frequency: 11_494_000,
      symbolRate: 22_000_000,
      fec: 0,
      pilot: 2,
      rollOff: 2,
    });
    expect(given.parameters).toMatchObject({ modulation: 0, orbitalPosition: 0, streamId: -1 });
    expect(parseQuery('freq=330&sr=6900').parameters).toMatchObject({ kind: 'cable', frequency: 330_000 });
    expect(parseQuery('freq=12000&pol=v').parameters).toMatchObject({ kind: 'satellite', polarisation: 1 });
    expect(parseQuery('freq=474').parameters).toEqual(automaticBut('terrestrial', { frequency: 474e6 }));
    expect(parseQuery('')).toMatchObject({ parameters: undefined, source: 1 });
  });

  it.each([
    ['pids=0,16,17,18', [0, 16, 17, 18]],
    ['pids=0%2C16,16', [0, 16]],
    ['pids=8191', [8191]],
    ['pids=none', []],
    ['pids=none&pids=401', [401]],
    ['pids=all', 'all'],
    ['pids=8192', 'all'],
    ['pids=0,8192', 'all'],
    ['pids=', undefined],
    ['src=1', undefined],
  ])('%s', (text, pids) => {
    expect(parseQuery(text).pids).toEqual(pids);
  });

  it('reads PIDs to add and to remove, and a front end', () => {
    expect(parseQuery('addpids=101,102&delpids=18')).toMatchObject({ addPids: [101, 102], delPids: [18] });
    expect(parseQuery('addpids=none&fe=2')).toMatchObject({ addPids: [], delPids: [], frontEnd: 2 });
  });

  it.each([
    ['src', 'src=0'],
    ['src', 'src=256'],
    ['fe', 'fe=0'],
    ['fe', 'fe=one'],
    ['freq', 'freq=-1'],
    ['freq', 'freq=1e9'],
    ['freq', 'freq=100000'],
    ['freq', 'freq=0x10'],
    ['msys', 'freq=1&msys=dvbx'],
    ['msys', 'freq=1&msys=constructor'],
    ['pol', 'freq=1&msys=dvbs&pol=x'],
    ['mtype', 'freq=1&msys=dvbs2&mtype=9psk'],
    ['mtype', 'freq=1&msys=dvbt&mtype=8psk'],
    ['sr', 'freq=1&msys=dvbc&sr=0'],
    ['sr', 'freq=1&msys=dvbc&sr=100001'],
    ['bw', 'freq=1&msys=dvbt&bw=9'],
    ['plp', 'freq=1&msys=dvbt2&plp=256'],
    ['isi', 'freq=1&msys=dvbs2&isi=-1'],
    ['plsc', 'freq=1&msys=dvbs2&plsc=262144'],
    ['pids', 'pids=8193'],
    ['pids', 'pids=0,,1'],
    ['pids', 'pids=-1'],
    ['addpids', 'addpids=all'],
    ['delpids', 'delpids=8192'],
    ['query', 'a'.repeat(8193)],
  ])('refuses a wrong %s: %.30s', (key, text) => {
    expect(() => parseQuery(text)).toThrow(expect.objectContaining({ code: 'parameter-invalid' }));
    expect(() => parseQuery(text)).toThrow(`The parameter '${key}' `);
  });
});

const of = <T>(...values: readonly T[]) => fc.constantFrom(...values);
/** Every kind with the parameters that a query can express; the rest is automatic. */
const generated: fc.Arbitrary<TransponderParameters> = fc.oneof(
  fc
    .record({
      frequency: fc.nat(99_999_000),
      symbolRate: fc.nat(100_000).map((kilo) => kilo * 1000),
      polarisation: fc.nat(3),
      fec: fc.nat(10),
      rollOff: fc.nat(3),
      modulation: fc.nat(5),
      pilot: fc.nat(2),
      streamId: fc.integer({ min: -1, max: 255 }),
      plsCode: fc.nat(0x3ffff),
      plsMode: of(1, 2),
    })
    .map((numbers) => automaticBut('satellite', { ...numbers, system: 1 })),
  fc
    .record({ frequency: fc.nat(99_999_000), symbolRate: of(0, 22e6), polarisation: fc.nat(3), fec: fc.nat(10) })
    .map((numbers) => automaticBut('satellite', { ...numbers, rollOff: defaultParameters.satellite.rollOff })),
  fc
    .record({
      frequency: fc.nat(2e9),
      bandwidth: of(0, 1, 2, 4, 5, 6),
      transmissionMode: fc.nat(6),
      constellation: fc.nat(4),
      guardInterval: fc.nat(7),
      codeRateHigh: fc.nat(9),
      system: of(0, 1),
      plpId: fc.nat(255),
    })
    .map((numbers) => automaticBut('terrestrial', { ...numbers, plpId: numbers.system * numbers.plpId })),
  fc.nat(2e9).map((frequency) => automaticBut('terrestrial', { frequency, system: 2, bandwidth: 2 })),
  fc
    .record({
      frequency: fc.nat(2e6),
      symbolRate: fc.nat(100_000).map((kilo) => kilo * 1000),
      modulation: of(1, 2, 3, 4, 5),
      inversion: fc.nat(2),
    })
    .map((numbers) => automaticBut('cable', numbers)),
  fc
    .record({ frequency: fc.nat(2e6), inversion: fc.nat(2) })
    .map((numbers) => automaticBut('cable', { ...numbers, system: 2 })),
  fc.record({ frequency: fc.nat(2e9), modulation: fc.nat(7) }).map((numbers) => automaticBut('atsc', numbers)),
);

describe('properties', () => {
  it('a formatted query parses to the same parameters', () => {
    fc.assert(
      fc.property(generated, fc.integer({ min: 1, max: 255 }), (parameters, source) => {
        const read = parseQuery(formatQuery(parameters, source));
        expect(read.parameters).toEqual(parameters);
        expect(read.source).toBe(parameters.kind === 'satellite' ? source : 1);
      }),
    );
  });

  it('any text is parsed or refused', () => {
    const word = of(
      'freq',
      'msys',
      'pids',
      'addpids',
      'src',
      'plsm',
      'plsc',
      'root',
      'dvbs2',
      '=',
      '&',
      ',',
      '%',
      '1',
      '8192',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string())), (parts) => {
        try {
          parseQuery(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(ReceiverError);
        }
      }),
    );
  });
});
