/** lamedb and lamedb5: parsing, editing and writing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goldCode, type Transponder, type TransponderParameters, transponderKey } from '../../src/dvb/transponder.ts';
import { Lamedb, type LamedbService, serviceKey } from '../../src/services/lamedb.ts';
import { enigma2Folders, readFile } from './folders.ts';

const parse = (text: string) => Lamedb.parse(Buffer.from(text));
const version4 = (transponders: string, services: string) =>
  `eDVB services /4/\ntransponders\n${transponders}end\nservices\n${services}end\nHave a lot of bugs!\n`;

const plain: LamedbService = {
  serviceId: 0x283d,
  namespace: 0xc00000,
  transportStreamId: 0x3fb,
  originalNetworkId: 1,
  serviceType: 25,
  number: 0,
  sourceId: 0,
  name: 'Das Erste HD',
  provider: 'ARD',
  flags: 0,
  cache: [],
  caSystems: [],
  others: [],
};

describe('reading lamedb 4', () => {
  it('reads services with provider, PIDs, CA systems, flags and unknown entries', () => {
    const list = parse(
      version4('', '283d:00c00000:03fb:0001:25:0:0\nDas Erste HD\np:ARD,c:0013ed,c:0113ee,C:0500,C:1702,z:9,f:149\n'),
    );
    expect([...list.services()]).toEqual([
      {
        ...plain,
        cache: [
          { id: 0, value: 0x13ed },
          { id: 1, value: 0x13ee },
        ],
        caSystems: [0x500, 0x1702],
        flags: 0x49,
        others: ['z:9'],
      },
    ]);
    expect(list.problems).toEqual([]);
  });

  it.each([
    ['an old line that is entirely the provider', 'Company', 'Company'],
    ['a provider of one character', 'p', 'p'],
    ['no provider', 'p:', ''],
    ['an empty line', '', ''],
    ['a comma in the provider', 'p:One, Two,f:1', 'One, Two'],
  ])('%s', (_, line, provider) => {
    const [service] = parse(version4('', `0001:00c00000:0001:0001:1:0:0\nX\n${line}\n`)).services();
    expect(service?.provider).toBe(provider);
  });

  it('completes a truncated line end at the end of the file', () => {
    const cut = 'eDVB services /5/\r\ns:0001:00c00000:0001:0001:1:0:0,"A"\r';
    const list = parse(cut);
    list.putService(plain);
    expect(list.format().toString()).toContain(`${cut}\ns:283d`);
  });

  it('normalizes an invalid orbital position', () => {
    const list = parse(version4('00c00000:0001:0001\n\ts 1:1:1:1:11493750:0:0\n/\n', ''));
    const [transponder] = list.transponders();
    expect(transponder?.parameters).toMatchObject({ orbitalPosition: 2550 });
  });

  it('reads satellite, cable, terrestrial and ATSC transponders', () => {
    const list = parse(
      version4(
        '0e080000:0001:0001\n\ts 11000000:22000000:1:3:-8:2:0\n/\n' +
          '00c00000:0002:0001\n\ts 11493750:22000000:0:2:192:2:0:1:2:0\n/\n' +
          '00c00000:0003:0001\n\ts 11493750:22000000:0:2:192:2:0:1:2:0:1:5:121212:1:7:4095\n/\n' +
          'ffff0000:0004:0085\n\tc 346000:6900000:2:5\n/\n' +
          'eeee0000:0005:2114\n\tt 506000000:0:5:5:3:2:4:4:2:0:1:9\n/\n' +
          '00000000:0006:0001\n\ta 57028615:2:6\n/\n',
        '',
      ),
    );
    expect(list.problems).toEqual([]);
    const parameters = [...list.transponders()].map((transponder) => transponder.parameters);
    expect(parameters).toMatchObject([
      { kind: 'satellite', orbitalPosition: 3592, system: 0, pilot: 2, streamId: -1, t2miPid: 4096 },
      { kind: 'satellite', orbitalPosition: 192, system: 1, modulation: 2, pilot: 2 },
      { kind: 'satellite', pilot: 1, streamId: 5, plsCode: 121212, plsMode: 1, t2miPlpId: 7, t2miPid: 4095 },
      { kind: 'cable', frequency: 346000, modulation: 5, fec: 0, flags: 0, system: 0 },
      { kind: 'terrestrial', frequency: 506000000, system: 1, plpId: 9 },
      { kind: 'atsc', frequency: 57028615, modulation: 6, system: 0 },
    ]);
  });

  it('converts a root scrambling code to the gold code', () => {
    expect(goldCode(1)).toBe(0);
    expect(goldCode(0x20000)).toBe(1);
    const list = parse(version4('00c00000:0003:0001\n\ts 1:2:0:2:192:2:0:1:2:0:1:5:131072:0\n/\n', ''));
    expect([...list.transponders()][0]?.parameters).toMatchObject({ plsCode: 1, plsMode: 1 });
  });

  it('reads version 3, CRLF and a byte order mark', () => {
    const text = version4('00c00000:0001:0001\n\ts 1:2:0:2:192:2\n/\n', '0001:00c00000:0001:0001:1:0\nX\nOld\n');
    for (const file of [text.replace('/4/', '/3/'), text.replaceAll('\n', '\r\n'), `\ufeff${text}`]) {
      const list = parse(file);
      expect([list.transponderCount, list.serviceCount, list.problems]).toEqual([1, 1, []]);
      expect([...list.services()][0]).toMatchObject({ name: 'X', provider: 'Old' });
      expect(list.format().toString()).toBe(file);
    }
  });

  it('reports a bad line once with its number and finds the next record', () => {
    const list = parse(
      version4(
        'nonsense\n\ts 1:2\n/\n00c00000:0001:0001\n\tq 1\n/\n00c00000:0002:0001\n\ts 1:2:0:2:192:2:0\n/\n',
        'damaged\nname\np:\n0001:00c00000:0002:0001:1:0:0\nGood\np:\n',
      ),
    );
    expect(list.transponderCount).toBe(1);
    expect([...list.services()].map((service) => service.name)).toEqual(['Good']);
    expect(list.problems.map(({ file, line }) => [file, line])).toEqual([
      ['lamedb', 3],
      ['lamedb', 14],
    ]);
  });

  it.each([
    ['without the second end', (text: string) => text.slice(0, text.lastIndexOf('end\n'))],
    ['inside a service', (text: string) => text.slice(0, text.indexOf('p:Two'))],
    ['inside the transponders', (text: string) => text.slice(0, text.indexOf('end'))],
    ['after the first line', () => 'eDVB services /4/\n'],
  ])('accepts a file cut short %s, and writes a complete one when edited', (_, shorten) => {
    const text = shorten(
      version4(
        '00c00000:0001:0001\n\ts 1:2:0:2:192:2:0\n/\n',
        '0001:00c00000:0001:0001:1:0:0\nOne\np:\n0002:00c00000:0001:0001:1:0:0\nTwo\np:Two\n',
      ),
    );
    const list = parse(text);
    expect(list.problems).toHaveLength(1);
    expect(list.format().toString()).toBe(text);
    list.putService(plain);
    const again = Lamedb.parse(list.format());
    expect(again.problems).toEqual([]);
    expect([...again.services()]).toEqual([...list.services()]);
    expect(again.transponderCount).toBe(list.transponderCount);
  });

  it('refuses a file that is not a lamedb', () => {
    expect(() => parse('')).toThrow(/first line/);
    expect(() => parse('eDVB services /6/\n')).toThrow(/first line/);
  });
});

describe('reading lamedb5', () => {
  it('reads records in any order, options and unknown ones, and a quotation mark inside a name', () => {
    const list = parse(
      'eDVB services /5/\n# comment\ns:0001:00c00000:0002:0001:1:0:0,"A "B" C",p:P,c:001,C:0,f:40\n' +
        't:00c00000:0002:0001,s:1:2:0:2:192:2:0:1:2:0:1,NEW:1:2,T2MI:3:4,MIS/PLS:5:6:1\n' +
        'x:what\n# done. 1 channels and 1 services\n',
    );
    expect([...list.services()]).toMatchObject([{ name: 'A "B" C', provider: 'P', cache: [{ id: 0, value: 1 }] }]);
    expect([...list.transponders()]).toMatchObject([
      { parameters: { t2miPlpId: 3, t2miPid: 4, streamId: 5, plsCode: 6, plsMode: 1 } },
    ]);
    expect(list.problems).toEqual([{ file: 'lamedb', line: 5, text: 'neither t: nor s: "x:what"' }]);
  });
});

describe('editing', () => {
  const text = version4(
    '00c00000:0001:0001\n\ts 1:2:0:2:192:2:0\n/\n',
    '0001:00C00000:0001:0001:1:0\nOne\np:P,q:keep\n0002:00c00000:0001:0001:1:0:0\nTwo \xc2\x86T\xc2\x87\nc:000001,p:\n',
  );

  it('changes only the lines of the edited record', () => {
    const list = parse(text);
    const [one] = list.services();
    list.putService({ ...(one as LamedbService), name: 'First, "one"', provider: 'P,Q' });
    expect(list.format().toString()).toBe(
      text.replace(
        '0001:00C00000:0001:0001:1:0\nOne\np:P,q:keep',
        '0001:00c00000:0001:0001:1:0:0\nFirst, "one"\np:P Q,q:keep',
      ),
    );
  });

  it('treats an identical value as no edit', () => {
    const list = parse(text);
    for (const service of list.services()) expect(list.putService({ ...service })).toBe(false);
    for (const transponder of list.transponders()) expect(list.putTransponder({ ...transponder })).toBe(false);
    expect(list.edited).toBe(false);
  });

  it('adds at the end of the section, removes whole records, and keeps CRLF', () => {
    const list = parse(text.replaceAll('\n', '\r\n'));
    list.removeService(serviceKey([...list.services()][0] as LamedbService));
    list.putService(plain);
    const written = list.format().toString();
    expect(written).toContain('c:000001,p:\r\n283d:00c00000:03fb:0001:25:0:0\r\nDas Erste HD\r\np:ARD\r\nend\r\n');
    expect(written).not.toContain('One');
    expect(written.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('uses the later of two equal services, keeps both, and removes both', () => {
    const twice = version4('', '0001:00c00000:0001:0001:1:0:0\nOld\np:\n0001:00c00000:0001:0001:1:0:0\nNew\np:\n');
    const list = parse(twice);
    expect([...list.services()].map((service) => service.name)).toEqual(['New']);
    expect(list.format().toString()).toBe(twice);
    list.removeService(serviceKey([...list.services()][0] as LamedbService));
    expect(list.format().toString()).toBe(version4('', ''));
  });

  it('keeps every line of version 4 below 255 bytes', () => {
    const caSystems = Array.from({ length: 60 }, (_, i) => i);
    const list = Lamedb.empty(4);
    list.putService({ ...plain, name: 'ä'.repeat(200), caSystems, flags: 0x40 });
    for (const line of list.format().toString().split('\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(254);
    const [service] = Lamedb.parse(list.format()).services();
    expect(service).toMatchObject({ name: 'ä'.repeat(127), provider: 'ARD', flags: 0x40 });
    expect(service?.caSystems.length).toBeGreaterThan(30);
  });

  it('syncs the other file and keeps matching lines', () => {
    const four = parse(text);
    const five = Lamedb.empty(5);
    five.assign(four);
    expect([...five.services()]).toEqual([...four.services()]);
    const before = five.format();
    const again = Lamedb.parse(before);
    again.assign(four);
    expect(again.edited).toBe(false);
    expect(again.format()).toEqual(before);
    four.putService(plain);
    again.assign(four);
    expect(again.format().toString()).toContain('# done. 1 channels and 3 services\n');
    expect(
      again
        .format()
        .toString()
        .match(/# done/g),
    ).toHaveLength(1);
  });

  it('keeps bytes that are not UTF-8', () => {
    const bytes = Buffer.from(version4('', '0001:00c00000:0001:0001:1:0:0\nTV\xe9\np:\n'), 'latin1');
    const list = Lamedb.parse(bytes);
    expect([...list.services()][0]?.name).toBe('TV\ufffd');
    list.putService(plain);
    expect(list.format().includes(Buffer.from('TV\xe9\n', 'latin1'))).toBe(true);
  });
});

describe('property: formatted lists parse to the same records', () => {
  const u16 = fc.nat(0xffff);
  const u32 = fc.nat(0xffffffff);
  const small = fc.nat(20);
  const text = (maxLength: number) =>
    fc
      .string({ unit: 'grapheme', maxLength: maxLength })
      .filter((s) => Buffer.byteLength(s) < 60 && !/[",\p{Cc}]/u.test(s));
  const service: fc.Arbitrary<LamedbService> = fc.record({
    serviceId: u16,
    namespace: u32,
    transportStreamId: u16,
    originalNetworkId: u16,
    serviceType: fc.nat(255),
    number: fc.constant(0),
    sourceId: small,
    name: text(20),
    provider: text(20),
    flags: fc.nat(0xffff).map((flags) => flags & ~0x100),
    cache: fc.array(fc.record({ id: fc.nat(18), value: u16 }), { maxLength: 5 }),
    caSystems: fc.array(u16, { maxLength: 5 }),
    others: fc.array(fc.stringMatching(/^[qxyz]:[a-z0-9]{0,5}$/), { maxLength: 2 }),
  });
  const gold = { plsCode: fc.nat(0x3ffff), plsMode: fc.integer({ min: 1, max: 2 }) };
  const satellite = fc.record({
    kind: fc.constant('satellite' as const),
    frequency: u32,
    symbolRate: u32,
    polarisation: fc.nat(3),
    fec: small,
    orbitalPosition: fc.nat(3599),
    inversion: fc.nat(2),
    flags: small,
    system: fc.constant(1),
    modulation: small,
    rollOff: fc.nat(3),
    pilot: fc.nat(2),
    streamId: fc.integer({ min: -1, max: 255 }),
    ...gold,
    t2miPlpId: fc.integer({ min: -1, max: 255 }),
    t2miPid: fc.nat(8191),
  });
  const parameters: fc.Arbitrary<TransponderParameters> = fc.oneof(
    satellite.map((s) => (s.t2miPlpId === -1 ? { ...s, t2miPid: 4096 } : s)),
    fc.record({
      kind: fc.constant('terrestrial' as const),
      frequency: u32,
      bandwidth: small,
      codeRateHigh: small,
      codeRateLow: small,
      constellation: small,
      transmissionMode: small,
      guardInterval: small,
      hierarchy: small,
      inversion: small,
      flags: small,
      system: fc.integer({ min: -1, max: 1 }),
      plpId: small,
    }),
    fc.record({
      kind: fc.constant('cable' as const),
      frequency: u32,
      symbolRate: u32,
      inversion: small,
      modulation: small,
      fec: small,
      flags: small,
      system: small,
    }),
    fc.record({
      kind: fc.constant('atsc' as const),
      frequency: u32,
      inversion: small,
      modulation: small,
      flags: small,
      system: small,
    }),
  );
  const transponder: fc.Arbitrary<Transponder> = fc.record({
    namespace: u32,
    transportStreamId: u16,
    originalNetworkId: u16,
    parameters,
  });
  const services = fc.uniqueArray(service, { selector: serviceKey, maxLength: 8 });
  const transponders = fc.uniqueArray(transponder, { selector: transponderKey, maxLength: 4 });

  it.each([4, 5] as const)('in version %i', (version) => {
    fc.assert(
      fc.property(services, transponders, (wantedServices, wantedTransponders) => {
        const list = Lamedb.empty(version);
        for (const one of wantedTransponders) list.putTransponder(one);
        for (const one of wantedServices) list.putService(one);
        const again = Lamedb.parse(list.format());
        expect(again.problems).toEqual([]);
        expect([...again.services()]).toEqual(wantedServices);
        expect([...again.transponders()]).toEqual(wantedTransponders);
        expect(again.format()).toEqual(list.format());
      }),
    );
  });

  it('and arbitrary bytes are returned unchanged', () => {
    const piece = fc.constantFrom(
      'end\n',
      'services\n',
      'transponders\n',
      '\n',
      '/\n',
      '0001:00c00000:0001:0001:1:0:0\n',
      '\ts 1:2\n',
      's:',
      't:1:2:3,c:1:2\n',
      '"',
      'x\xff\r\n',
    );
    fc.assert(
      fc.property(fc.constantFrom('3', '4', '5'), fc.array(piece, { maxLength: 30 }), (version, pieces) => {
        const bytes = Buffer.from(`eDVB services /${version}/\n${pieces.join('')}`, 'latin1');
        const list = Lamedb.parse(bytes);
        expect(list.format()).toEqual(bytes);
        list.putService(plain);
        expect([...Lamedb.parse(list.format()).services()]).toContainEqual(plain);
      }),
    );
  });
});

describe.skipIf(enigma2Folders.length === 0)('lamedb of real folders', () => {
  it.each(enigma2Folders)('%s is returned byte for byte', async (folder) => {
    for (const name of ['lamedb', 'lamedb5']) {
      const bytes = await readFile(folder, name);
      if (bytes === undefined) continue;
      const list = Lamedb.parse(bytes, name);
      expect(list.problems).toEqual([]);
      expect(list.format().equals(bytes)).toBe(true);
    }
  });

  it.each([
    ['three-tuners', 7262, 437],
    ['satellite', 1673, 142],
    ['cable', 526, 41],
    ['lamedb5', 4253, 250],
  ])('%s holds %i services on %i transponders', async (folder, services, transponders) => {
    const list = Lamedb.parse((await readFile(folder, 'lamedb')) as Buffer);
    expect([list.serviceCount, list.transponderCount]).toEqual([services, transponders]);
  });

  it('lamedb and lamedb5 of one folder have the same contents', async () => {
    const four = Lamedb.parse((await readFile('lamedb5', 'lamedb')) as Buffer);
    const five = Lamedb.parse((await readFile('lamedb5', 'lamedb5')) as Buffer);
    expect([...five.services()]).toEqual([...four.services()]);
    expect([...five.transponders()]).toEqual([...four.transponders()]);
    five.assign(four);
    expect(five.edited).toBe(false);
  });
});
