/** `receiverd services import`, on a folder without a receiver and through a running one. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tripletKey } from '../../src/dvb/triplet.ts';
import { readChannelList } from '../../src/iptv/channel-list.ts';
import { importChannels } from '../../src/iptv/import.ts';
import { channelPlaylist } from '../../src/m3u/playlist.ts';
import { channelMatcher } from '../../src/services/guide/channel-matcher.ts';
import { iptvKeys, iptvNamespace } from '../../src/services/iptv-key.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { Services } from '../../src/services/services.ts';
import { yieldsOf } from '../fixtures/yields.ts';
import {
  launchCommand,
  type Program,
  removeFolder,
  runProgram,
  startProgram,
  temporaryFolder,
} from '../receiver/program.ts';

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

/** Imports a list into a folder of its own, and returns the folder read again. */
async function imported(list: string, { name = 'My TV', into = freshFolder() } = {}) {
  const services = await Services.load(into);
  const { groups } = await importChannels(services, name, (await readChannelList([Buffer.from(list)])).channels);
  const read = await Services.load(into);
  expect(read.problems).toEqual([]);
  return { into, groups, services: read, entries: read.bouquetByName(name)?.reference };
}

let folders = 0;
function freshFolder(): string {
  return join(folder, `lists${folders++}`);
}

function entriesOf({ services }: { readonly services: Services }, name = 'My TV') {
  const bouquet = services.bouquetByName(name);
  return (bouquet && services.list(bouquet.reference)?.entries) ?? [];
}

/** The beginning of a transport stream that was cut in the middle of a packet. */
const packets = Buffer.concat(
  [100, ...Array(20).fill(188)].map((size, index) => {
    const bytes = Buffer.alloc(size, 0xff);
    if (index > 0) bytes.writeUInt32BE(0x471fff10);
    return bytes;
  }),
);

const list = `#EXTM3U
#EXTINF:-1 tvg-id="one.tv" group-title="News",One
http://host:8080/u/p/1.ts?token=a|User-Agent=A%2F1&Referer=http%3A//r
#EXTINF:-1 tvg-id="fm.tv" radio="true" group-title="Radio",FM • 1
http://host/fm
#EXTINF:-1 tvg-id="ONE.tv" group-title="News",One SD
http://host/1sd.ts
#EXTINF:-1 tvg-name="The_Second",Two
udp://@239.1.1.1:1234
`;

describe('the bouquet', () => {
  test('has a channel under its numbers when its address was another, and under its name if others share them', async () => {
    const { services } = await imported(list);
    const known = entriesOf({ services }).map(({ reference }) => reference);
    const older = (name: string, as = name) => {
      const { type, fields } = known.find((one) => one.name === name) as ServiceReference;
      return services.listedStream(ServiceReference.of({ type, fields, path: 'http://old/address', name: as }))?.name;
    };
    expect([older('One'), older('One SD'), older('Two')]).toEqual(['One', 'One SD', 'Two']);
    expect([older('One', ''), older('One', 'One 4K'), older('Two', 'Renamed')]).toEqual(['One', undefined, 'Two']);
    const other = ServiceReference.parse('4097:0:1:0:0:0:0:0:0:0:http%3a//old/address:One');
    expect(services.listedStream(other)).toBeUndefined();
  });

  test('has a marker for each group, and after it its channels', async () => {
    const made = await imported(list);
    expect(made.groups).toBe(2);
    expect(entriesOf(made).map(({ name, number }) => `${number} ${name}`)).toEqual([
      '1 Two',
      '0 News',
      '2 One',
      '3 One SD',
      '0 Radio',
      '4 FM · 1',
    ]);
    const [two, , one, sd, , radio] = entriesOf(made).map(({ reference }) => reference);
    expect(one?.path).toBe('http://host:8080/u/p/1.ts?token=a#User-Agent=A%2F1&Referer=http%3A%2F%2Fr');
    expect(two?.url).toBe('udp://@239.1.1.1:1234');
    expect([two, one, radio].map((reference) => [reference?.isRadio, reference?.type])).toEqual([
      [false, 4097],
      [false, 4097],
      [true, 4097],
    ]);
    expect(one?.dvb).toEqual(sd?.dvb);
    const same = one?.dvb && made.services.ofTriplet(one.dvb)?.services;
    expect(same?.map(({ name }) => name)).toEqual(['One', 'One SD']);
    expect(sd && made.services.find(sd)?.name).toBe('One SD');
    expect(made.services.all()).toEqual([]);
    expect(one?.dvb?.originalNetworkId).toBeGreaterThanOrEqual(0xff00);
  });

  test('of many channels is written in time slices, between which services are found as before', async () => {
    const count = 300;
    const many = Array.from(
      { length: count },
      (_, n) => `#EXTINF:-1 tvg-id="${n}.tv",Channel ${n}\nudp://@239.1.1.1:${n}`,
    );
    const services = await Services.load(freshFolder());
    const channel = ServiceReference.service(1, iptvKeys({ id: '7.tv' })[0], iptvNamespace);
    const found: (string | undefined)[] = [];
    services.onChange(() => found.push(services.find(channel)?.name));
    const yields = await yieldsOf(async () => {
      const { channels } = await readChannelList([Buffer.from(many.join('\n'))]);
      await importChannels(services, 'Many', channels);
    });
    expect(yields).toBeGreaterThan(3 * count);
    expect(found).toEqual([undefined]);
    expect(services.find(channel)?.name).toBe('Channel 7');
  });

  test('keeps its position and the keys of its channels when it is imported again', async () => {
    const first = await imported(list);
    await imported(list, { into: first.into, name: 'Other' });
    const again = await imported(list.replaceAll('token=a', 'token=b').replaceAll(',One\n', ',One new\n'), first);
    expect(again.services.bouquets('tv').map(({ name }) => name)).toEqual(['My TV', 'Other']);
    const keys = (made: typeof first) => entriesOf(made).map(({ reference }) => reference.dvb);
    expect(keys(again)).toEqual(keys(first));
    expect(entriesOf(again)[2]).toMatchObject({
      name: 'One new',
      reference: { path: expect.stringContaining('token=b') },
    });
    const before = readFileSync(join(first.into, 'userbouquet.iptv_my_tv.tv'));
    await imported(list.replaceAll('token=a', 'token=b').replaceAll(',One\n', ',One new\n'), first);
    expect(readFileSync(join(first.into, 'userbouquet.iptv_my_tv.tv'))).toEqual(before);
  });

  test('leaves other bouquets of the same name and of similar file names alone', async () => {
    const into = freshFolder();
    mkdirSync(into);
    const own = '#NAME Канал\n#SERVICE 1:0:19:283D:3FB:1:C00000:0:0:0:\n';
    writeFileSync(join(into, 'userbouquet.own.tv'), own);
    writeFileSync(join(into, 'bouquets.tv'), `#NAME TV\n#SERVICE ${ServiceReference.bouquet('userbouquet.own.tv')}\n`);
    await imported(list, { into, name: 'Канал' });
    await imported(list, { into, name: 'Novas' });
    await imported(list, { into, name: 'Новая' });
    expect(readFileSync(join(into, 'userbouquet.own.tv'), 'utf8')).toBe(own);
    expect(readdirSync(into).sort()).toEqual([
      'bouquets.tv',
      'userbouquet.iptv______.tv',
      'userbouquet.iptv______2.tv',
      'userbouquet.iptv_novas.tv',
      'userbouquet.own.tv',
    ]);
  });

  test('of the list of a receiver keeps its numbers, service types and header fields', async () => {
    const references = [
      '1:0:19:2B66:3F3:1:C00000:0:0:0:',
      '1:0:2:2B68:3F3:1:C00000:0:0:0:',
      '4097:0:2:1234:5678:FF01:CCCC0000:0:0:0:http%3a//host/fm#User-Agent=A%252F1&!Cookie=a',
      '5001:0:1:0:0:0:0:0:0:0:udp%3a//@239.1.1.1%3a1234',
    ];
    const origin = { streams: 'http://box:8001', web: 'http://box' };
    const channels = references.map((reference, n) => ({ reference, name: `Channel ${n}`, group: 'All of it' }));
    const made = await imported((await channelPlaylist(channels, origin)).toString());
    const [, ...entries] = entriesOf(made);
    expect(entries.map(({ reference }) => reference.withoutName().format())).toEqual([
      '4097:0:19:2B66:3F3:1:C00000:0:0:0:http%3a//box%3a8001/1%3a0%3a19%3a2B66%3a3F3%3a1%3aC00000%3a0%3a0%3a0%3a',
      '4097:0:2:2B68:3F3:1:C00000:0:0:0:http%3a//box%3a8001/1%3a0%3a2%3a2B68%3a3F3%3a1%3aC00000%3a0%3a0%3a0%3a',
      references[2],
      expect.stringMatching(/^4097:0:1:[^:]+:[^:]+:FF[^:]+:CCCC0000:0:0:0:udp%3a\/\/@239.1.1.1%3a1234$/),
    ]);
    expect(entries.map(({ reference }) => reference.isRadio)).toEqual([false, true, true, false]);
    // The last one has no numbers, so it has the guide of its name.
    const guide = await channelMatcher(made.services)([
      { id: '1:0:19:2B66:3F3:1:C00000:0:0:0:', names: ['Uno'] },
      { id: 'x', names: ['Channel 3'] },
    ]);
    expect(guide).toEqual([[entries[0]?.reference.dvb], [entries[3]?.reference.dvb]]);
  });

  test('that would be too large to be read again is refused and not written', async () => {
    // A colon takes three characters in a reference.
    const long = `#EXTINF:-1,One\nhttp://host/${':'.repeat(60_000)}\n`.repeat(400);
    const into = freshFolder();
    await expect(imported(long, { into })).rejects.toThrow('is larger than');
    expect(() => readdirSync(into)).toThrow();
  });
});

describe('the guide', () => {
  async function linked(list: string, ...channels: readonly [id: string, ...names: string[]][]) {
    const made = await imported(list);
    const named = new Map<number, string[]>();
    for (const { reference, name } of entriesOf(made)) {
      if (!reference.dvb) continue;
      const key = tripletKey(reference.dvb);
      named.set(key, [...(named.get(key) ?? []), name]);
    }
    const found = await channelMatcher(made.services)(channels.map(([id, ...names]) => ({ id, names })));
    return found.map((all) => all.flatMap((dvb) => named.get(tripletKey(dvb)) ?? ['?']));
  }

  test('finds channels by tvg-id, then by tvg-name, then by name', async () => {
    expect(await linked(list, ['One.TV', 'Uno'], ['x', 'The Second'], ['y', 'fm 1'], ['z', 'Three'])).toEqual([
      ['One', 'One SD'],
      ['Two'],
      ['FM · 1'],
      [],
    ]);
  });

  test('links nothing by name that it links by id', async () => {
    expect(await linked(list, ['regional', 'One', 'Two'], ['one.tv', 'One'], ['x', 'The Second'])).toEqual([
      [],
      ['One', 'One SD'],
      ['Two'],
    ]);
    expect(await linked(list, ['regional', 'One', 'Two'])).toEqual([['One', 'One SD', 'Two']]);
  });

  test('distinguishes channels whose ids have the same hash', async () => {
    const [a, b] = ['c27173.example', 'c126305.example'];
    const both = `#EXTINF:-1 tvg-id="${a}",A\nhttp://h/a\n#EXTINF:-1 tvg-id="${b}",B\nhttp://h/b\n`;
    expect(await linked(both, [a as string], [b as string])).toEqual([['A'], ['B']]);
    const first = (text: string) => imported(text).then((made) => entriesOf(made)[0]?.reference.dvb);
    const [alone, other] = [both.slice(0, both.indexOf('#EXTINF', 1)), both.slice(both.indexOf('#EXTINF', 1))];
    expect(await first(alone)).toEqual(await first(other));
  });
});

const nextHour = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000).toISOString();
const start = `${nextHour.slice(0, 19).replace(/[-:T]/g, '')} +0000`;
const document = (title: string) =>
  `<tv><channel id="one.tv"><display-name>Uno</display-name></channel><programme channel="one.tv" start="${start}"><title>${title}</title></programme></tv>`;

interface BouquetRow {
  readonly servicename: string;
  readonly subservices: readonly { readonly servicename: string }[];
}

describe('the command', () => {
  const data = temporaryFolder();
  const file = join(data, 'Provider.m3u');
  const guide = join(data, 'guide.xml');
  let program: Program | undefined;
  let web: Server;
  let address = '';

  const command = (...words: readonly string[]) => runProgram(...words, '--data-dir', data);

  beforeAll(async () => {
    writeFileSync(file, `${list.replace('#EXTM3U', '#EXTM3U url-tvg="http://h/it\'s.xml"')}rtmp://host/x\n`);
    web = createServer((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/guide.xml.gz' }).end();
      else if (/m3u/.test(request.url ?? '')) response.end(list);
      else if (request.url === '/guide.xml.gz') response.end(gzipSync(document('Harbour web')));
      else response.writeHead(302, { location: 'around' }).end();
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await program?.stop();
    web.close();
    removeFolder(data);
  });

  const place = () =>
    program === undefined
      ? `data folder ${data}, on which no receiver runs`
      : `the receiver at ${program.http}/, data folder ${data}`;

  function commands(title: string): void {
    test('imports a list and its guide', async () => {
      writeFileSync(guide, document(title));
      expect(await command('services', 'import', file, '--guide', guide)).toMatchObject({
        stderr: '',
        stdout: [
          'channels imported into Provider: 4; groups: 2; radio: 1',
          `lists: ${join(data, 'enigma2')}, of ${place()}`,
          'skipped: 1',
          '  line 10: rtmp is not supported',
          'programmes imported: 1 of 1; channels: 1',
          `guide: ${place()}`,
          '',
        ].join('\n'),
        code: 0,
      });
      const { stdout } = await command('epg', 'search', title);
      expect(stdout).toMatch(new RegExp(`One  +${title}`));
    });

    test.each([
      ['/get.php?username=me&password=a.secret.word&type=m3u_plus', '127.0.0.1'],
      ['/lists/My%20list.m3u?token=a.b', 'My list'],
    ])('names the bouquet after an address without its passwords: %s', async (path, name) => {
      const { stdout, stderr } = await command('services', 'import', address + path);
      expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringContaining(`into ${name}: 4;`), stderr: '' });
    });

    test('names the guide files of the list', async () => {
      const { stdout } = await command('services', 'import', file);
      expect(stdout).toContain(`its guide: receiverd epg import 'http://h/it%27s.xml' --data-dir ${data}\n`);
    });

    test('reads standard input, and guide files of the web', async () => {
      const words = ['services', 'import', '-', '--name', ' My\n TV ', '--guide', `${address}/moved`];
      const { child, ended } = launchCommand(...words, '--data-dir', data);
      child.stdin?.end(list);
      const { stdout, stderr, code } = await ended;
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
      expect(stdout).toContain('imported into My TV: 4;');
      expect((await command('epg', 'search', 'harbour web')).stdout).toContain('Harbour web');
    });

    test.each([
      ['http://127.0.0.1:1/x', 'receiverd: 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n'],
      ['/around', 'responds with status 302\n'],
    ])('says why a guide file of the web cannot be had: %s', async (path, problem) => {
      const url = path.startsWith('/') ? address + path : path;
      const { stderr, code } = await command('services', 'import', file, '--guide', url);
      expect(code).toBe(1);
      expect(stderr).toContain(problem);
    });

    test('a list without channels changes nothing', async () => {
      const empty = join(data, 'empty.m3u');
      writeFileSync(empty, '#EXTM3U\n');
      expect(await command('services', 'import', empty, '--name', 'Provider')).toMatchObject({
        stderr: `receiverd: ${empty} has no channel that can be received; nothing was changed\n`,
        code: 1,
      });
      expect(readFileSync(join(data, 'enigma2', 'userbouquet.iptv_provider.tv'), 'utf8')).toContain('One SD');
    });

    test.each([
      [
        'services',
        document('Film'),
        /a guide file \(XMLTV or epg\.dat\), not an IPTV channel list .*`receiverd epg import FILE --data-dir \/[^`]+`/,
      ],
      [
        'services',
        gzipSync(document('Film')),
        /a compressed file, not .*`receiverd epg import FILE --data-dir \/[^`]+`/,
      ],
      ['services', packets, /a transport stream, not .*`receiverd start --tuner file:FILE --data-dir \/[^`]+`/],
      ['services', '<html>Account expired</html>', /a web page \(HTML\), not .*open its address in a browser/],
      [
        'epg',
        list,
        /an IPTV channel list \(M3U\), not a guide file .*`receiverd services import FILE( --data-dir \/[^`]+)?`/,
      ],
      [
        'epg',
        gzipSync(list),
        /an IPTV channel list \(M3U\), not a guide file .*`receiverd services import FILE( --data-dir \/[^`]+)?`/,
      ],
      ['epg', packets, /a transport stream, not .*`receiverd scan --tuner file:FILE( --data-dir \/[^`]+)?`/],
      ['epg', '<!DOCTYPE html>\n<html>', /a web page \(HTML\), not .*open its address in a browser/],
    ])('%s import names the command for another kind of file: %#', async (subject, content, message) => {
      const other = join(data, 'other');
      writeFileSync(other, content);
      const { stdout, stderr, code } = await command(
        subject,
        'import',
        other,
        ...(subject === 'epg' ? [] : ['--name', 'Provider']),
      );
      expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
      expect(stderr).toMatch(message);
      expect(readFileSync(join(data, 'enigma2', 'userbouquet.iptv_provider.tv'), 'utf8')).toContain('One SD');
    });
  }

  describe('without a receiver', () => commands('Harbour lights'));

  describe('while a receiver runs', () => {
    beforeAll(async () => {
      program = await startProgram(data, '--tuner', 'demo');
    });
    commands('Harbour fish');

    test('goes into the Enigma2 folder that the receiver was started with', async () => {
      const own = temporaryFolder();
      const elsewhere = join(own, 'elsewhere');
      const other = await startProgram(own, '--tuner', 'none', '--enigma2-dir', elsewhere);
      try {
        const { stdout } = await runProgram('services', 'import', file, '--data-dir', own);
        expect(stdout).toContain(`lists: ${elsewhere}, of the receiver at ${other.http}/, data folder ${own}\n`);
        expect(readdirSync(elsewhere)).toContain('userbouquet.iptv_provider.tv');
      } finally {
        await other.stop();
        removeFolder(own);
      }
    });

    test.each([
      ['api/epgimport', list, 'an IPTV channel list (M3U), not a guide file'],
      ['api/epgimport', packets, 'a transport stream, not a guide file'],
      [
        'bouquets/import?name=Provider',
        document('Film'),
        'a guide file (XMLTV or epg.dat), not an IPTV channel list (M3U)',
      ],
      ['bouquets/import?name=Provider', packets, 'a transport stream, not an IPTV channel list (M3U)'],
    ])('POST /%s names the right path for another kind of file: %#', async (path, body, message) => {
      const reply = await fetch(`${(program as Program).http}/${path}`, { method: 'POST', body });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({ error: 'wrong-file', message: expect.stringContaining(message) });
    });

    test('the receiver shows the new channels at once', async () => {
      writeFileSync(file, list.replaceAll('One SD', 'One HD'));
      await command('services', 'import', file);
      const { services } = await (program as Program).json<{ services: readonly BouquetRow[] }>('/api/getallservices');
      const bouquet = services.find(({ servicename }) => servicename === 'Provider');
      expect(bouquet?.subservices.map(({ servicename }) => servicename)).toContain('One HD');
    });
  });
});
