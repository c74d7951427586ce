/** Tables of transponders that scans begin with. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { raster, readInitialTable } from '../../src/scan/transponder-tables.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

function read(name: string, text: string | Buffer, network?: string) {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return readInitialTable(path, network);
}

describe('dtv-scan-tables', () => {
  it('terrestrial and cable', async () => {
    const text = `# a comment
[Place 1]
	DELIVERY_SYSTEM = DVBT
	FREQUENCY = 490000000
	BANDWIDTH_HZ = 8000000
	CODE_RATE_HP = 2/3
	MODULATION = QAM/64
	TRANSMISSION_MODE = 8K
	GUARD_INTERVAL = 1/32
	HIERARCHY = NONE
	INVERSION = AUTO # trailing

[CHANNEL]
	DELIVERY_SYSTEM = DVB-T2
	FREQUENCY = 514000000
	BANDWIDTH_HZ = 1712000
	STREAM_ID = 4
	MODULATION = QAM/AUTO
[CHANNEL]
	DELIVERY_SYSTEM = DVBC/ANNEX_A
	FREQUENCY = 346000000
	SYMBOL_RATE = 6900000
	MODULATION = QAM_256
	INNER_FEC = NONE
[CHANNEL]
	DELIVERY_SYSTEM = DAB
	FREQUENCY = 200000000
`;
    const [first, second, third, ...others] = await read('de-Place', text);
    expect(first).toMatchObject({ kind: 'terrestrial', system: 0, frequency: 490e6, bandwidth: 0, codeRateHigh: 1 });
    expect(first).toMatchObject({ codeRateLow: 5, constellation: 2, transmissionMode: 1, guardInterval: 0 });
    expect(first).toMatchObject({ hierarchy: 0, inversion: 2 });
    expect(second).toMatchObject({ kind: 'terrestrial', system: 1, bandwidth: 5, plpId: 4, constellation: 3 });
    expect(third).toMatchObject({ kind: 'cable', frequency: 346_000, symbolRate: 6.9e6, modulation: 5, fec: 15 });
    expect(others).toEqual([]);
  });

  it('satellites, with the position in the name of the file', async () => {
    const text = `[CHANNEL]
	DELIVERY_SYSTEM = DVBS2
	FREQUENCY = 11836500
	POLARIZATION = HORIZONTAL
	SYMBOL_RATE = 29900000
	INNER_FEC = 2/3
	MODULATION = PSK/8
	ROLLOFF = 20
	PILOT = ON
	STREAM_ID = 4294967295
`;
    expect(await read('Astra-19.2E', text)).toEqual([
      expect.objectContaining({
        kind: 'satellite',
        frequency: 11_836_500,
        orbitalPosition: 192,
        polarisation: 0,
        fec: 2,
        system: 1,
        modulation: 2,
        rollOff: 2,
        pilot: 1,
        streamId: -1,
      }),
    ]);
    expect(await read('Hispasat-30.0W', text)).toMatchObject([{ orbitalPosition: 3300 }]);
    await expect(read('Astra', text)).rejects.toThrow('has no orbital position in its name');
  });
});

describe('bounds', () => {
  it('of transponders', async () => {
    const text = '[A]\n\tDELIVERY_SYSTEM = DVBT\n\tFREQUENCY = 506000000\n'.repeat(5001);
    await expect(read('de-All', text)).rejects.toThrow('has 5001 transponders; the maximum is 5000');
    const satellite = `<satellites><sat name="A" position="192">${'<t/>'.repeat(5001)}</sat></satellites>`;
    await expect(read('satellites.xml', satellite)).rejects.toThrow('has 5001 transponders');
  });

  it('of bytes', async () => {
    await expect(read('de-All', ' '.repeat(4 * 2 ** 20 + 1))).rejects.toThrow('de-All: ');
  });
});

describe('tables of Enigma2', () => {
  it('satellites, by name or position', async () => {
    const text = `<?xml version="1.0" encoding="iso-8859-1"?>
<satellites>
 <sat name="19.2E Astra" flags="0" position="192">
  <transponder frequency="10743750" symbol_rate="22000000" polarization="0" fec_inner="4" system="1" modulation="2"/>
  <transponder frequency="10743750" polarization="0"/>
 </sat>
 <sat name="Hispas\u00e1t" flags="0" position="-300">
  <transponder frequency="11000000" symbol_rate="22000000" polarization="1"/>
 </sat>
</satellites>`;
    const bytes = Buffer.from(text, 'latin1');
    const [one, ...others] = await read('satellites.xml', bytes, '19.2E');
    expect(one).toMatchObject({
      frequency: 10_743_750,
      fec: 4,
      system: 1,
      modulation: 2,
      pilot: 2,
      orbitalPosition: 192,
    });
    expect(others).toEqual([]);
    expect(await read('satellites.xml', bytes, 'hispas\u00c1t')).toMatchObject([{ orbitalPosition: 3300 }]);
    await expect(read('satellites.xml', bytes)).rejects.toThrow("'19.2E Astra', 'Hispas\u00e1t'");
  });

  it('cables and terrestrial regions', async () => {
    const cables = `<cables><cable name="Operator"><transponder frequency="346000000" symbol_rate="6900000" modulation="5"/></cable></cables>`;
    expect(await read('cables.xml', cables)).toMatchObject([{ kind: 'cable', frequency: 346_000, modulation: 5 }]);
    const regions = `<locations><terrestrial name="Region"><transponder centre_frequency="474000000" bandwidth="0"/></terrestrial></locations>`;
    expect(await read('terrestrial.xml', regions)).toMatchObject([{ kind: 'terrestrial', bandwidth: 0, system: -1 }]);
  });

  // Cubic time would take hours.
  it('a long line is read in linear time', async () => {
    const line = ' '.repeat(100_000);
    await expect(read('de-Long', `[A]\n${line}\n${'A '.repeat(50_000)}\n`)).rejects.toThrow('has no transponders');
  });

  it('an invalid table is refused, with the place of the error', async () => {
    await expect(read('satellites.xml', '<satellites>\n<sat></satellites>')).rejects.toThrow(/satellites.xml:2: /);
    await expect(read('x', 'nothing of this kind')).rejects.toThrow('has no transponders');
    await expect(readInitialTable('/nonexistent')).rejects.toThrow('/nonexistent');
  });
});

it('the raster has the terrestrial and cable channels', () => {
  const frequencies = (kind: string) => raster.filter((one) => one.kind === kind).map(({ frequency }) => frequency);
  expect(frequencies('terrestrial')).toEqual(expect.arrayContaining([177.5e6, 474e6, 690e6]));
  expect(frequencies('cable')).toEqual(expect.arrayContaining([306_000, 858_000]));
  expect(frequencies('satellite')).toEqual([]);
});
