/** The service list and bouquets of a folder: look-ups, odd folders, editing and saving. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addBouquet, orderBouquets } from '../../src/services/bouquet-changes.ts';
import { describeService } from '../../src/services/description.ts';
import { listedServices } from '../../src/services/listed-services.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { type ServiceList, Services } from '../../src/services/services.ts';
import { irreplaceable } from '../fixtures/irreplaceable.ts';
import { noMount } from '../fixtures/small-disk.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { yieldsOf } from '../fixtures/yields.ts';
import { copyOf, enigma2Folders, removeFirst } from './folders.ts';

const parse = ServiceReference.parse;
const root = (file: string, type = 1) => parse(`1:7:${type}:0:0:0:0:0:0:0:FROM BOUQUET "${file}" ORDER BY bouquet`);
const query = (text: string) => parse(`1:7:1:0:0:0:0:0:0:0:${text}`);

const lamedb = `eDVB services /4/
transponders
00c00000:03fb:0001
	s 11493750:22000000:0:2:192:2:0:1:2:0:2
/
end
services
283d:00c00000:03fb:0001:25:0:0
Das Erste HD
p:ARD
2b66:00c00000:03f3:0001:25:0:0
\u0086Z\u0087DF HD
p:ZDFvision
0010:00c00000:03f3:0001:2:0:0
Radio One
p:
0011:ffff0000:0004:0085:1:0:0
Cable One
p:ZDFvision,f:40
end
Have a lot of bugs!
`;

/** A folder with these files. */
function folderWith(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

it('describes a service by its name and its position and frequency', async () => {
  const services = await Services.load(folderWith({ lamedb }));
  const described = (serviceId: number, transportStreamId: number, originalNetworkId: number) =>
    describeService(services, { serviceId, transportStreamId, originalNetworkId });
  expect(described(0x283d, 0x3fb, 1)).toBe('Das Erste HD (19.2° E, 11494 MHz H)');
  expect(described(0x2b66, 0x3f3, 1)).toBe('ZDF HD (19.2° E)');
  expect(described(0x11, 4, 0x85)).toBe('Cable One (DVB-C)');
  expect(described(0x7777, 0x3f3, 1)).toBe('7777:3F3:1');
  const frequencies = lamedb
    .replace(
      '00c00000:03fb:0001\n\ts 11493750:22000000:0:2:192:2:0:1:2:0:2',
      'ffff0000:0004:0085\n\tc 346000:6900000:2:5:0:0',
    )
    .replaceAll('0011:ffff0000', '0011:ffff0000');
  const cable = await Services.load(folderWith({ lamedb: frequencies }));
  expect(describeService(cable, { serviceId: 0x11, transportStreamId: 4, originalNetworkId: 0x85 })).toBe(
    'Cable One (DVB-C, 346 MHz)',
  );
});

const household = {
  lamedb,
  'bouquets.tv':
    '#NAME Bouquets (TV)\r\n' +
    '#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.first.tv" ORDER BY bouquet\r\n' +
    '#SERVICE 1:519:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.hidden.tv" ORDER BY bouquet\r\n' +
    '#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.gone.tv" ORDER BY bouquet\r\n' +
    '#SERVICE: 1:7:1:0:0:0:0:0:0:0:/old/path/userbouquet.old.tv\r\n',
  'bouquets.radio':
    '#NAME Bouquets (Radio)\n#SERVICE 1:7:2:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.r.radio" ORDER BY bouquet\n',
  'userbouquet.first.tv':
    '#NAME First\r\n#SERVICE 1:0:19:283D:3FB:1:C00000:0:0:0:\r\n#SERVICE 1:64:1:0:0:0:0:0:0:0::News\r\n#DESCRIPTION News\r\n' +
    '#SERVICE 1:0:19:2B66:3F3:1:C00000:0:0:0::Second\r\n#DESCRIPTION My ZDF\r\n' +
    '#SERVICE 1:512:19:283D:3FB:1:C00000:0:0:0:\r\n#SERVICE 1:832:D:0:0:0:0:0:0:0:\r\n#DESCRIPTION \r\n' +
    '#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "subbouquet.sub.tv" ORDER BY bouquet\r\n' +
    '#SERVICE 1:134:1:0:0:0:0:0:0:0:FROM BOUQUET "alternatives.a.tv" ORDER BY bouquet\r\n' +
    '#SERVICE 1:0:1:FFFF:1:1:C00000:0:0:0:\r\n' +
    '#SERVICE 4097:0:1:0:0:0:0:0:0:0:http%3a//host%3a80/a%2520b:IPTV One\r\n',
  'subbouquet.sub.tv': '#NAME Sub\r\n#SERVICE 1:0:1:11:4:85:FFFF0000:0:0:0:\r\n',
  'alternatives.a.tv':
    '#SERVICE 4097:0:1:0:0:0:0:0:0:0:http%3a//host/alt\r\n#SERVICE 1:0:19:2B66:3F3:1:C00000:0:0:0:\r\n' +
    '#SERVICE 1:0:19:283D:3FB:1:C00000:0:0:0:\r\n',
  'userbouquet.hidden.tv': '#NAME Hidden\r\n#SERVICE 1:0:1:11:4:85:FFFF0000:0:0:0:\r\n',
  'userbouquet.old.tv': '#NAME Old\r\n#SERVICE: 1:0:19:2B66:3F3:1:C00000:0:0:0:\r\n',
  'userbouquet.r.radio': '#NAME Radio\n#SERVICE 1:0:2:10:3F3:1:C00000:0:0:0:\n',
};

describe('lists', () => {
  it('lists the bouquets of a root in order, without hidden and missing ones', async () => {
    const services = await Services.load(folderWith(household));
    expect(services.bouquets('tv').map(({ name, startpos }) => [name, startpos])).toEqual([
      ['First', 0],
      ['Old', 9],
    ]);
    expect(services.bouquets('tv', { hidden: true }).map(({ name }) => name)).toEqual(['First', 'Hidden', 'Old']);
    expect(services.bouquets('tv')[1]?.reference.format()).toBe(
      '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.old.tv" ORDER BY bouquet',
    );
    expect(services.bouquets('radio').map(({ name }) => name)).toEqual(['Radio']);
    expect(services.problems).toEqual([
      { file: 'bouquets.tv', line: 4, text: 'the bouquet userbouquet.gone.tv does not exist' },
    ]);
  });

  it('names and numbers the entries of a bouquet', async () => {
    const services = await Services.load(folderWith(household));
    const list = services.list(root('userbouquet.first.tv'), { hidden: true });
    expect(list?.name).toBe('First');
    expect(list?.entries.map(({ name, provider, pos, number }) => [name, provider, pos, number])).toEqual(
      [
        ['Das Erste HD', 'ARD', 1, 1],
        ['News', '', 0, 0],
        ['My ZDF', 'ZDFvision', 2, 2],
        ['Das Erste HD', 'ARD', 0, 3],
        ['', '', 3, 4],
        ['Sub', '', 4, 0],
        ['ZDF HD', '', 5, 6],
        ['<n/a>', '', 6, 7],
        ['IPTV One', '', 7, 8],
      ].map((row) => (row[0] === 'ZDF HD' ? [expect.anything(), '', 5, 6] : row)),
    );
    expect(list?.entries[2]?.reference.format()).toBe('1:0:19:2B66:3F3:1:C00000:0:0:0::My ZDF');
    expect(services.list(root('userbouquet.first.tv'))?.entries.some((entry) => entry.reference.isHidden)).toBe(false);
    expect(list?.lastPos).toBe(7);
  });

  it('lists the services in bouquets first, each once, then the rest of the list', async () => {
    const services = await Services.load(folderWith(household));
    const names = () => listedServices(services).map(({ services: [first] }) => first?.name);
    // A nested bouquet comes before the next bouquet. Alternatives and services outside the list do not count.
    expect(names()).toEqual(['Das Erste HD', 'ZDF HD', 'Cable One', 'Radio One']);
    removeFirst(services, 'userbouquet.first.tv');
    expect(names()).toEqual(['ZDF HD', 'Cable One', 'Radio One', 'Das Erste HD']);
    const playable = new Set([...services.playableReferences()].map(({ identity }) => identity));
    expect([...playable]).toEqual([...new Set(services.allEntries().map(({ reference }) => reference.identity))]);
  });

  it('finds a service received from several positions: exactly, otherwise by its position, otherwise the first', async () => {
    const folder = folderWith({
      lamedb: `eDVB services /4/\ntransponders\nend\nservices\n${['00c00000', '00820000', '00c00001']
        .map((namespace) => `0001:${namespace}:0002:0003:1:0\nAt ${namespace}\np:\n`)
        .join('')}end\n`,
    });
    const services = await Services.load(folder);
    const nameAt = (namespace: string) => services.find(parse(`1:0:1:1:2:3:${namespace}:0:0:0:`))?.name;
    expect(nameAt('C00001')).toBe('At 00c00001');
    expect(nameAt('C00002')).toBe('At 00c00000');
    expect(nameAt('820001')).toBe('At 00820000');
    expect(nameAt('EEEE0000')).toBe('At 00c00000');
    expect(services.find(parse('1:0:1:1:2:4:C00000:0:0:0:'))).toBeUndefined();
    expect(services.all()).toHaveLength(3);
    expect(listedServices(services)).toHaveLength(1);
  });

  it.each([
    [
      'the file name decides, not the third field',
      '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "bouquets.radio" ORDER BY bouquet',
      'Bouquets (Radio)',
    ],
    ['two blanks', '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET  "userbouquet.first.tv" ORDER BY bouquet', 'First'],
    [
      'no blank before FROM',
      '1:7:2:0:0:0:0:0:0:0:(type == 2)FROM BOUQUET "bouquets.radio" ORDER BY bouquet',
      'Bouquets (Radio)',
    ],
    ['escaped quotes', '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET \\"bouquets.tv\\" ORDER BY bouquet', 'Bouquets (TV)'],
    ['a leading blank', '1:7:1:0:0:0:0:0:0:0: FROM BOUQUET "bouquets.tv" ORDER BY bouquet', 'Bouquets (TV)'],
    ['quotes as %22', '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET %22bouquets.tv%22 ORDER BY bouquet', 'Bouquets (TV)'],
    [
      'a type filter',
      '1:7:1:0:0:0:0:0:0:0:(type == 1) || (type == 17) || (type == 195) FROM BOUQUET "bouquets.tv" ORDER BY bouquet',
      'Bouquets (TV)',
    ],
  ])('accepts what clients send: %s', async (_, text, name) => {
    const services = await Services.load(folderWith(household));
    expect(services.list(services.resolve(text))?.name).toBe(name);
  });

  it.each([
    'FROM BOUQUET "../../etc/passwd" ORDER BY bouquet',
    'FROM BOUQUET "nowhere.tv"',
    'FROM NOWHERE',
    '(type == ',
    '(type == 1) (type == 2)',
    'x',
  ])('lists nothing for %s', async (text) => {
    const services = await Services.load(folderWith(household));
    expect(services.list(query(text))).toBeUndefined();
  });

  it('answers queries over the service list', async () => {
    const services = await Services.load(folderWith(household));
    const names = (text: string) => services.list(query(text))?.entries.map((entry) => entry.name);
    expect(names('(type == 1) || (type == 25) ORDER BY name')).toEqual(['Cable One', 'Das Erste HD', 'ZDF HD']);
    expect(names('(provider == "ZDFvision") && (type == 1) || (type == 2) ORDER BY name')).toEqual(['Cable One']);
    expect(names('(provider == "Unknown")')).toEqual(['Radio One']);
    expect(names('(satellitePosition == 192) && (type != 2) ORDER BY name')).toEqual(['Das Erste HD', 'ZDF HD']);
    expect(names('(flags == 64)')).toEqual(['Cable One']);
    expect(names('(channelID == 00C0000003FB0001)')).toEqual(['Das Erste HD']);
    expect(names('(name == "Radio One")')).toEqual(['Radio One']);
    expect(names('ORDER BY name')).toHaveLength(4);
  });

  it('omits services flagged as hidden in the list, unless requested', async () => {
    const services = await Services.load(folderWith({ ...household, lamedb: lamedb.replace('f:40', 'f:42') }));
    const all = query('ORDER BY name');
    expect(services.list(all)?.entries).toHaveLength(3);
    expect(services.list(all, { hidden: true })?.entries).toHaveLength(4);
  });

  it('lists providers and satellites as folders that can be entered', async () => {
    const services = await Services.load(folderWith(household));
    const providers = services.list(query('(type == 1) || (type == 25) FROM PROVIDERS ORDER BY name'));
    expect(providers?.entries.map((entry) => entry.name)).toEqual(['ARD', 'ZDFvision']);
    const inside = services.list(services.resolve(providers?.entries[1]?.reference.format() ?? ''));
    expect(inside?.entries.map((entry) => entry.name)).toEqual(['Cable One', 'ZDF HD']);
    const satellites = services.list(query('(type == 1) || (type == 25) FROM SATELLITES ORDER BY satellitePosition'));
    expect(satellites?.entries.map((entry) => entry.name)).toEqual([
      '19.2E - Services',
      '19.2E - Providers',
      'Cable - Services',
      'Cable - Providers',
      'Cable - New',
    ]);
    for (const { reference } of satellites?.entries ?? [])
      expect(services.list(reference)?.entries.length).toBeGreaterThan(0);
  });

  it('finds services by reference, name and multiplex', async () => {
    const services = await Services.load(folderWith(household));
    expect(services.nameOf(parse('1:0:19:283D:3FB:1:C00000:0:0:0:'))).toBe('Das Erste HD');
    expect(services.nameOf(parse('1:0:1:283D:3FB:1:C01234:0:0:0:'))).toBe('Das Erste HD');
    expect(services.nameOf(parse('1:0:1:283D:3FB:1:EEEE0000:0:0:0:'))).toBe('Das Erste HD');
    expect(services.nameOf(parse('1:0:1:1:2:3:4:0:0:0:'))).toBe('<n/a>');
    expect(services.nameOf(root('userbouquet.first.tv'))).toBe('First');
    expect(services.nameOf(parse('4097:0:1:0:0:0:0:0:0:0:http%3a//host%3a80/a%2520b:'))).toBe('IPTV One');
    expect(services.providerOf(parse('1:0:19:283D:3FB:1:C00000:0:0:0:'))).toBe('ARD');
    expect((await services.findByName('My ZDF'))?.serviceId).toBe(0x2b66);
    expect((await services.findByName('Radio One', { bouquetsOnly: true }))?.serviceId).toBe(0x10);
    expect(services.size).toBe(4);
  });

  it('finds the entry of a stream whose reference was decoded once, with or without a name after it', async () => {
    const entry = (path: string, name: string) =>
      `#SERVICE 4097:0:1:0:0:0:0:0:0:0:${path}:${name}\n#DESCRIPTION ${name}\n`;
    const services = await Services.load(
      folderWith({
        'bouquets.tv': '#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.a.tv" ORDER BY bouquet\n',
        'userbouquet.a.tv': [
          entry('http%3a//127.0.0.1%3a8090/live/three', 'Three'),
          entry('http%3a//127.0.0.1%3a8090/live/three%3aHD', 'Three HD'),
          entry('http%3a//127.0.0.1%3a8090/radio', 'Radio ONE'),
        ].join(''),
      }),
    );
    const found = (rest: string) => services.resolve(`4097:0:1:0:0:0:0:0:0:0:${rest}`);
    for (const rest of ['three:Three', 'three', 'three:', 'three:Anything else']) {
      const { path, name } = found(`http://127.0.0.1:8090/live/${rest}`);
      expect([rest, path, services.nameOf(found(`http://127.0.0.1:8090/live/${rest}`))]).toEqual([
        rest,
        'http://127.0.0.1:8090/live/three',
        name === '' ? 'Three' : name,
      ]);
    }
    expect(found('http://127.0.0.1:8090/live/three:HD:Three HD').name).toBe('Three HD');
    expect(found('http://127.0.0.1:8090/radio:Radio ONE').name).toBe('Radio ONE');
    expect(found('http%3A//127.0.0.1%3A8090/radio:Radio ONE').path).toBe('http://127.0.0.1:8090/radio');
    expect(found('http://127.0.0.1:8090/radioother').path).toBe('http://127.0.0.1:8090/radioother');
  });

  it('resolves references that were encoded once too often, but not streams', async () => {
    const services = await Services.load(folderWith(household));
    const resolve = (text: string) => services.resolve(text).format();
    expect(resolve('1%3A0%3A19%3A283D%3A3FB%3A1%3AC00000%3A0%3A0%3A0%3A')).toBe('1:0:19:283D:3FB:1:C00000:0:0:0:');
    const stream = '4097:0:1:0:0:0:0:0:0:0:http%3a//host%3a80/a%2520b:IPTV One';
    expect(resolve(stream)).toBe(stream);
    expect(resolve(encodeURIComponent(stream))).toBe(stream);
    expect(() => services.resolve('%zz')).toThrow(/not a service reference/);
  });

  it('plays the members of a group, tuners first', async () => {
    const services = await Services.load(folderWith(household));
    const group = parse('1:134:1:0:0:0:0:0:0:0:FROM BOUQUET "alternatives.a.tv" ORDER BY bouquet');
    expect(services.playable(group).map((one) => one.serviceId)).toEqual([0x2b66, 0x283d, 0]);
    expect(services.playable(parse('1:64:1:0:0:0:0:0:0:0::x'))).toEqual([]);
    const [one] = services.playable(parse('1:0:19:283D:3FB:1:C00000:0:0:0:'));
    expect(one?.serviceId).toBe(0x283d);
  });

  it('lists every playable entry once, and a nested bouquet after the one that contains it', async () => {
    const services = await Services.load(folderWith(household));
    expect(services.allBouquets('tv').map(({ name, entries }) => [name, entries.length])).toEqual([
      ['First', 6],
      ['Sub', 1],
      ['Old', 1],
    ]);
    expect(services.allEntries('radio').map((entry) => entry.name)).toEqual(['Radio One']);
    const all = services.allEntries().map((entry) => `${entry.reference.identity} ${entry.name}`);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('a long list', () => {
  const length = 2000;
  const id = (n: number) => (n + 1).toString(16);
  const numbers = Array.from({ length }, (_, n) => n);
  const records = numbers.map((n) => `${id(n).padStart(4, '0')}:00c00000:03fb:0001:1:0:0\nChannel ${n}\np:Many\n`);
  const entries = numbers.map((n) => `#SERVICE 1:0:1:${id(n)}:3FB:1:C00000:0:0:0:\n`);
  const files = {
    lamedb: `eDVB services /4/\ntransponders\nend\nservices\n${records.join('')}end\n`,
    'bouquets.tv':
      '#NAME Bouquets (TV)\n#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.many.tv" ORDER BY bouquet\n',
    'userbouquet.many.tv': `#NAME Many\n${entries.join('')}`,
  };

  const shuffled = `eDVB services /4/\ntransponders\nend\nservices\n${records.toReversed().join('')}end\n`;
  const many = root('userbouquet.many.tv');

  it('is read in time slices, with the same result as at once', async () => {
    const folder = folderWith(files);
    const [services, other, third] = [
      await Services.load(folder),
      await Services.load(folder),
      await Services.load(folder),
    ];
    let all: unknown;
    const allYields = await yieldsOf(async () => {
      all = await services.allBouquetsInSlices('tv');
    });
    expect(allYields).toBeGreaterThan(length);
    expect(all).toEqual(third.allBouquets('tv'));
    expect(all).toMatchObject([{ name: 'Many', entries: { length } }]);
    const distinct = await services.allEntriesInSlices();
    expect(distinct).toEqual(third.allEntries());
    expect(distinct).toHaveLength(length);
    let one: unknown;
    const oneYields = await yieldsOf(async () => {
      one = await other.listInSlices(many);
    });
    expect(oneYields).toBeGreaterThan(length / 2);
    expect(one).toEqual(third.list(many));
  });

  it.each([
    ['(type == 1) ORDER BY name', length, 'Channel 0', 'Channel 1', 'Channel 2'],
    ['(name != "Channel 1") ORDER BY satellitePosition', length - 1, 'Channel 1999', 'Channel 1998', 'Channel 1997'],
    ['FROM PROVIDERS ORDER BY name', 1, 'Many'],
    ['FROM SATELLITES ORDER BY satellitePosition', 2, '19.2E - Services', '19.2E - Providers'],
  ] as const)('is selected and sorted in turns: %s', async (path, count, ...names) => {
    const services = await Services.load(folderWith({ ...files, lamedb: shuffled }));
    await services.listInSlices(many);
    let list: ServiceList | undefined;
    const yields = await yieldsOf(async () => {
      list = await services.listInSlices(query(path));
    });
    expect(yields).toBeGreaterThan(length / 2);
    expect(list?.entries.map(({ name }) => name).slice(0, 3)).toEqual(names);
    expect(list?.entries).toHaveLength(count);
    expect(list).toEqual(services.list(query(path)));
  });

  it('that is edited in time slices answers with its previous state meanwhile, and the new one afterwards', async () => {
    const services = await Services.load(folderWith(files));
    const channel = '4097:0:1:FFF1:FFF2:FFF3:CCCC0000:0:0:0:http%3a//127.0.0.1/one.ts:New';
    const isListed = () => listedServices(services).some(({ dvb }) => dvb.serviceId === 0xfff1);
    let isEdited = false;
    const edited = services.change(({ bouquet }) => {
      bouquet('userbouquet.many.tv')?.append([ServiceReference.parse(channel)]);
      isEdited = true;
    });
    while (!isEdited) await Promise.resolve();
    expect(isListed()).toBe(false);
    await edited;
    expect(isListed()).toBe(true);
  });

  it('that changes during a call answers the next call with its new state', async () => {
    const services = await Services.load(folderWith(files));
    const before = services.allBouquetsInSlices('tv');
    removeFirst(services, 'userbouquet.many.tv');
    expect(services.allBouquets('tv')[0]?.entries).toHaveLength(length - 1);
    await before;
    expect((await services.allBouquetsInSlices('tv'))[0]?.entries).toHaveLength(length - 1);
  });
});

describe('odd folders', () => {
  it('accepts an empty or missing folder', async () => {
    for (const folder of [temporaryFolder(), '/nonexistent/enigma2']) {
      const services = await Services.load(folder);
      expect([services.size, services.bouquets('tv'), services.problems]).toEqual([0, [], []]);
      expect(services.list(services.root('tv'))?.entries).toEqual([]);
    }
  });

  it('reports a cycle, a path outside the folder and too deep a nesting once, and continues', async () => {
    const link = (file: string) => `#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "${file}" ORDER BY bouquet\n`;
    const deep = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`subbouquet.${i}.tv`, `#NAME ${i}\n${link(`subbouquet.${i + 1}.tv`)}`]),
    );
    const services = await Services.load(
      folderWith({
        'bouquets.tv': link('userbouquet.a.tv') + link('subbouquet.0.tv') + link('../x.tv'),
        'userbouquet.a.tv': link('userbouquet.b.tv') + link('userbouquet.b.tv'),
        'userbouquet.b.tv': link('userbouquet.a.tv'),
        ...deep,
      }),
    );
    expect([...new Set(services.problems.map(({ text }) => text.replace(/\d+/, 'N')))]).toEqual([
      'the bouquet userbouquet.a.tv contains itself',
      'the bouquet subbouquet.N.tv is nested more than 8 levels deep',
      'the bouquet "../x.tv" is outside the folder',
      'the bouquet subbouquet.N.tv does not exist',
    ]);
    expect(services.bouquets('tv').map(({ name }) => name)).toEqual(['userbouquet.a.tv', '0']);
  });

  it('reads and writes a bouquet in the referenced file, whatever its extension', async () => {
    const link = (file: string) => `#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "${file}" ORDER BY bouquet\n`;
    const stream = (name: string) => `#SERVICE 4097:0:1:1:1:1:CCCC0000:0:0:0:http%3a//tv.example/${name}:${name}\n`;
    const folder = folderWith({
      'bouquets.tv': link('e2m3u2b_team_kinö.iptv') + link('userbouquet.plain.tv'),
      'e2m3u2b_team_kinö.iptv': `#NAME Team\n${link('inner.list')}${stream('One')}`,
      'inner.list': `#NAME Inner\n${stream('Two')}`,
      'userbouquet.plain.tv': `#NAME Plain\n${stream('Three')}`,
      'unnamed.iptv': `#NAME Nobody's\n${stream('Four')}`,
    });
    const services = await Services.load(folder);
    expect(services.problems).toEqual([]);
    expect(services.bouquets('tv').map(({ name }) => name)).toEqual(['Team', 'Plain']);
    await services.change(({ bouquet }) => bouquet('inner.list')?.rename('Renamed'));
    expect(readFileSync(join(folder, 'inner.list'), 'utf8')).toContain('#NAME Renamed');
    expect(readFileSync(join(folder, 'unnamed.iptv'), 'utf8')).toContain("Nobody's");
  });

  it('shows unreferenced userbouquets first, last or not at all', async () => {
    const files = {
      ...household,
      'userbouquet.new.tv': '#NAME New\n',
      'userbouquet.LastScanned.tv': '#NAME Last Scanned\n',
    };
    const names = async (settings: string) => {
      const services = await Services.load(folderWith({ ...files, settings }));
      return services.bouquets('tv').map(({ name }) => name);
    };
    expect(await names('')).toEqual(['New', 'First', 'Old', 'Last Scanned']);
    expect(await names('config.misc.load_unlinked_userbouquets=2\n')).toEqual(['First', 'Old', 'Last Scanned', 'New']);
    expect(await names('config.misc.load_unlinked_userbouquets=0\n')).toEqual(['First', 'Old', 'Last Scanned']);
  });

  it('restarts the numbers in every bouquet if the settings say so', async () => {
    const settings = 'config.usage.alternative_number_mode=True\n';
    const services = await Services.load(folderWith({ ...household, settings }));
    const [entry] = services.list(root('userbouquet.old.tv'))?.entries ?? [];
    expect(entry?.number).toBe(1);
    const [inside] = services.list(root('subbouquet.sub.tv'))?.entries ?? [];
    expect(inside?.number).toBe(1);
  });

  it('has one continuous count over all bouquets for clients, whatever the settings', async () => {
    const settings = 'config.usage.alternative_number_mode=True\n';
    const [each, plain] = await Promise.all(
      [{ ...household, settings }, household].map((files) => Services.load(folderWith(files))),
    );
    const numbers = (services: Services | undefined) => ({
      startpos: services?.bouquets('tv').map(({ startpos }) => startpos),
      root: services?.list(root('bouquets.tv'))?.entries.map(({ startpos }) => startpos),
      all: services
        ?.allBouquets('tv', { hidden: true })
        .map(({ startpos, entries }) => [startpos, entries.map(({ running }) => running)]),
    });
    expect(numbers(each)).toEqual(numbers(plain));
    expect(numbers(each).startpos).toEqual([0, 9]);
    const entries = plain?.allEntries() ?? [];
    expect(entries.map(({ running }) => running)).toEqual(entries.map(({ number }) => number));
  });

  it('prefers lamedb5 if it is newer, otherwise the one that can be parsed', async () => {
    const five = 'eDVB services /5/\ns:0001:00c00000:0001:0001:1:0:0,"Five"\n';
    const both = folderWith({ lamedb, lamedb5: five });
    const now = Date.now() / 1000;
    utimesSync(join(both, 'lamedb'), now, now);
    utimesSync(join(both, 'lamedb5'), now - 100, now - 100);
    expect((await Services.load(both)).size).toBe(4);
    utimesSync(join(both, 'lamedb5'), now + 100, now + 100);
    expect((await Services.load(both)).size).toBe(1);
    const damaged = await Services.load(folderWith({ lamedb: 'rubbish', lamedb5: five }));
    expect(damaged.size).toBe(1);
    expect(damaged.problems).toMatchObject([{ file: 'lamedb', line: 0 }]);
  });

  it('reads the parental lists', async () => {
    const blacklist = '1:0:19:283D:3FB:1:C00000:0:0:0:\r\n-1:0:1:1:1:1:1:0:0:0:\r\nrubbish\r\n';
    const services = await Services.load(folderWith({ ...household, blacklist }));
    expect(services.parental.kind).toBe('blacklist');
    expect(services.parental.has(parse('1:0:19:283D:3FB:1:C00000:0:0:0::Name'))).toBe(true);
    expect(services.parental.references).toHaveLength(1);
    expect(services.problems).toContainEqual({
      file: 'blacklist',
      line: 3,
      text: 'not a service reference: "rubbish"',
    });
  });
});

describe('changing and saving', () => {
  it('writes nothing when nothing was changed', async () => {
    const folder = folderWith(household);
    const before = readdirSync(folder);
    expect(await (await Services.load(folder)).save()).toEqual([]);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('notifies of a change once, increases the generation and writes only the changed files', async () => {
    const folder = folderWith(household);
    const services = await Services.load(folder);
    const heard: number[] = [];
    services.onChange((generation) => heard.push(generation));
    const before = services.generation;
    services.edit(({ addBouquet }) => {
      addBouquet('Käse & Co', 'tv').append([parse('1:0:19:283D:3FB:1:C00000:0:0:0::Erstes')]);
    });
    expect(heard).toEqual([before + 1]);
    expect([...(await services.save())].sort()).toEqual(['bouquets.tv', 'userbouquet.k_se___co.tv']);
    expect(await services.save()).toEqual([]);
    expect(readFileSync(join(folder, 'userbouquet.k_se___co.tv'), 'utf8')).toBe(
      '#NAME Käse & Co\r\n#SERVICE 1:0:19:283D:3FB:1:C00000:0:0:0::Erstes\r\n#DESCRIPTION Erstes\r\n',
    );
    expect(readFileSync(join(folder, 'bouquets.tv'), 'utf8')).toBe(
      `${household['bouquets.tv']}#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.k_se___co.tv" ORDER BY bouquet\r\n`,
    );
    expect((await Services.load(folder)).bouquets('tv').map(({ name }) => name)).toEqual(['First', 'Old', 'Käse & Co']);
    expect(readdirSync(folder).filter((name) => name.endsWith('.writing'))).toEqual([]);
  });

  it('makes changes one after the other, and undoes only a failed one', async ({ skip }) => {
    const folder = folderWith(household);
    const services = await Services.load(folder);
    const first = await addBouquet(services, 'tv', 'A');
    const second = await addBouquet(services, 'tv', 'B');
    const onDisk = async () => (await Services.load(folder)).bouquets('tv').map(({ name }) => name);
    const before = await onDisk();
    if (irreplaceable(join(folder, first)) === undefined) skip(noMount);
    let seen = '';
    const changes = await Promise.allSettled([
      services.change(({ bouquet }) => bouquet(first)?.rename('refused')),
      services.change(({ bouquet }) => bouquet(second)?.rename('renamed')),
      services.reload('bouquets'),
      services.change(({ bouquet }) => {
        seen = readFileSync(join(folder, second), 'utf8');
        bouquet(second)?.rename('again');
      }),
      orderBouquets(services, 'tv', [second]),
    ]);
    expect(changes.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    const renamed = (name: string) => before.map((one) => (one === 'B' ? name : one));
    expect(seen).toContain('#NAME renamed');
    expect([...(await onDisk())].sort()).toEqual(renamed('again').sort());
    expect((await onDisk())[0]).toBe('again');
    expect(services.bouquets('tv').map(({ name }) => name)).toEqual(await onDisk());
  });

  it('keeps a bouquet that is added while others are being ordered', async () => {
    const services = await Services.load(folderWith(household));
    const [{ file } = { file: '' }] = services.bouquets('tv');
    await Promise.all([addBouquet(services, 'tv', 'A'), orderBouquets(services, 'tv', [file])]);
    expect(services.bouquets('tv').map(({ name }) => name)).toContain('A');
  });

  it('writes lamedb and lamedb5, and renames an unreadable file', async () => {
    const folder = folderWith({ lamedb: 'rubbish' });
    const services = await Services.load(folder);
    services.edit(({ lamedb: list }) =>
      list.putService({
        serviceId: 1,
        namespace: 0xeeee0000,
        transportStreamId: 2,
        originalNetworkId: 3,
        serviceType: 1,
        number: 0,
        sourceId: 0,
        name: 'One',
        provider: '',
        flags: 0,
        cache: [],
        caSystems: [],
        others: [],
      }),
    );
    expect(services.size).toBe(1);
    expect(await services.save()).toEqual(['lamedb', 'lamedb5']);
    expect(readFileSync(join(folder, 'lamedb.unreadable'), 'utf8')).toBe('rubbish');
    expect((await Services.load(folder)).size).toBe(1);
    expect(existsSync(join(folder, 'lamedb5'))).toBe(true);
  });

  it('treats a pipe as a missing file, reports it, and keeps it when it writes a new file', async () => {
    const folder = temporaryFolder();
    execFileSync(
      'mkfifo',
      ['lamedb', 'bouquets.tv', 'blacklist'].map((name) => join(folder, name)),
    );
    writeFileSync(join(folder, 'lamedb5'), '');
    truncateSync(join(folder, 'lamedb5'), 2 ** 40);
    const services = await Services.load(folder);
    expect([services.size, services.bouquets('tv')]).toEqual([0, []]);
    const about = (name: string, text: string) => ({ file: join(folder, name), line: 0, text });
    const refused = ['lamedb', 'bouquets.tv', 'blacklist'].map((name) => about(name, 'is not a regular file'));
    const all = [...refused, about('lamedb5', `is larger than ${64 * 2 ** 20} bytes`)];
    expect(services.missingFiles).toHaveLength(4);
    expect(services.problems).toEqual(expect.arrayContaining(all));
    services.edit(({ addBouquet }) => void addBouquet('New', 'tv'));
    await services.save();
    expect((await Services.load(folder)).bouquets('tv').map(({ name }) => name)).toEqual(['New']);
    expect(statSync(join(folder, 'bouquets.tv.damaged')).isFIFO()).toBe(true);
    expect(statSync(join(folder, 'lamedb')).isFIFO()).toBe(true);
  });

  it('rereads changes made by another program', async () => {
    const folder = folderWith(household);
    const services = await Services.load(folder);
    writeFileSync(join(folder, 'userbouquet.first.tv'), '#NAME Other\n');
    await services.reload('bouquets');
    expect(services.bouquets('tv')[0]?.name).toBe('Other');
  });
});

describe.skipIf(enigma2Folders.length === 0)('real folders', () => {
  it.each([
    ['three-tuners', 7262, 63, 21, []],
    ['satellite', 1673, 30, 11, []],
    ['cable', 526, 12, 2, ['bouquets.tv']],
    ['lamedb5', 4253, 6, 1, ['bouquets.tv']],
  ])('%s: %i services, %i and %i bouquets', async (folder, size, tv, radio, missing) => {
    const services = await Services.load(copyOf(folder));
    expect(services.size).toBe(size);
    expect(services.bouquets('tv')).toHaveLength(tv);
    expect(services.bouquets('radio')).toHaveLength(radio);
    expect(services.problems.map(({ file }) => file)).toEqual(missing);
    for (const kind of ['tv', 'radio'] as const) {
      for (const { entries } of services.allBouquets(kind))
        for (const { name, reference } of entries) {
          if (!reference.isMarker) expect(name).not.toBe('');
        }
    }
  });

  it.each(enigma2Folders)('%s survives a rewrite of every list', async (folder) => {
    const copy = copyOf(folder);
    const services = await Services.load(copy);
    const before = new Map(readdirSync(copy).map((name) => [name, readFileSync(join(copy, name))]));
    expect(await services.save()).toEqual([]);
    services.edit(({ lamedb: list, bouquet }) => {
      expect(list.format().equals(before.get(list.version === 5 ? 'lamedb5' : 'lamedb') as Buffer)).toBe(true);
      for (const [name, bytes] of before) {
        if (/\.(tv|radio)$/.test(name)) expect(bouquet(name)?.format().equals(bytes)).toBe(true);
      }
    });
    expect(await services.save()).toEqual([]);
  });

  it('reports the deliberately missing bouquet once', async () => {
    const services = await Services.load(copyOf('cable'));
    expect(services.problems).toEqual([
      { file: 'bouquets.tv', line: 11, text: 'the bouquet userbouquet.erotic.tv does not exist' },
    ]);
  });
});
