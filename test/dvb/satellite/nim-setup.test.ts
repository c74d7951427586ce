/** How a dish is connected, written into Enigma2's settings and read back. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { Settings, settingsText } from '../../../src/config/enigma2-settings.ts';
import { Aerials } from '../../../src/dvb/satellite/nim-settings.ts';
import { type AerialSetup, withAerial } from '../../../src/dvb/satellite/nim-setup.ts';
import { parseParameters, type SatelliteParameters } from '../../../src/dvb/transponder.ts';

const folder = mkdtempSync(join(tmpdir(), 'nim-setup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(setup: AerialSetup, ...before: readonly string[]): string {
  return settingsText(withAerial(Settings.parse(before.join('\n')).stored, 0, setup));
}

function aerial(setup: AerialSetup) {
  return new Aerials(Settings.parse(written(setup))).of(0);
}

const at = (position: number, frequency = 11_493_750) =>
  parseParameters(`s ${frequency}:22000000:0:0:${position}:0:0`) as SatelliteParameters;
const commands = (setup: AerialSetup, position: number) =>
  aerial(setup)
    ?.orderFor(at(position), undefined)
    .allSteps.flatMap((step) => ('command' in step ? [Buffer.from(step.command).toString('hex')] : []));

describe('written and read back', () => {
  it('a single LNB reaches its satellite only, and sends no command', () => {
    const setup = { equipment: 'direct', satellites: [192] } as const;
    expect([aerial(setup)?.reaches(at(192)), aerial(setup)?.reaches(at(130))]).toEqual([true, false]);
    expect(commands(setup, 192)).toEqual([]);
  });

  it('a switch is sent the port of the satellite', () => {
    const setup = { equipment: 'diseqc', satellites: [192, 130, 282] } as const;
    expect(commands(setup, 192)?.at(-1)).toBe('e01038f2');
    expect(commands(setup, 282)?.at(-1)).toBe('e01038fa');
  });

  it('a tone burst selects one of two satellites', () => {
    const setup = { equipment: 'toneburst', satellites: [192, 130] } as const;
    expect(aerial(setup)?.orderFor(at(130), undefined).allSteps).toContainEqual({ burst: 'b' });
  });

  it('a rotor turns to every satellite, from its location', () => {
    const setup = { equipment: 'rotor', satellites: [], longitude: 13.4, latitude: 52.5 } as const;
    expect(aerial(setup)?.reaches(at(50))).toBe(true);
    expect(commands(setup, 192)?.at(-1)).toMatch(/^e0316e/);
    expect(written({ ...setup, longitude: -3.05 })).toContain('longitude=3.050\n');
    expect(written({ ...setup, longitude: -3.05 })).toContain('longitudeOrientation=west\n');
  });

  it('one cable for many has a user band for each tuner', () => {
    const setup = { equipment: 'jess', satellites: [192, 130], band: 3, bandFrequency: 1680 } as const;
    expect(aerial(setup)?.orderFor(at(130), undefined).frequency).toBeGreaterThan(1_675_000);
    expect(aerial(setup)?.orderFor(at(130), undefined).frequency).toBeLessThan(1_685_000);
    expect(commands(setup, 192)).not.toEqual(commands(setup, 130));
    expect(commands({ ...setup, equipment: 'unicable', band: 2 }, 192)?.[0]).toMatch(/^e0105a/);
  });

  it('every set-up reaches its satellites and no others', () => {
    const positions = (maxLength: number) => fc.uniqueArray(fc.nat(3599), { minLength: 1, maxLength });
    const of = <Equipment extends AerialSetup['equipment']>(equipment: Equipment, most: number, rest = {}) =>
      positions(most).map((satellites): AerialSetup => ({ equipment, satellites, ...rest }));
    const setup = fc.oneof(
      of('direct', 1),
      of('toneburst', 2),
      of('diseqc', 4),
      of('unicable', 2, { band: 1, bandFrequency: 1210 }),
      of('jess', 64, { band: 32, bandFrequency: 2040 }),
    );
    fc.assert(
      fc.property(setup, fc.nat(3599), (one, other) => {
        const read = aerial(one);
        // The LNB for 36.0° E and 56.0° E is circular unless the settings say otherwise, and receives from 11.7 GHz on.
        const reaches = (position: number) => read?.reaches(at(position, 12_000_000));
        for (const position of one.satellites) expect(reaches(position)).toBe(true);
        expect(reaches(other)).toBe(one.satellites.includes(other));
      }),
      { examples: [[{ equipment: 'diseqc', satellites: [560, 360] }, 0]] },
    );
  });

  it('nothing is connected', () => expect(aerial({ equipment: 'nothing', satellites: [] })).toBeUndefined());
});

describe('the other settings', () => {
  it('other slots, other keys and other systems stay; settings of the same dish are replaced', () => {
    const before = [
      'config.Nims.0.advanced.sat.130.lnb=1',
      'config.Nims.0.dvbt.configMode=enabled',
      'config.Nims.0.cable.scan_provider=x',
      'config.Nims.1.diseqcA=130',
      'config.tv.lastroot=x',
    ];
    expect(written({ equipment: 'direct', satellites: [192] }, ...before)).toBe(
      [
        'config.Nims.0.cable.scan_provider=x',
        'config.Nims.0.configMode=simple',
        'config.Nims.0.diseqcA=192',
        'config.Nims.0.diseqcMode=single',
        'config.Nims.0.dvbt.configMode=enabled',
        'config.Nims.1.diseqcA=130',
        'config.tv.lastroot=x',
        '',
      ].join('\n'),
    );
  });

  it('the form with dvbs is kept', () => {
    const text = written({ equipment: 'direct', satellites: [192] }, 'config.Nims.0.dvbs.diseqcA=130');
    expect(text).toContain('config.Nims.0.dvbs.diseqcA=192');
    expect(text).not.toContain('config.Nims.0.diseqcA');
  });

  it('stay in the file, with its comments', async () => {
    const path = join(folder, 'settings');
    writeFileSync(path, '# mine\nconfig.Nims.1.diseqcA=130\n');
    const settings = Settings.read(path);
    await settings.rewrite((stored) => withAerial(stored, 0, { equipment: 'direct', satellites: [192] }));
    expect(readFileSync(path, 'utf8')).toMatch(/^# mine\n[\s\S]*config.Nims.0.diseqcA=192/);
    expect(new Aerials(settings).of(0)?.reaches(at(192))).toBe(true);
  });
});

it.each<[AerialSetup, string]>([
  [{ equipment: 'direct', satellites: [] }, "'satellites' must name one satellite"],
  [{ equipment: 'direct', satellites: [192, 130] }, "'satellites' must name one satellite"],
  [{ equipment: 'rotor', satellites: [192], longitude: 0, latitude: 0 }, 'must name no satellite'],
  [{ equipment: 'diseqc', satellites: [192, 192] }, 'names one of them twice'],
  [{ equipment: 'direct', satellites: [192], cableOf: 1 }, "'cable' is for unicable"],
  [{ equipment: 'diseqc', satellites: [1, 2, 3, 4, 5] }, 'must name 1 to 4'],
  [{ equipment: 'rotor', satellites: [] }, "'longitude'"],
  [{ equipment: 'jess', satellites: [192] }, "'band'"],
  [{ equipment: 'unicable', satellites: [192], band: 9, bandFrequency: 1210 }, '1 to 8'],
  [{ equipment: 'unicable', satellites: [192], band: 1, bandFrequency: 12 }, "'frequency'"],
])('refuses %o', (setup, message) => {
  expect(() => withAerial([], 0, setup)).toThrow(message);
});
