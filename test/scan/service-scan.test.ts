/** Merging a scanned multiplex into the service list and the bouquets. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DeliverySystem, MultiplexInformation } from '../../src/dvb/multiplex.ts';
import { automaticBut, formatParameters } from '../../src/dvb/transponder.ts';
import { listScanned } from '../../src/scan/network-scan.ts';
import { channelNumbers, parametersOf, placeOf, ServiceScan } from '../../src/scan/service-scan.ts';
import { broadcastNumber, typedNumber } from '../../src/services/channel-number.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { shownNumber } from '../../src/services/service-list.ts';
import { type Service, Services } from '../../src/services/services.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { copyOf, enigma2Folders, removeFirst } from '../services/folders.ts';
import { cable, multiplex, satellite, service, terrestrial } from '../services/multiplexes.ts';

const stream = (kind: 'video' | 'audio', codec: string) => {
  return {
    pid: 0x200,
    streamType: 2,
    kind,
    codec,
    languages: [],
    purpose: 'main' as const,
    componentTag: null,
    pages: [],
  };
};

describe('services of ISDB', () => {
  const isdb = (originalNetworkId: number, serviceId: number, channelNumber: number, minorNumber: number | null) =>
    service(serviceId, `S${serviceId}`, { originalNetworkId, channelNumber, minorNumber, provider: 'P' });
  const numbersOf = async (folder: string) =>
    (await Services.load(folder)).allEntries('tv').map((entry) => [shownNumber(entry), entry.name]);

  it.each([
    ['terrestrial in Japan: three digits', isdb(0x7fe0, 1024, 11, null), '011', '11'],
    ['from a Japanese satellite', isdb(4, 141, 141, null), '141', '141'],
    ['in Brazil: with a dot', isdb(0x640, 3, 5, 1), '5.1', '5.1'],
  ])('have the number of the broadcaster, %s', async (_, one, number, typed) => {
    const folder = temporaryFolder();
    const services = await Services.load(folder);
    const scan = new ServiceScan(services);
    const found = { ...multiplex([one]), originalNetworkId: one.originalNetworkId };
    scan.merge(found, { settled: true });
    await services.save();
    expect(await numbersOf(folder)).toEqual([[number, one.name]]);
    expect(typedNumber(number)).toBe(typed);
    expect(scan.merge(found, { settled: true })).toMatchObject({ added: [], renamed: [] });
    const moved = { ...one, channelNumber: 9 };
    expect(scan.merge({ ...found, services: [moved] }, { settled: true }).renamed).toEqual([]);
    await services.save();
    expect(await numbersOf(folder)).toEqual([[broadcastNumber(moved), one.name]]);
  });

  it('of DVB have none but their place', async () => {
    const folder = temporaryFolder();
    const services = await Services.load(folder);
    new ServiceScan(services).merge(multiplex([service(7, 'DVB', { channelNumber: 33 })]), { settled: true });
    await services.save();
    expect(await numbersOf(folder)).toEqual([['1', 'DVB']]);
  });
});

describe('services of ATSC', () => {
  const atsc = (serviceId: number, name: string, channelNumber: number, minorNumber: number | null) =>
    service(serviceId, name, {
      ...{ originalNetworkId: 0, transportStreamId: 0x1fe1, sourceId: serviceId, provider: '' },
      ...{ channelNumber, minorNumber },
    });
  const found = multiplex([
    atsc(5, 'Quest', 10, 4),
    atsc(3, 'KULX', 10, 1),
    atsc(9, 'Nine', 9, 11),
    atsc(7, 'C', 7, null),
  ]);
  const without = { ...found, transportStreams: [] };
  const tuned = automaticBut('atsc', { frequency: 195_028_615, modulation: 6 });

  it('are listed as on a box, by number', async () => {
    const services = await Services.load(temporaryFolder());
    const scan = new ServiceScan(services);
    expect(scan.merge(without, { settled: true, tuned }).added).toHaveLength(4);
    expect(services.allEntries('tv').map((entry) => [shownNumber(entry), entry.name])).toEqual([
      ['7', 'C'],
      ['9.11', 'Nine'],
      ['10.1', 'KULX'],
      ['10.4', 'Quest'],
    ]);
    expect(services.allEntries('tv')[2]?.reference.format()).toBe('1:0:1:3:1FE1:0:EEEE00C3:0:0:3:');
    expect(services.transponders()).toMatchObject([{ namespace: 0xeeee00c3, parameters: { kind: 'atsc' } }]);
    expect(scan.merge(without, { settled: true, tuned })).toEqual({ added: [], renamed: [], vanished: [] });
  });

  it('keep their reference, and get number and name', async () => {
    const services = await Services.load(temporaryFolder());
    new ServiceScan(services).merge(multiplex([service(3, '', { originalNetworkId: 0, transportStreamId: 0x1fe1 })]), {
      ...{ settled: true, tuned },
    });
    new ServiceScan(services).merge(without, { settled: true, tuned });
    const [first] = services.allEntries('tv');
    expect(first && [shownNumber(first), first.name, first.reference.format()]).toEqual([
      ...['10.1', 'KULX', '1:0:1:3:1FE1:0:EEEE0000:0:0:0:'],
    ]);
  });

  it('are on cable in the namespace of cable', async () => {
    const services = await Services.load(temporaryFolder());
    const cable = automaticBut('atsc', { frequency: 57e6, modulation: 5, system: 1 });
    new ServiceScan(services).merge(without, { settled: true, tuned: cable });
    expect(services.transponders()).toMatchObject([{ namespace: 0xffff0039 }]);
  });
});

describe('a fresh folder', () => {
  const found = multiplex([
    service(1, 'Zulu', { channelNumber: 2 }),
    service(2, 'Alpha'),
    service(3, 'Beta'),
    service(4, 'First', { channelNumber: 1, type: 25 }),
    service(5, 'Radio Two', { type: 2 }),
    service(6, 'Radio One', { type: 10 }),
    service(7, 'Data', { type: 12 }),
    service(8, 'Secret', { visible: false }),
    service(9, '', { type: 0, streams: [stream('video', 'HEVC')] }),
  ]);

  it('gets favourites for television and radio, by channel number and name', async () => {
    const services = await Services.load(temporaryFolder());
    const { added } = new ServiceScan(services).merge(found);
    expect(added).toHaveLength(9);
    expect(services.bouquets('tv').map(({ name, file }) => [name, file])).toEqual([
      ['Favourites (TV)', 'userbouquet.favourites.tv'],
    ]);
    expect(services.bouquets('radio').map(({ name, file }) => [name, file])).toEqual([
      ['Favourites (Radio)', 'userbouquet.favourites.radio'],
    ]);
    expect(services.allEntries('tv').map((entry) => entry.name)).toEqual([
      'First',
      'Zulu',
      'Alpha',
      'Beta',
      'Service 9',
    ]);
    expect(services.allEntries('radio').map((entry) => entry.name)).toEqual(['Radio One', 'Radio Two']);
    expect(services.allEntries('tv')[0]?.reference.format()).toBe('1:0:19:4:201:2114:EEEE0000:0:0:0:');
  });

  it('puts HD services in the places of those in standard definition', async () => {
    const services = await Services.load(temporaryFolder());
    const names = () => services.allEntries('tv').map((entry) => entry.name);
    const scan = new ServiceScan(services);
    const there = { transportStreamId: 0x0202 };
    const standard = multiplex([
      service(1, 'Uno', { channelNumber: 7 }),
      service(2, 'Due', { channelNumber: 8 }),
      service(3, 'Tre', { channelNumber: 9 }),
      service(4, 'Quattro', { channelNumber: 10 }),
      service(5, 'Cinque', { channelNumber: 511 }),
    ]);
    const definition = multiplex([
      service(11, 'Uno HD', { ...there, type: 25, channelNumber: 512, simulcastNumber: 7 }),
      service(12, 'Due HD', { ...there, type: 25, simulcastNumber: 8 }),
      service(13, 'Tre HD', { ...there, type: 25, channelNumber: 509, simulcastNumber: 9, visible: false }),
      service(14, 'Sei HD', { ...there, type: 25, channelNumber: 510, simulcastNumber: 6 }),
    ]);
    scan.merge(standard);
    // The multiplex of the other services may not be receivable.
    expect(names()).toEqual(['Uno', 'Due', 'Tre', 'Quattro', 'Cinque']);
    const order = ['Sei HD', 'Uno HD', 'Due HD', 'Tre', 'Quattro', 'Cinque', 'Uno', 'Due'];
    scan.merge(definition);
    expect(names()).toEqual(order);
    for (const one of [standard, definition]) scan.merge(one);
    expect(names()).toEqual(order);
  });

  it('assigns HD simulcast numbers within a network', () => {
    const uno = service(1, 'Uno', { channelNumber: 7 });
    const other = service(1, 'Other', { channelNumber: 7, originalNetworkId: 1 });
    const definition = service(2, 'Uno HD', { channelNumber: 507, simulcastNumber: 7 });
    const numbers = channelNumbers([uno, other, definition]);
    expect([uno, other, definition].map((one) => numbers.get(one))).toEqual([507, 7, 7]);
  });

  it('is the same on disk as in memory', async () => {
    const folder = temporaryFolder();
    const services = await Services.load(folder);
    new ServiceScan(services).merge(found);
    await services.save();
    expect(readdirSync(folder).sort()).toEqual([
      'bouquets.radio',
      'bouquets.tv',
      'lamedb',
      'lamedb5',
      'userbouquet.favourites.radio',
      'userbouquet.favourites.tv',
    ]);
    const again = await Services.load(folder);
    expect(again.problems).toEqual([]);
    const texts = (all: Services) =>
      all.all().map(({ reference, name, provider }) => [reference.format(), name, provider]);
    expect(texts(again)).toEqual(texts(services));
    expect(again.allEntries()).toEqual(services.allEntries());
    expect(readFileSync(join(folder, 'lamedb'), 'utf8')).toContain(
      'eeee0000:0201:2114\n\tt 506000000:0:1:0:2:1:0:0:2:0:0:0\n/\n',
    );
  });

  it('grows with the multiplex and with further ones until it is edited', async () => {
    const services = await Services.load(temporaryFolder());
    const scan = new ServiceScan(services);
    scan.merge({ ...found, complete: false, services: [service(1, 'Zulu'), service(3, '', { described: false })] });
    expect(services.allEntries('tv').map((entry) => entry.name)).toEqual(['Zulu']);
    scan.merge(found);
    expect(services.allEntries('tv')).toHaveLength(5);
    scan.merge(multiplex([service(1, 'Elsewhere', { transportStreamId: 0x202 })]));
    expect(services.allEntries('tv')).toHaveLength(6);
    removeFirst(services, 'userbouquet.favourites.tv');
    scan.merge(multiplex([service(1, 'Late', { transportStreamId: 0x203 })]));
    expect(services.bouquets('tv').map(({ name }) => name)).toEqual(['Favourites (TV)', 'Last Scanned']);
    expect(services.list(services.bouquets('tv')[0]?.reference as ServiceReference)?.entries).toHaveLength(5);
    expect(services.allEntries('tv').map((entry) => entry.name)).toContain('Late');
  });

  it('does not change when the same services are found again, in this run or the next', async () => {
    const folder = temporaryFolder();
    const services = await Services.load(folder);
    const scan = new ServiceScan(services);
    scan.merge(found);
    const { generation } = services;
    expect(scan.merge(found)).toEqual({ added: [], renamed: [], vanished: [] });
    expect(services.generation).toBe(generation);
    await services.save();
    const next = await Services.load(folder);
    new ServiceScan(next).merge(found);
    expect(await next.save()).toEqual([]);
  });

  it('waits for the source of a multiplex until it is settled, and corrects it when it arrives late', async () => {
    const services = await Services.load(temporaryFolder());
    const scan = new ServiceScan(services);
    const unknown = multiplex([service(1, 'One')], null);
    scan.merge(unknown);
    expect(services.size).toBe(0);
    scan.merge(unknown, { settled: true });
    expect(services.allEntries().map((entry) => entry.reference.format())).toEqual([
      '1:0:1:1:201:2114:EEEE0000:0:0:0:',
    ]);
    scan.merge(unknown);
    scan.merge(multiplex([service(1, 'One')], cable));
    expect(services.allEntries().map((entry) => entry.reference.format())).toEqual([
      '1:0:1:1:201:2114:FFFF0000:0:0:0:',
    ]);
    expect(services.size).toBe(1);
  });

  it('has both favourites even if nothing is found', async () => {
    const services = await Services.load(temporaryFolder());
    new ServiceScan(services).merge(multiplex([]));
    expect([...services.bouquets('tv'), ...services.bouquets('radio')]).toHaveLength(2);
  });
});

describe('an existing list', () => {
  it('renames services, except those with a fixed name, and keeps those that vanished', async () => {
    const services = await Services.load(temporaryFolder());
    new ServiceScan(services).merge(multiplex([service(1, 'Old'), service(2, 'Kept'), service(3, 'Gone')]));
    services.edit(({ lamedb }) => {
      for (const one of [...lamedb.services()])
        if (one.name === 'Kept') lamedb.putService({ ...one, flags: one.flags | 8 });
    });
    const result = new ServiceScan(services).merge(multiplex([service(1, 'New\nName'), service(2, 'Other')]));
    expect(result.renamed.map(({ before, after }) => [before, after])).toEqual([['Old', 'New Name']]);
    expect(result.vanished.map((reference) => reference.serviceId)).toEqual([3]);
    expect(services.all().map((one) => one.name)).toEqual(['New Name', 'Kept', 'Gone']);
  });

  it('marks the short form of a name, and keeps a name that differs only in its emphasis codes', async () => {
    const folder = temporaryFolder();
    const services = await Services.load(folder);
    const found = multiplex([
      service(1, 'Das Erste HD', { shortName: 'Erste' }),
      service(2, 'ZDF', { shortName: 'ZF' }),
    ]);
    new ServiceScan(services).merge(found);
    await services.save();
    const again = await Services.load(folder);
    expect(again.all().map(({ name, shortName }) => [name, shortName])).toEqual([
      ['Das Erste HD', 'Erste'],
      ['ZDF', 'ZDF'],
    ]);
    new ServiceScan(again).merge(found);
    new ServiceScan(again).merge(multiplex([service(1, 'Das Erste HD')]));
    expect(await again.save()).toEqual([]);
  });

  it('keeps the reference of a service even if type and sub-network differ', async () => {
    const services = await Services.load(temporaryFolder());
    services.edit(({ lamedb }) =>
      lamedb.putService({
        serviceId: 0x283d,
        namespace: 0xc01234,
        transportStreamId: 0x3fb,
        originalNetworkId: 1,
        serviceType: 1,
        number: 0,
        sourceId: 0,
        name: 'Das Erste',
        provider: '',
        flags: 0,
        cache: [],
        caSystems: [],
        others: [],
      }),
    );
    const erste = service(0x283d, 'Das Erste HD', { type: 25, transportStreamId: 0x3fb, originalNetworkId: 1 });
    expect(new ServiceScan(services).merge(multiplex([erste], satellite)).added).toEqual([]);
    expect(services.all().map((one) => [one.reference.format(), one.name])).toEqual([
      ['1:0:1:283D:3FB:1:C01234:0:0:0:', 'Das Erste HD'],
    ]);
    const fromCable = new ServiceScan(services).merge(multiplex([erste], cable));
    expect(fromCable.added.map(String)).toEqual(['1:0:19:283D:3FB:1:FFFF0000:0:0:0:']);
    const feed = {
      ...multiplex([erste], satellite),
      transportStreams: [{ ...multiplex([erste], satellite).transportStreams[0], namespace: 0xc0ace5 }],
    };
    expect(new ServiceScan(services).merge(feed as MultiplexInformation).added.map(String)).toEqual([
      '1:0:19:283D:3FB:1:C0ACE5:0:0:0:',
    ]);
    expect(services.size).toBe(3);
    const unknownSource = new ServiceScan(services).merge(multiplex([erste], null));
    expect(unknownSource.added).toEqual([]);
  });
});

describe('transponders', () => {
  it.each([
    [satellite, 's 11493750:22000000:1:2:192:2:0:1:2:0:2'],
    [cable, 'c 346000:6900000:2:5:0:0:0'],
    [terrestrial, 't 506000000:0:1:0:2:1:0:0:2:0:0:0'],
  ])('%#', (delivery, text) => {
    const parameters = parametersOf(delivery);
    expect(parameters && formatParameters(parameters, 4)).toBe(text);
  });

  it('are not created if the broadcast does not contain the frequency', () => {
    expect(parametersOf({ ...terrestrial, frequency: 0 } as DeliverySystem)).toBeUndefined();
  });
});

describe.skipIf(enigma2Folders.length === 0)('a scan on a real folder', () => {
  it('changes no bouquet except Last Scanned, and loses nothing', async () => {
    const folder = copyOf('three-tuners');
    const services = await Services.load(folder);
    const before = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
    const names = services.all().map((one) => one.name);
    const scanned = services.list(ServiceReference.bouquet('userbouquet.LastScanned.tv'))?.entries ?? [];
    new ServiceScan(services).merge(multiplex([service(1, 'Brand new'), service(2, 'New radio', { type: 2 })]));
    expect([...(await services.save())].sort()).toEqual(['lamedb', 'lamedb5', 'userbouquet.LastScanned.tv']);
    for (const [name, bytes] of before) {
      if (name !== 'lamedb' && name !== 'userbouquet.LastScanned.tv') {
        expect(readFileSync(join(folder, name)).equals(bytes)).toBe(true);
      }
    }
    const again = await Services.load(folder);
    expect(again.all().map((one) => one.name)).toEqual([...names, 'Brand new', 'New radio']);
    const lastScanned = again.list(ServiceReference.bouquet('userbouquet.LastScanned.tv'))?.entries ?? [];
    expect(lastScanned.slice(0, 2).map((entry) => entry.name)).toEqual(['Brand new', 'New radio']);
    const listed = new Set(again.allEntries().map((entry) => entry.reference.identity));
    for (const { reference } of scanned) if (!reference.isMarker) expect(listed.has(reference.identity)).toBe(true);
  });

  it('changes nothing if all services are listed under their names', async () => {
    const services = await Services.load(copyOf('satellite'));
    const sample = services.all().find((one) => one.reference.source === 192) as Service;
    const { dvb, serviceType } = sample.reference;
    const found = service(0, sample.name, { ...dvb, type: serviceType, provider: '' });
    expect(new ServiceScan(services).merge(multiplex([found], satellite)).added).toEqual([]);
    expect(await services.save()).toEqual([]);
  });
});

describe('feeds with the same identifiers', () => {
  const other = { ...satellite, frequency: 11_538_000 };
  const feed = (name: string, delivery: DeliverySystem) => multiplex([service(1, name)], delivery);
  const listed = (services: Services) => services.all().map(({ reference, name }) => [reference.format(), name]);
  const usual = '1:0:1:1:201:2114:C00000:0:0:0:';
  const hashed = '1:0:1:1:201:2114:C0AD12:0:0:0:';

  it('stay separate by frequency, also in further scans and in any order', async () => {
    const folder = temporaryFolder();
    const services = await Services.load(folder);
    const scan = new ServiceScan(services);
    const [one, two] = [feed('Feed', satellite), feed('Feed', other)];
    scan.merge(one);
    expect([scan.isFeed(one), scan.isFeed(two)]).toEqual([false, true]);
    scan.merge(two);
    const both = [
      [usual, 'Feed'],
      [hashed, 'Feed'],
    ];
    expect(listed(services)).toEqual(both);
    expect(services.transponders().map(({ parameters }) => parameters.frequency)).toEqual([11_493_750, 11_538_000]);
    expect(services.allEntries().map(({ reference }) => reference.format())).toEqual([usual, hashed]);
    await services.save();
    const again = await Services.load(folder);
    const rescan = new ServiceScan(again);
    for (const one of [feed('B', other), feed('A', satellite)]) rescan.merge(one);
    expect(listed(again)).toEqual([
      [usual, 'A'],
      [hashed, 'B'],
    ]);
  });

  it('are distinguished by the polarisation in the NIT', async () => {
    const services = await Services.load(temporaryFolder());
    const scan = new ServiceScan(services);
    const horizontal = { ...satellite, polarisation: 'horizontal' } as DeliverySystem;
    const tuned = parametersOf(horizontal);
    if (tuned === undefined) throw new Error('no parameters');
    scan.merge(feed('Feed', satellite));
    // Received although the dish is set to the other polarisation.
    scan.merge(feed('Feed', satellite), { tuned });
    expect(listed(services)).toEqual([[usual, 'Feed']]);
    scan.merge(feed('Other', horizontal), { tuned });
    expect(listed(services)).toEqual([
      [usual, 'Feed'],
      ['1:0:1:1:201:2114:C02CE5:0:0:0:', 'Other'],
    ]);
  });

  it('keep the reference of the listed one, even if another is scanned first', async () => {
    const services = await Services.load(temporaryFolder());
    new ServiceScan(services).merge(feed('One', satellite));
    const scanned = [feed('Two', other), feed('One', satellite)].map((found) => {
      const [stream] = found.transportStreams;
      const parameters = stream?.delivery && parametersOf(stream.delivery);
      if (!parameters) throw new Error('no parameters');
      return { multiplex: found, parameters };
    });
    await listScanned(scanned, services);
    expect(listed(services)).toEqual([
      [usual, 'One'],
      [hashed, 'Two'],
    ]);
    // If no other feed is received, it has moved to a new frequency.
    const [moved] = scanned;
    const before = await Services.load(temporaryFolder());
    new ServiceScan(before).merge(feed('One', satellite));
    if (moved) await listScanned([moved], before);
    expect(listed(before)).toEqual([[usual, 'Two']]);
  });

  it('are received where they are listed', async () => {
    const services = await Services.load(temporaryFolder());
    const [one, two] = [feed('One', satellite), feed('Two', other)];
    const place = (reference: string, on: MultiplexInformation) =>
      placeOf(services, ServiceReference.parse(reference).placed ?? service(1, ''), on);
    const scan = new ServiceScan(services);
    scan.merge(one);
    expect([place(usual, one), place(usual, two)]).toEqual(['here', 'here']);
    scan.merge(two);
    const without = multiplex([service(1, 'One')], null);
    expect([place(usual, one), place(usual, two), place(usual, without)]).toEqual(['here', 'elsewhere', 'unknown']);
    expect([place(hashed, one), place(hashed, two)]).toEqual(['elsewhere', 'here']);
    const transponders = (reference: string) => {
      const { placed } = ServiceReference.parse(reference);
      return placed && services.transpondersOf(placed).map(({ parameters }) => parameters.frequency);
    };
    expect([transponders(usual), transponders(hashed)]).toEqual([[11_493_750], [11_538_000]]);
    // A reference from another list still finds one of them.
    expect(transponders('1:0:1:1:201:2114:C01234:0:0:0:')).toHaveLength(2);
    // Listed twice, with and without a hash, a transponder serves the references of both.
    const [{ parameters } = {}] = services.transponders();
    if (parameters === undefined) throw new Error('no transponder');
    services.edit(({ lamedb }) =>
      lamedb.putTransponder({
        namespace: 0xc02ce5,
        transportStreamId: 0x201,
        originalNetworkId: 0x2114,
        parameters,
      }),
    );
    expect([transponders(usual), transponders('1:0:1:1:201:2114:C02CE5:0:0:0:')]).toEqual([
      [11_493_750, 11_493_750],
      [11_493_750, 11_493_750],
    ]);
    expect(transponders(hashed)).toEqual([11_538_000]);
  });
});
