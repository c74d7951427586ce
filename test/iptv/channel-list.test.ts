/** Channel lists (M3U) in the dialects that providers use. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ReceiverError } from '../../src/base/errors.ts';
import { type ListedChannel, maxListBytes, readChannelList } from '../../src/iptv/channel-list.ts';

const read = (...lines: readonly string[]) => readChannelList([Buffer.from(lines.join('\n'))]);

/** Reads a list with one channel, and returns it. */
async function channelOf(...lines: readonly string[]): Promise<ListedChannel> {
  const { channels } = await read(...lines);
  expect(channels).toHaveLength(1);
  return channels[0] as ListedChannel;
}

const url = 'http://host/1.ts';
const bare: ListedChannel = {
  name: '1.ts',
  id: '',
  reference: undefined,
  guideName: '1.ts',
  group: '',
  isRadio: false,
  url,
  userAgent: '',
  referer: '',
  logo: '',
};
const one = { ...bare, name: 'One', guideName: 'One' };

describe('dialects', () => {
  it.each<[what: string, lines: readonly string[], expected: ListedChannel]>([
    ['addresses alone', [url], bare],
    ['without a header', ['#EXTINF:-1,One', url], one],
    ['a duration of 0, lower case', ['#extm3u', '#extinf:0,One', url], one],
    ['byte order mark, CRLF, blank lines', ['\ufeff#EXTM3U\r', '\r', '#EXTINF:-1,One\r', ' \r', `  ${url} \r`], one],
    [
      'attributes',
      [
        '#EXTINF:-1 tvg-id="one.tv" tvg-name="O_N_E" tvg-logo="http://h/1.png" tvg-chno="7" group-title="News, new" radio="TRUE",One',
        url,
      ],
      { ...one, id: 'one.tv', guideName: 'O_N_E', group: 'News, new', isRadio: true, logo: 'http://h/1.png' },
    ],
    [
      'a logo with letters that addresses do not have',
      ['#EXTINF:-1 tvg-logo="HTTPS://h/ö 1.png",One', url],
      { ...one, logo: 'https://h/%C3%B6%201.png' },
    ],
    ...[
      'logos/1.png',
      'data:image/png;base64,AAAA',
      'file:///etc/passwd',
      'http://',
      `http://h/${'x'.repeat(300)}`,
    ].map((logo): [string, readonly string[], ListedChannel] => [
      `the logo ${logo.slice(0, 20)}, which is no web address`,
      [`#EXTINF:-1 tvg-logo="${logo}",One`, url],
      one,
    ]),
    ['attributes without a logo', ['#EXTINF:-1 tvg-id="one.tv",One', url], { ...one, id: 'one.tv' }],
    [
      'attributes without quotation marks, in capitals',
      ['#EXTINF:-1 TVG-ID=one.tv group-title=News radio=true,One', url],
      { ...one, id: 'one.tv', group: 'News', isRadio: true },
    ],
    ['empty attributes', ['#EXTINF:-1 tvg-id="" tvg-name="" group-title="",One', url], one],
    [
      'a comma and marks in the name',
      ['#EXTINF:-1 tvg-id="a,b",One, "two"', url],
      { ...one, id: 'a,b', name: 'One, "two"', guideName: 'One, "two"' },
    ],
    [
      'quotation marks that do not pair up',
      ['#EXTINF:-1 tvg-id="a" tvg-name="5" TV",One', url],
      { ...one, id: 'a', guideName: '5' },
    ],
    [
      'names that are too long',
      [
        `#EXTINF:-1 tvg-name="${'n'.repeat(10_000)}" group-title="${'g'.repeat(10_000)}",x${'\u{1f4fa}'.repeat(10_000)}`,
        url,
      ],
      {
        ...one,
        name: `x${'\u{1f4fa}'.repeat(127)}`,
        guideName: 'n'.repeat(255),
        group: 'g'.repeat(255),
      },
    ],
    [
      'a comma behind the duration, too',
      ['#EXTINF:-1, tvg-id="one.tv",group-title="News, new" tvg-name=\'O\',One, two="2"', url],
      { ...one, id: 'one.tv', group: 'News, new', guideName: 'O', name: 'One, two="2"' },
    ],
    [
      'marks that do not pair up before an attribute',
      ['#EXTINF:-1 tvg-name="One,a="b"', url],
      { ...one, name: 'One,a=', guideName: 'One,a=' },
    ],
    ['that comma and no name', ['#EXTINF:-1, tvg-name="One"', url], one],
    ['no comma', ['#EXTINF:-1 tvg-name="One"', url], one],
    ['no name but an id', ['#EXTINF:-1 tvg-id="One",', url], { ...one, id: 'One' }],
    ['several groups', ['#EXTINF:-1 group-title="; News;HD",One', url], { ...one, group: 'News' }],
    ['a group on a line', ['#EXTINF:-1,One', '#EXTGRP:News', url], { ...one, group: 'News' }],
    ['group-title before EXTGRP', ['#EXTINF:-1 group-title="HD",One', '#EXTGRP:News', url], { ...one, group: 'HD' }],
    [
      'options for VLC',
      [
        '#EXTINF:-1,One',
        '#EXTVLCOPT:http-user-agent=A/1 (b=c)',
        '#EXTVLCOPT:http-referrer=http://r/',
        '#EXTVLCOPT:network-caching=9',
        url,
      ],
      { ...one, userAgent: 'A/1 (b=c)', referer: 'http://r/' },
    ],
    [
      'options with blanks',
      ['#EXTINF:-1,One', '#EXTVLCOPT: http-user-agent = A / 1', '#EXTVLCOPT:http-referrer= r', url],
      { ...one, userAgent: 'A / 1', referer: 'r' },
    ],
    ['options before the entry', ['#EXTVLCOPT:http-user-agent=A', '#EXTINF:-1,One', url], { ...one, userAgent: 'A' }],
    [
      'an attribute for the header',
      ['#EXTINF:-1 user-agent="A B" referrer="r",One', url],
      { ...one, userAgent: 'A B', referer: 'r' },
    ],
    [
      'header fields of Kodi, the strongest',
      [
        '#EXTINF:-1 user-agent="A",One',
        '#EXTVLCOPT:http-referrer=B',
        `${url}|User-Agent=C%20d&!X-Key=1&Referer=100%&seekable=0`,
      ],
      { ...one, userAgent: 'C d', referer: '100%' },
    ],
    [
      'single quotation marks, and an apostrophe',
      ["#EXTINF:-1 tvg-id='two.tv' tvg-name=Kid's group-title='News, World',It's One, two", url],
      { ...one, id: 'two.tv', guideName: "Kid's", group: 'News, World', name: "It's One, two" },
    ],
    [
      'blanks around the equals sign',
      ['#EXTINF:-1 tvg-id = "three.tv" tvg-logo= tvg-name=  "Three" group-title ="Kids, small",One', url],
      { ...one, id: 'three.tv', guideName: 'Three', group: 'Kids, small' },
    ],
    [
      'header fields of inputstream.adaptive',
      [
        '#EXTINF:-1,One',
        '#KODIPROP:inputstream=inputstream.adaptive',
        '#KODIPROP:inputstream.adaptive.stream_headers=User-Agent=Mozilla%2F5.0%20%28X11%29&Referer=https%3A%2F%2Fr%2F',
        '#KODIPROP:inputstream.adaptive.license_key=https://l/|User-Agent=No|',
        url,
      ],
      { ...one, userAgent: 'Mozilla/5.0 (X11)', referer: 'https://r/' },
    ],
    [
      'header fields in JSON',
      ['#EXTINF:-1,One', '#EXTHTTP:{"User-Agent":"A\\nB","referer":"r","cookie":1}', '#EXTHTTP:{', '#EXTHTTP:[1]', url],
      { ...one, userAgent: 'A B', referer: 'r' },
    ],
    ['a fragment', ['#EXTINF:-1,One', `${url}#x|y=z`], one],
    ['unknown directives', ['#EXTINF:-1,One', '#KODIPROP:a=b', '#EXT-X-PLAYLIST-TYPE:VOD', '# note', url], one],
    ['control characters', ['#EXTINF:-1,\x1b[31mOne\0', url], { ...one, name: '[31mOne', guideName: '[31mOne' }],
  ])('%s', async (_, lines, expected) => {
    expect(await channelOf(...lines)).toEqual(expected);
  });

  test.each(['udp://@239.1.1.1:1234', 'rtp://10.0.0.1@232.1.1.1:5000', 'rtp://@[ff3e::1]:5000', 'HTTPS://h/a b'])(
    'the address %s',
    async (address) => {
      expect(await channelOf(address)).toMatchObject({ url: address });
    },
  );

  test('the name of an entry without one contains no part of the address that may be a password', async () => {
    expect((await channelOf('http://u:p@host/live/user/pass/7.ts?token=1')).name).toBe('7.ts');
    expect((await channelOf('udp://@239.1.1.1:1234')).name).toBe('239.1.1.1:1234');
    expect((await channelOf('http://host/%20')).name).toBe('host');
    expect((await channelOf('http://host/%20One%20')).name).toBe('One');
  });

  test('the result does not depend on the pieces in which the list arrives', async () => {
    const list = Buffer.from(`#EXTM3U\r\n#EXTINF:-1,Télé\n${url}\n#${'x'.repeat(70_000)}\nudp://@239.1.1.1:1234`);
    const whole = await readChannelList([list]);
    expect(whole.channels.map(({ name }) => name)).toEqual(['Télé', '239.1.1.1:1234']);
    expect(whole.skipped).toMatchObject({ count: 1, first: [{ line: 4, why: 'the line is too long' }] });
    for (const size of [1, 2, 7, 65_536]) {
      const pieces = Array.from({ length: Math.ceil(list.length / size) }, (_, n) =>
        list.subarray(n * size, (n + 1) * size),
      );
      const { channels, skipped } = await readChannelList(pieces);
      expect({ channels, skipped }).toEqual({ channels: whole.channels, skipped: whole.skipped });
    }
  });

  test('lines that end with a carriage return alone, also mixed with others', async () => {
    const list = Buffer.from(`#EXTM3U\r#EXTINF:-1,One\r${url}\r\r\n#EXTINF:-1,Two\r\n\r\n${url}\nx:y\r`.repeat(2000));
    for (const size of [1, 64, list.length]) {
      const pieces = Array.from({ length: Math.ceil(list.length / size) }, (_, n) =>
        list.subarray(n * size, (n + 1) * size),
      );
      const { channels, skipped } = await readChannelList(pieces);
      expect(channels.map(({ name }) => name)).toEqual(Array(2000).fill(['One', 'Two']).flat());
      expect(skipped.first.map(({ line }) => line).slice(0, 2)).toEqual([8, 16]);
    }
  });

  test('each line in UTF-8 or Latin-1', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`#EXTINF:-1,Télé\n${url}\n`, 'latin1'),
      Buffer.from(`#EXTINF:-1,Канал é\n${url}\n`),
    ]);
    expect((await readChannelList([bytes])).channels.map(({ name }) => name)).toEqual(['Télé', 'Канал é']);
  });

  test('a group outside an entry applies to all entries that follow', async () => {
    const { channels } = await read(
      '#EXTGRP:A',
      '#EXTINF:-1,1',
      url,
      '#EXTINF:-1 group-title="B",2',
      url,
      url,
      '#EXTGRP:',
      url,
    );
    expect(channels.map(({ group }) => group)).toEqual(['A', 'B', 'A', '']);
  });

  test('options apply to one entry', async () => {
    const { channels } = await read('#EXTINF:-1,1', '#EXTVLCOPT:http-user-agent=A', '#EXTINF:-1,2', url, url);
    expect(channels.map(({ userAgent }) => userAgent)).toEqual(['', '']);
  });
});

test('guide files of the header, and time shifts', async () => {
  const list = await read(
    '#EXTM3U url-tvg="http://h/a.xml, https://h/b.xml.gz,file:///etc/passwd" x-tvg-url=http://h/a.xml',
  );
  expect(list).toMatchObject({ guides: ['http://h/a.xml', 'https://h/b.xml.gz'], hasShifts: false });
  expect((await read('#EXTM3U tvg-shift="-1.5"')).hasShifts).toBe(true);
  expect((await read('#EXTINF:-1 tvg-shift="0",One', url)).hasShifts).toBe(false);
  expect((await read('#EXTINF:-1 tvg-shift=2,One', url)).hasShifts).toBe(true);
});

test('entries that cannot be received are counted and reported, without their address', async () => {
  const { channels, skipped } = await read(
    '#EXTINF:-1,Film',
    'rtmp://host/secret',
    'file:///etc/passwd',
    '/media/film.ts',
    'http://',
    'http:host',
    `http://${'x'.repeat(70_000)}`,
    url,
  );
  expect(channels).toHaveLength(1);
  expect(skipped).toEqual({
    count: 6,
    first: [
      { line: 2, name: 'Film', why: 'rtmp is not supported' },
      { line: 3, name: '', why: 'file is not supported' },
      { line: 4, name: '', why: 'no address' },
      { line: 5, name: '', why: 'the address is malformed' },
      { line: 6, name: '', why: 'the address is malformed' },
      { line: 7, name: '', why: 'the line is too long' },
    ],
  });
  expect((await read(...Array<string>(1000).fill('x'))).skipped).toMatchObject({ count: 1000, first: { length: 10 } });
});

test('the list of a SAT>IP server names the tuner that receives it', async () => {
  const { skipped } = await read('#EXTINF:0,Das Erste', 'rtsp://192.0.2.1:554/?avm=1&freq=338&pids=0,16,17');
  expect(skipped.first).toEqual([{ line: 2, name: 'Das Erste', why: expect.stringContaining('--tuner satip:HOST') }]);
});

test.each(['#EXT-X-TARGETDURATION:6', '#EXT-X-STREAM-INF:BANDWIDTH=1'])(
  'the playlist of a stream is refused: %s',
  async (line) => {
    await expect(read('#EXTM3U', line, 'http://h/1.ts')).rejects.toThrow('playlist of a single stream');
  },
);

test('bounds', async () => {
  await expect(readChannelList([Buffer.alloc(maxListBytes + 1)])).rejects.toThrow('is larger than');
  await expect(readChannelList([Buffer.from('udp://h\n'.repeat(200_001))])).rejects.toThrow(
    'more than 200000 channels',
  );
});

test('a long line is read in linear time', async () => {
  const words = ['a'.repeat(60_000), 'a="'.repeat(20_000), 'a-'.repeat(30_000), '"'.repeat(60_000), ','.repeat(60_000)];
  const begun = process.cpuUsage();
  await read(...words.flatMap((word) => [`#EXTINF:-1 ${word}`, `http://h/|${word}`]));
  // Processor time in microseconds. Quadratic, it would be minutes.
  const { user, system } = process.cpuUsage(begun);
  expect(user + system).toBeLessThan(5_000_000);
});

test('damaged lists are read or refused by our errors', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '#EXTM3U',
      '#EXTINF:',
      '-1 ',
      'tvg-id=',
      '"',
      ',',
      '\n',
      '\r\n',
      '#EXTGRP:',
      '#EXTVLCOPT:http-user-agent=',
    ),
    fc.constantFrom('http://h/', 'udp://@', '|', '&', '!', '#', '%', '%e9', '\ufeff', '\0', ';', 'url-tvg=', '[', ':'),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const bytes = fc.oneof(
    fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join(''))),
    fc.uint8Array({ maxLength: 300 }).map((random) => Buffer.from(random)),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (list) => {
      const { channels, skipped } = await readChannelList([list]);
      expect(skipped.first.length).toBeLessThanOrEqual(skipped.count);
      for (const { url, name, userAgent } of channels) {
        expect(url).toMatch(/^(?:https?|udp|rtp):\/\/[^#|]+$/i);
        expect(`${url}${name}${userAgent}`).not.toMatch(/\p{Cc}/u);
      }
    }),
    { numRuns: 2000 },
  );
});

test('the error says what is wrong', async () => {
  await expect(read('#EXT-X-TARGETDURATION:6')).rejects.toThrow(ReceiverError);
});
