/** The messages to satellite equipment, from Enigma2's settings. The values are those of the standards' examples. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SatelliteStep } from '../../../src/base/native.ts';
import { Settings } from '../../../src/config/enigma2-settings.ts';
import { rotorAngle, turn } from '../../../src/dvb/satellite/diseqc.ts';
import { Aerials } from '../../../src/dvb/satellite/nim-settings.ts';
import { parseParameters, type SatelliteParameters } from '../../../src/dvb/transponder.ts';

const box = join(process.env.RECEIVERD_TEST_DATA ?? '/nonexistent', 'enigma2', 'three-tuners', 'settings');

/** Settings of slot 0, by name without the prefix. */
function aerial(...lines: readonly string[]) {
  const settings = Settings.parse(lines.map((line) => `config.Nims.0.${line}\n`).join(''));
  const found = new Aerials(settings).of(0);
  if (found === undefined) throw new Error('not connected');
  return found;
}

/** `11493.75 H 19.2` */
function transponder(text: string): SatelliteParameters {
  const [frequency, polarisation, position] = text.split(' ');
  const numbers = [Number(frequency) * 1000, 22_000_000, 'HVLR'.indexOf(polarisation ?? ''), 0, Number(position) * 10];
  return parseParameters(`s ${numbers.join(':')}:0:0`) as SatelliteParameters;
}

const hex = (bytes: Uint8Array) => [...bytes].map((one) => one.toString(16).toUpperCase().padStart(2, '0')).join(' ');

/** Steps as text: `18 V, 75, E0 10 38 F6, tone`; waits in milliseconds. */
function shown(steps: readonly SatelliteStep[]): string {
  const text = (step: SatelliteStep) => {
    if ('waitMs' in step) return String(step.waitMs);
    if ('tone' in step) return step.tone ? 'tone' : 'no tone';
    if ('voltage' in step) return `${step.voltage} V`;
    if ('moreVoltage' in step) return step.moreVoltage ? 'more' : 'usual';
    if ('burst' in step) return `burst ${step.burst}`;
    return hex(step.command);
  };
  return steps.map(text).join(', ');
}

/** The steps from one transponder to the next, or from an unknown state. */
function steps(by: ReturnType<typeof aerial>, to: string, from?: string): string {
  const order = by.orderFor(transponder(to), from === undefined ? undefined : transponder(from));
  return shown(from === undefined ? order.allSteps : order.changedSteps);
}

describe('a single LNB', () => {
  it('selects by voltage, tone and oscillator', () => {
    const by = aerial();
    expect(by.orderFor(transponder('11493.75 H 19.2'), undefined)).toMatchObject({ frequency: 1_743_750, delay: 0 });
    expect(steps(by, '11493.75 H 19.2')).toBe('usual, 18 V, 10, no tone, 10');
    expect(by.orderFor(transponder('12187.5 V 19.2'), undefined).frequency).toBe(1_587_500);
    expect(steps(by, '12187.5 V 19.2')).toBe('usual, 13 V, 10, tone, 10');
    expect(shown(by.orderFor(transponder('12187.5 V 19.2'), undefined).endSteps)).toBe('no tone, 0 V');
  });

  it('is sent only what changes', () => {
    const by = aerial();
    expect(steps(by, '11493.75 H 19.2', '11347 H 19.2')).toBe('');
    expect(steps(by, '12187.5 H 19.2', '11347 H 19.2')).toBe('tone, 10');
    expect(steps(by, '12187.5 V 19.2', '12187.5 H 19.2')).toBe('13 V, 10');
  });

  it('has the oscillators of its kind', () => {
    const by = aerial(
      'configMode=advanced',
      'advanced.sat.192.lnb=1',
      'advanced.lnb.1.lof=c_band',
      'advanced.sat.130.lnb=2',
      'advanced.lnb.2.lof=user_defined',
      'advanced.lnb.2.lofl=11250',
      'advanced.lnb.2.lofh=14350',
      'advanced.lnb.2.threshold=1',
      'advanced.sat.130.voltage=18V',
    );
    expect(by.orderFor(transponder('4000 V 19.2'), undefined).frequency).toBe(1_150_000);
    // A stacked LNB puts horizontal transponders above vertical ones, and needs 18 V for both.
    expect(by.orderFor(transponder('12224 H 13'), undefined).frequency).toBe(2_126_000);
    expect(by.orderFor(transponder('12224 V 13'), undefined).frequency).toBe(974_000);
    expect(steps(by, '12224 V 13', '12224 H 13')).toBe('');
  });

  it('reaches no frequencies of another kind of LNB, and no position but its own', () => {
    const by = aerial('diseqcA=192');
    expect(by.reaches(transponder('11493.75 H 19.2'))).toBe(true);
    expect(by.reaches(transponder('4000 V 19.2'))).toBe(false);
    expect(by.reaches(transponder('11493.75 H 13'))).toBe(false);
    // The position of the only dish is not configured.
    expect(aerial().reaches(transponder('11493.75 H 28.2'))).toBe(true);
  });

  it('is left out where nothing is connected', () => {
    const settings = Settings.parse('config.Nims.1.configMode=nothing\n');
    expect(new Aerials(settings).of(1)).toBeUndefined();
  });
});

describe('switches', () => {
  it('DiSEqC 1.0: the port, polarisation and band in one message', () => {
    const by = aerial('diseqcMode=diseqc_a_b_c_d', 'diseqcA=192', 'diseqcB=130', 'diseqcC=235', 'diseqcD=282');
    expect(steps(by, '11493.75 H 19.2')).toBe(
      'no tone, 25, usual, 18 V, 200, E0 00 00, 50, E0 00 03, 150, E0 10 38 F2, 100',
    );
    expect(steps(by, '11493.75 H 13', '11493.75 H 19.2')).toBe('E0 10 38 F6, 100');
    expect(steps(by, '12187.5 V 28.2', '12187.5 H 13')).toBe('no tone, 25, 13 V, 75, E0 10 38 FD, 100, tone, 10');
    expect(steps(by, '12187.5 V 28.2', '12188 V 28.2')).toBe('');
  });

  it('receive only changes of position if they follow voltage and tone by themselves', () => {
    const by = aerial('diseqcMode=diseqc_a_b', 'diseqcA=192', 'diseqcB=130', 'simpleDiSEqCOnlyOnSatChange=True');
    expect(steps(by, '12187.5 H 19.2', '11493.75 V 19.2')).toBe('18 V, 10, tone, 10');
    expect(steps(by, '11493.75 V 13', '11493.75 V 19.2')).toBe('E0 10 38 F4, 100');
  });

  it('DiSEqC 1.1: the uncommitted switch first, each command twice', () => {
    const by = aerial(
      'configMode=advanced',
      'advanced.sat.130.lnb=3',
      'advanced.lnb.3.diseqcMode=1_1',
      'advanced.lnb.3.commitedDiseqcCommand=AB',
      'advanced.lnb.3.uncommittedDiseqcCommand=2',
      'advanced.lnb.3.commandOrder=uct',
      'advanced.lnb.3.diseqcRepeats=one',
    );
    expect(steps(by, '11493.75 H 13')).toBe(
      'no tone, 25, usual, 18 V, 200, E0 00 00, 50, E0 00 03, 150, ' +
        'E0 10 39 F1, 33, E0 10 38 F6, 33, E1 10 39 F1, 33, E1 10 38 F6, 100',
    );
  });

  it('tone burst', () => {
    const by = aerial('diseqcMode=toneburst_a_b', 'diseqcA=192', 'diseqcB=130');
    expect(steps(by, '12187.5 H 13', '12187.5 H 19.2')).toBe('no tone, 25, burst b, 50, tone, 10');
  });

  it.skipIf(!existsSync(box))('in the settings of a real box', () => {
    const by = new Aerials(Settings.parse(readFileSync(box, 'utf8'))).of(0);
    if (by === undefined) throw new Error('not connected');
    const switching = 'E0 10 38 FE, 100, 70, E0 10 38 FE, 100';
    expect(steps(by, '11493.75 H 28.2')).toContain(`more, 18 V, 200, E0 00 00, 50, E0 00 03, 150, ${switching}`);
    expect(steps(by, '11493.75 H 13', '11493.75 H 19.2')).toBe('');
    expect(by.reaches(transponder('11493.75 H 23.5'))).toBe(true);
    expect(by.reaches(transponder('11493.75 H 42'))).toBe(false);
  });
});

describe('a rotor', () => {
  const site = (longitude: number, latitude: number) => ({ longitude, latitude, stored: undefined });

  it('is sent angles', () => {
    for (const [longitude, latitude, orbital, message, angle] of [
      [5.1, 50.767, 192, 'E0 31 6E E0 FA', 15.57],
      [5.1, 50.767, 282, 'E0 31 6E E1 98', 25.45],
      [5, 52, 420, 'E0 31 6E E2 88', 40.46],
      [18.07, 59.33, 3592, 'E0 31 6E D1 46', -20.41],
      [16.37, 48.2, 130, 'E0 31 6E D0 3B', -3.75],
    ] as const) {
      expect(hex(turn(site(longitude, latitude), orbital))).toBe(message);
      expect(rotorAngle(site(longitude, latitude), orbital)).toBeCloseTo(angle, 1);
    }
    // On the southern hemisphere it turns the other way.
    expect(hex(turn(site(5.1, -50.767), 192))).toBe('E0 31 6E D0 FA');
  });

  it('turns at 13 V, and is given time to turn', () => {
    const by = aerial('diseqcMode=positioner', 'longitude=5.100', 'latitude=50.767');
    expect(steps(by, '11493.75 H 19.2')).toBe(
      'no tone, 25, usual, 13 V, 900, E0 31 60, 50, E0 31 60, 500, E0 31 6E E0 FA, 1000, 18 V, 2000',
    );
    expect(steps(by, '11493.75 H 28.2', '11493.75 H 19.2')).toBe('13 V, 500, E0 31 6E E1 98, 1000, 18 V, 2000');
    expect(steps(by, '11347 V 28.2', '11493.75 H 28.2')).toBe('13 V, 10');
    const delay = (to: string, from?: string) =>
      by.orderFor(transponder(to), from === undefined ? undefined : transponder(from)).delay;
    expect(delay('11493.75 H 28.2', '11493.75 H 19.2')).toBeGreaterThan(20_000);
    expect(delay('11493.75 H 28.2', '11493.75 H 19.2')).toBeLessThan(25_000);
    expect(delay('11493.75 H 28.2', '11347 V 28.2')).toBe(0);
    expect(delay('11493.75 H 19.2')).toBe(120_000);
  });

  it('turns to positions that it has stored', () => {
    const by = aerial(
      'configMode=advanced',
      'advanced.sat.192.lnb=1',
      'advanced.sat.192.usals=False',
      'advanced.sat.192.rotorposition=12',
      'advanced.lnb.1.diseqcMode=1_2',
    );
    expect(steps(by, '11493.75 H 19.2')).toContain('E0 31 6B 0C, 1000');
  });
});

describe('one cable for many', () => {
  const lnb = ['configMode=advanced', 'advanced.sat.192.lnb=1', 'advanced.lnb.1.lof=unicable'];

  it('EN 50494', () => {
    const by = aerial(...lnb);
    expect(by.orderFor(transponder('11493.75 H 19.2'), undefined).frequency).toBe(1_208_250);
    expect(steps(by, '11493.75 H 19.2')).toBe('13 V, 1000, 18 V, no tone, 75, E0 10 5A 09 84, 150, 13 V');
    expect(steps(by, '12187.5 H 19.2', '11493.75 H 19.2')).toMatch(/^18 V, no tone, 75, E0 10 5A 0D/);
    const second = aerial(...lnb, 'advanced.lnb.1.scrList=2', 'advanced.lnb.1.scrfrequency=1420');
    expect(steps(second, '12187.5 H 19.2')).toContain('E0 10 5A 2D 92');
    const { frequency, endSteps } = second.orderFor(transponder('12187.5 H 19.2'), undefined);
    expect(frequency).toBe(1_420_500);
    expect(shown(endSteps)).toBe('18 V, no tone, 75, E0 10 5A 20 00, 150, 13 V, 0 V');
  });

  it('EN 50607', () => {
    const by = aerial(...lnb, 'advanced.lnb.1.format=jess');
    expect(by.orderFor(transponder('11493.75 H 19.2'), undefined).frequency).toBe(1_209_750);
    expect(steps(by, '11493.75 H 19.2')).toContain('70 06 6C 02');
    const second = aerial(...lnb, 'advanced.lnb.1.format=jess', 'advanced.lnb.1.scrList=2');
    expect(steps(second, '12187.5 H 19.2')).toContain('70 0D D0 03');
  });

  it('front ends with different user bands do not conflict', () => {
    const slot = (n: number, band: number) =>
      [...lnb, 'advanced.unicableconnected=True', 'advanced.unicableconnectedTo=0', `advanced.lnb.1.scrList=${band}`]
        .map((line) => `config.Nims.${n}.${line}`)
        .join('\n');
    const aerials = new Aerials(Settings.parse([slot(0, 1), slot(1, 2), slot(2, 2)].join('\n')));
    const [one, two] = [transponder('11493.75 H 19.2'), transponder('12187.5 V 19.2')];
    const clash = (a: number, b: number) => aerials.of(a)?.clashes(one, aerials.of(b) ?? aerial(), two);
    expect([clash(0, 1), clash(0, 2), clash(1, 2)]).toEqual([false, false, true]);
    expect(aerials.of(1)?.orderFor(one, undefined).cable).toBe(aerials.of(0)?.orderFor(one, undefined).cable);
  });
});

describe('front ends that share a cable', () => {
  const [low, high, vertical, elsewhere] = ['11347 H 19.2', '12187.5 H 19.2', '11347 V 19.2', '11347 H 13'];
  const clashes = (mode: string) => {
    const ports = 'config.Nims.0.diseqcMode=diseqc_a_b\nconfig.Nims.0.diseqcA=192\nconfig.Nims.0.diseqcB=130\n';
    const other = `config.Nims.1.configMode=${mode}\nconfig.Nims.1.connectedTo=0\n`;
    const aerials = new Aerials(Settings.parse(ports + other));
    const [own, second] = [aerials.of(0), aerials.of(1)];
    if (!own || !second) throw new Error('not connected');
    return [low, high, vertical, elsewhere].map((its) => own.clashes(transponder(low), second, transponder(its)));
  };

  it('by loop-through receive one band of one polarisation', () => {
    expect(clashes('loopthrough')).toEqual([false, true, true, true]);
  });

  it('with two cables to one rotor receive one position', () => {
    expect(clashes('satposdepends')).toEqual([false, false, false, true]);
  });

  it('with a cable each receive independently', () => {
    expect(clashes('equal')).toEqual([false, false, false, false]);
  });

  it('are not connected if they refer to each other in a circle', () => {
    const text = [0, 1].map((n) => `config.Nims.${n}.configMode=loopthrough\nconfig.Nims.${n}.connectedTo=${1 - n}\n`);
    expect(new Aerials(Settings.parse(text.join(''))).of(0)).toBeUndefined();
  });
});
