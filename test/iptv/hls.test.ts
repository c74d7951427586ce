/** HLS from a real server: the data, its order, the pauses, errors and malicious playlists. */
import { createCipheriv } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPlaylist, readHls } from '../../src/iptv/hls.ts';
import { StreamError } from '../../src/iptv/stream-error.ts';
import type { Get } from '../../src/iptv/web.ts';
import { untilTrue } from '../fixtures/waits.ts';
import { FakeTime, HlsServer, media, type Reading, segments, stream, textOf } from './hls-server.ts';

const end = '#EXT-X-ENDLIST';

let server: HlsServer;
let time: FakeTime;

beforeEach(async () => {
  server = new HlsServer();
  time = new FakeTime();
  await server.start();
});
afterEach(() => server.close());

const read = ({ bytes, ...options }: Reading = {}, path = '/live.m3u8') =>
  textOf(stream(server, path, { ...time, ...options }), bytes);

const failure = async (options: Reading = {}) => {
  const error: unknown = await read(options).then(
    (text) => `it ended with ${text}`,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(StreamError);
  return error as StreamError;
};

it.each([
  ['#EXTM3U', true],
  ['\ufeff\r\n  #EXTM3U\n#EXTINF:6,', true],
  ['\ufeff#EXTM3', false],
  ['G#EXTM3U', false],
  ['', false],
])('%j is a playlist: %s', (text, is) => {
  expect(isPlaylist(Buffer.from(text))).toBe(is);
});

describe('a complete playlist', () => {
  it('is read from its first segment to its end, with addresses relative to its own', async () => {
    server.script('/live.m3u8', (response) => response.writeHead(302, { Location: '/deep/list.m3u8?token=1' }).end());
    const uris = ['a.ts', '../b.ts', '/c.ts', server.url('/d.ts'), 'e.ts?token=2'];
    server.script('/deep/list.m3u8?token=1', media(7, ...segments(...uris), end));
    server.offer('/deep/a.ts', '/b.ts', '/c.ts', '/d.ts');
    server.script('/deep/e.ts?token=2', 'e');
    expect(await read()).toBe('abcde');
    expect(time.pauses).toEqual([]);
  });

  it('may be sloppy', async () => {
    const lines = ['\ufeff', ' #EXTM3U', '# words', '', 'a.ts ', '#EXTINF', 'b.ts', '#EXTINF:x,\u2028Größe', 'c.ts'];
    server.script('/live.m3u8', [...lines, '#EXT-X-PLAYLIST-TYPE:VOD', '#EXT-X-UNKNOWN:1'].join('\r\n'));
    server.offer('/a.ts', '/b.ts', '/c.ts');
    expect(await read()).toBe('abc');
  });

  it('may become complete while it is read', async () => {
    server.script('/live.m3u8', media(0, ...segments('a')), media(0, ...segments('a', 'b'), end));
    server.offer('/a', '/b');
    expect(await read()).toBe('ab');
  });

  it('ends with an error if no segment can be read', async () => {
    server.script('/live.m3u8', media(0, ...segments(...Array(100).fill('missing')), end));
    expect((await failure()).message).toBe('no new segment for 30 s: the server answered 404');
    expect(server.requests.length).toBeLessThan(40);
  });
});

describe('a master playlist', () => {
  const master = (...variants: readonly string[]) => ['#EXTM3U', ...variants].join('\n');
  const variant = (uri: string, bandwidth: number, others = '') =>
    `#EXT-X-STREAM-INF:BANDWIDTH=${bandwidth}${others}\n${uri}`;
  const rendition = (others = '') => `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",NAME="L'autre"${others}`;

  beforeEach(() => {
    for (const name of ['low', 'high', 'other']) {
      server.script(`/${name}/list.m3u8`, media(0, ...segments('segment.ts'), end));
      server.script(`/${name}/segment.ts`, name);
    }
  });

  it.each([
    ['the largest variant', 0, 'high'],
    ['the largest up to the limit', 2_999_999, 'low'],
    ['the smallest if all are above', 1000, 'low'],
  ])('has %s read', async (_what, maxBandwidth, expected) => {
    const iFrames = '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9,URI="none"';
    const variants = [variant('low/list.m3u8', 1e6), variant('high/list.m3u8', 3e6), variant('other/list.m3u8', 3e6)];
    server.script('/live.m3u8', master(iFrames, ...variants));
    expect(await read({ maxBandwidth })).toBe(expected);
  });

  it('yields a variant with video, unless all have audio only', async () => {
    const sound = variant('low/list.m3u8', 9e6, ',CODECS="mp4a.40.2, ac-3"');
    server.script(
      '/live.m3u8',
      master(sound, variant('high/list.m3u8', 1e6, ',CODECS="avc1.4d001f,mp4a.40.2"')),
      master(sound),
    );
    expect([await read(), await read()]).toEqual(['high', 'low']);
  });

  it('yields a variant with its audio in the same stream', async () => {
    const apart = variant('high/list.m3u8', 9e6, ',AUDIO="s"');
    server.script(
      '/live.m3u8',
      master(rendition(',URI="sound.m3u8"'), apart, variant('low/list.m3u8', 1)),
      master(rendition(',URI="sound.m3u8"'), rendition(), apart),
      master(rendition(), rendition(',URI="sound.m3u8"'), apart),
      master(apart, rendition(',URI="sound.m3u8"')),
    );
    expect([await read(), await read(), await read()]).toEqual(['low', 'high', 'high']);
    expect(await failure()).toMatchObject({
      isFinal: true,
      message: 'audio in a separate playlist is not supported',
    });
  });

  it('has variants with addresses relative to its own after redirects', async () => {
    server.script('/live.m3u8', master(variant('variant', 1)));
    server.script('/variant', (response) => response.writeHead(302, { Location: '/high/list.m3u8' }).end());
    expect(await read()).toBe('high');
  });

  it('is loaded again when the variant has gone', async () => {
    server.script('/live.m3u8', master(variant('old.m3u8', 1)), master(variant('new.m3u8', 1)));
    server.script('/old.m3u8', media(0, ...segments('a')), 404, 410, 404);
    server.script('/new.m3u8', media(0, ...segments('a', 'b'), end));
    server.offer('/a', '/b');
    expect(await read()).toBe('ab');
    expect(server.count('/old.m3u8')).toBe(4);
    expect(server.count('/live.m3u8')).toBe(2);
  });

  it('is loaded again when the token of the variant has expired', async () => {
    server.script('/live.m3u8', master(variant('old.m3u8', 1)), master(variant('new.m3u8', 1)));
    server.script('/old.m3u8', media(0, ...segments('a')), 403);
    server.script('/new.m3u8', media(0, ...segments('a', 'b'), end));
    server.offer('/a', '/b');
    expect(await read()).toBe('ab');
    expect(server.count('/old.m3u8')).toBe(4);
  });

  it('is refused as a variant', async () => {
    server.script('/live.m3u8', master(variant('live.m3u8', 1)));
    expect((await failure()).message).toBe('the playlist of a variant has variants');
  });
});

describe('a live playlist', () => {
  it('begins three target durations before its end', async () => {
    server.script('/live.m3u8', media(10, ...segments('a', 'b', 'c', 'd', 'e')));
    server.offer('/a', '/b', '/c', '/d', '/e');
    expect(await read({ bytes: 3 })).toBe('cde');
    expect(time.pauses).toEqual([]);
  });

  it('begins before that if its segments are short, and at once if there is only one', async () => {
    const short = ['a', 'b', 'c', 'd', 'e'].flatMap((uri) => ['#EXTINF:4.5,', uri]);
    server.script('/live.m3u8', media(10, ...short), media(10, ...segments('a')));
    server.offer('/a', '/b', '/c', '/d', '/e');
    expect(await read({ bytes: 4 })).toBe('bcde');
    expect(await read({ bytes: 1 })).toBe('a');
    expect(time.pauses).toEqual([]);
  });

  it('may be empty at first', async () => {
    server.script('/live.m3u8', media(10), media(10, ...segments('a', 'b', 'c', 'd')));
    server.offer('/b', '/c', '/d');
    expect(await read({ bytes: 3 })).toBe('bcd');
    expect(time.pauses).toEqual([3000]);
  });

  it('is loaded again after a target duration, or half of it if nothing was new', async () => {
    const lists = [media(1, ...segments('a')), media(1, ...segments('a', 'b'))];
    server.script('/live.m3u8', lists[0] ?? '', lists[0] ?? '', 500, lists[1] ?? '', media(2, ...segments('b', 'c')));
    server.offer('/a', '/b', '/c');
    expect(await read({ bytes: 3 })).toBe('abc');
    expect(time.pauses).toEqual([6000, 3000, 3000, 6000]);
  });

  it('has no end', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    server.script('/live.m3u8', ...numbers.map((number) => media(number, ...segments('a'))));
    server.offer('/a');
    expect(await read({ bytes: 20 })).toBe('a'.repeat(20));
    expect(time.pauses).toEqual(Array(19).fill(6000));
  });

  it('without a target duration uses that of its longest segment', async () => {
    server.script('/live.m3u8', '#EXTM3U\n#EXTINF:4,\na', '#EXTM3U\n#EXTINF:4,\na\n#EXTINF:2,\nb');
    server.offer('/a', '/b');
    expect(await read({ bytes: 2 })).toBe('ab');
    expect(time.pauses).toEqual([4000]);
  });

  it('counts the time that reading took', async () => {
    server.script('/live.m3u8', media(1, ...segments('a')), media(2, ...segments('b')));
    server.offer('/a', '/b');
    const reading = stream(server, '/live.m3u8', time);
    expect(String((await reading.next()).value)).toBe('a');
    await time.pause(4000, new AbortController().signal);
    expect(String((await reading.next()).value)).toBe('b');
    expect(time.pauses).toEqual([4000, 2000]);
    await reading.return(undefined);
  });

  it('continues by number, regardless of addresses', async () => {
    server.script('/live.m3u8', media(1, ...segments('same')), media(2, ...segments('same')));
    server.script('/same', 'a', 'b', 'c');
    expect(await read({ bytes: 2 })).toBe('ab');
  });

  it('is loaded again from its own address, not from the target of a redirect', async () => {
    const to = (location: string) => (response: ServerResponse) =>
      response.writeHead(302, { Location: location }).end();
    server.script('/live.m3u8', to('/one/list.m3u8'), to('/two/list.m3u8'));
    server.script('/one/list.m3u8', media(1, ...segments('a')), 403);
    server.script('/two/list.m3u8', media(1, ...segments('a', 'b'), end));
    server.offer('/one/a', '/two/b');
    expect(await read()).toBe('ab');
    expect(time.pauses).toEqual([6000]);
  });

  const unnumbered = (...uris: readonly string[]) =>
    media(0, ...segments(...uris)).replace(/#EXT-X-MEDIA-SEQUENCE.*\n/, '');

  it('without numbers continues after the known segments', async () => {
    server.script(
      '/live.m3u8',
      unnumbered('a', 'b'),
      unnumbered('b', 'c'),
      unnumbered('b', 'c'),
      unnumbered('c', 'd', 'e'),
      unnumbered('x', 'y'),
    );
    server.offer('/a', '/b', '/c', '/d', '/e', '/x', '/y');
    expect(await read({ bytes: 7 })).toBe('abcdexy');
    expect(time.pauses).toEqual([6000, 6000, 3000, 6000]);
  });

  it('without numbers recognises its segments when their tokens change', async () => {
    server.script('/live.m3u8', unnumbered('a?t=1', 'b?t=1'), unnumbered('b?t=2', 'c?t=2'));
    for (const one of ['a?t=1', 'b?t=1', 'c?t=2']) server.script(`/${one}`, one.slice(0, 1));
    expect(await read({ bytes: 3 })).toBe('abc');
  });

  it('without numbers recognises its segments by their queries, if nothing else distinguishes them', async () => {
    for (const step of [1, 3]) {
      const lists = Array.from({ length: 9 / step }, (_, list) =>
        unnumbered(...Array.from({ length: step }, (_, index) => `s?n=${list * step + index}`)),
      );
      server.script('/live.m3u8', ...lists);
      for (let n = 0; n < 9; n++) server.script(`/s?n=${n}`, String(n));
      expect(await read({ bytes: 9 })).toBe('012345678');
    }
  });

  it('without numbers repeats nothing after an older playlist of a cache, or an empty one', async () => {
    const lists = ['bcd', 'abc', 'cde', '', 'bcd', 'def'].map((list) => unnumbered(...list));
    server.script('/live.m3u8', ...lists);
    server.offer(...Array.from('abcdef', (one) => `/${one}`));
    expect(await read({ bytes: 5 })).toBe('bcdef');
  });

  it('continues with the oldest segment when reading was too slow', async () => {
    server.script('/live.m3u8', media(1, ...segments('a')), media(90, ...segments('b', 'c', 'd', 'e', 'f')));
    server.offer('/a', '/b', '/c', '/d', '/e', '/f');
    expect(await read({ bytes: 6 })).toBe('abcdef');
  });

  it('begins near its end again after a restart of the encoder', async () => {
    server.script('/live.m3u8', media(100, ...segments('a')), media(0, ...segments('b', 'c', 'd', 'e', 'f')));
    server.offer('/a', '/d', '/e', '/f');
    expect(await read({ bytes: 4 })).toBe('adef');
  });

  it('repeats nothing after an older playlist of a cache', async () => {
    const [older, newer] = [media(100, ...segments('a', 'b')), media(101, ...segments('b', 'c'))];
    server.script('/live.m3u8', newer, older, newer, media(102, ...segments('c', 'd')));
    server.offer('/a', '/b', '/c', '/d');
    expect(await read({ bytes: 3 })).toBe('bcd');
  });

  it('fails without new segments for five target durations', async () => {
    const list = media(1, ...segments('a'));
    server.script('/live.m3u8', list, 500, list);
    server.offer('/a');
    expect(await failure()).toMatchObject({ isFinal: false, message: 'no new segment for 30 s' });
    expect(time.pauses).toEqual([6000, ...Array(8).fill(3000)]);
  });

  it('fails when it is damaged for five target durations', async () => {
    server.script('/live.m3u8', media(1, ...segments('a')), 'nonsense');
    server.offer('/a');
    expect((await failure()).message).toBe('no new segment for 30 s: the server did not send a playlist');
  });

  it.each(['0', '-1', 'x', '1e9', 'Infinity'])(
    'with a target duration of %s does not hurry, nor sleep',
    async (target) => {
      server.script('/live.m3u8', ['#EXTM3U', `#EXT-X-TARGETDURATION:${target}`, 'a'].join('\n'));
      server.offer('/a');
      await failure();
      expect(Math.min(...time.pauses)).toBeGreaterThanOrEqual(1000);
      expect(Math.max(...time.pauses)).toBeLessThanOrEqual(60_000);
    },
  );
});

describe('a segment', () => {
  /** Sends a part of the announced length, and closes the connection. */
  const cut = (part: string) => (response: ServerResponse) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write(part, () => response.destroy());
  };

  it.each([404, 410])('that is missing (%i) is skipped, and the playlist loaded again', async (status) => {
    server.script('/live.m3u8', media(1, ...segments('a', 'b', 'c')), media(3, ...segments('c', 'd')));
    server.script('/b', status);
    server.offer('/a', '/c', '/d');
    expect(await read({ bytes: 3 })).toBe('acd');
    expect(server.count('/b')).toBe(1);
    expect(time.pauses).toEqual([1000]);
  });

  it('that fails is requested again, and skipped in the end', async () => {
    server.script('/live.m3u8', media(1, ...segments('a', 'b', 'c'), end));
    server.script('/a', 500, 'a');
    server.script('/b', 500);
    server.offer('/c');
    expect(await read()).toBe('ac');
    expect(server.count('/b')).toBe(3);
  });

  it('that is cut off resumes where it was', async () => {
    server.script('/live.m3u8', media(1, ...segments('a', 'b'), end));
    server.script('/a', cut('12'), cut('1234'), '123456');
    server.offer('/b');
    expect(await read()).toBe('123456b');
  });

  it('that the playlist calls a gap is skipped', async () => {
    server.script('/live.m3u8', media(1, '#EXT-X-GAP', ...segments('a', 'b'), end));
    server.offer('/a', '/b');
    expect(await read()).toBe('b');
  });

  it('that is empty counts as missing', async () => {
    server.script('/live.m3u8', media(1, ...segments(...Array(100).fill('a')), end));
    server.script('/a', '');
    expect((await failure()).message).toBe('no new segment for 30 s');
  });

  it('may be a range of a file', async () => {
    const part = (range: string, uri: string) => [`#EXT-X-BYTERANGE:${range}`, ...segments(uri)];
    const parts = [part('3@2', 'a'), part('2', 'a'), part('1@0', 'b'), part('1', 'a'), part('1@9', 'a')];
    server.script('/live.m3u8', media(1, ...parts.flat(), ...segments('b'), end));
    server.script('/a', '0123456789');
    server.script('/b', 'b!');
    expect(await read()).toBe('23456b09b!');
    expect(server.requests).toContain('/a bytes=5-6');
  });

  it('follows its map, which is read once, and again after a discontinuity', async () => {
    const lines = ['#EXT-X-MAP:URI="map",BYTERANGE="3@2"', ...segments('a', 'b')];
    const discontinuous = ['#EXT-X-DISCONTINUITY', ...segments('c', 'd'), '#EXT-X-MAP:URI="other"', ...segments('e')];
    server.script('/live.m3u8', media(1, ...lines), media(1, ...lines, ...discontinuous, end));
    server.script('/map', '0123456789');
    server.offer('/a', '/b', '/c', '/d', '/e', '/other');
    expect(await read()).toBe('234ab234cdothere');
  });

  it('whose map fails is skipped, and the next one requests the map again', async () => {
    server.script('/live.m3u8', media(1, '#EXT-X-MAP:URI="map"', ...segments('a', 'b'), end));
    server.script('/map', 404, 'map');
    server.offer('/a', '/b');
    expect(await read()).toBe('mapb');
  });

  it('is yielded while it arrives, and the next one is not requested before it is read', async () => {
    let sent: ServerResponse | undefined;
    server.script('/live.m3u8', media(1, ...segments('a', 'b'), end));
    server.script('/a', (response) => {
      sent = response;
      response.write('1');
    });
    server.offer('/b');
    const reading = stream(server, '/live.m3u8', time);
    expect(String((await reading.next()).value)).toBe('1');
    sent?.end('2');
    expect(String((await reading.next()).value)).toBe('2');
    expect(server.count('/b')).toBe(0);
    expect(String((await reading.next()).value)).toBe('b');
    expect((await reading.next()).done).toBe(true);
  });
});

describe('an encrypted segment', () => {
  const key = Buffer.from('0123456789abcdef');
  const encrypted = (text: string, vector: string) => {
    const cipher = createCipheriv('aes-128-cbc', key, Buffer.from(vector.padStart(32, '0'), 'hex'));
    return Buffer.concat([cipher.update(text), cipher.final()]);
  };
  const keyTag = (others = '') => `#EXT-X-KEY:METHOD=AES-128,URI="key?a=1,2"${others}`;

  it('is decrypted with its vector or its number, until a method of none', async () => {
    const first = 0x1_0000_0001;
    const lines = [keyTag(',IV=0Xabc'), ...segments('a', 'b'), keyTag(), ...segments('c'), '#EXT-X-KEY:METHOD=NONE'];
    server.script('/live.m3u8', media(first, ...lines, ...segments('d'), end));
    server.script('/key?a=1,2', key);
    server.script('/a', encrypted('a'.repeat(100_000), 'abc'));
    server.script('/b', encrypted('b', 'abc'));
    server.script('/c', encrypted('c', '100000003'));
    server.script('/d', 'd');
    expect(await read()).toBe(`${'a'.repeat(100_000)}bcd`);
    expect(server.count('/key?a=1,2')).toBe(1);
  });

  it('in ranges is decrypted range by range', async () => {
    const [one, two] = [encrypted('one', '1'), encrypted('two', '2')];
    const ranges = [`#EXT-X-BYTERANGE:${one.length}@0`, 'a', `#EXT-X-BYTERANGE:${two.length}`, 'a'];
    server.script('/live.m3u8', media(1, keyTag(), ...ranges, end));
    server.script('/key?a=1,2', key);
    server.script('/a', Buffer.concat([one, two]));
    expect(await read()).toBe('onetwo');
  });

  it.each([
    ['a key of 15 bytes', key.subarray(1), 'a key does not have 16 bytes'],
    ['an endless key', Buffer.alloc(1_000_000), 'a key does not have 16 bytes'],
    ['no key', 403, 'the server answered 403'],
    ['another key', Buffer.alloc(16), expect.stringMatching(/bad decrypt/)],
  ])('with %s cannot be read', async (_what, given, message) => {
    server.script('/live.m3u8', media(1, keyTag(), ...segments('a'), end));
    server.script('/key?a=1,2', given);
    server.script('/a', encrypted('', '1'));
    expect((await failure()).message).toEqual(message);
  });

  it.each([
    ['#EXT-X-KEY:METHOD=SAMPLE-AES,URI="\u2028"', 'encryption by SAMPLE-AES is not supported'],
    ['#EXT-X-KEY:METHOD=A\u0007"\u001b[31m', 'encryption by A31m is not supported'],
    [
      `${'#EXT-X-KEY:METHOD=AES-128,URI="k",KEYFORMAT="com.apple"'}`,
      'encryption with keys of com.apple is not supported',
    ],
  ])('or other kind is refused: %s', async (line, message) => {
    server.script('/live.m3u8', media(1, line, ...segments('a'), end));
    expect(await failure()).toMatchObject({ isFinal: true, message });
  });
});

describe('a hostile playlist', () => {
  it.each([
    ['an invalid address', [...segments('http://[')], 'a playlist has an invalid address'],
    ['an invalid range', ['#EXT-X-BYTERANGE:0@5', 'a'], 'a playlist is damaged: its range is invalid'],
    ['a map without address', ['#EXT-X-MAP:BYTERANGE="3"'], 'a playlist is damaged: its map is invalid'],
    ['a key without address', ['#EXT-X-KEY:METHOD=AES-128'], 'a playlist is damaged: its key is invalid'],
    [
      'a vector that is too long',
      [`#EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x${'0'.repeat(33)}`],
      'a playlist is damaged: its initialization vector is invalid',
    ],
    [
      'numbers without end',
      ['#EXT-X-MEDIA-SEQUENCE:9007199254740991'],
      'a playlist is damaged: its number of a segment is invalid',
    ],
    ['a long line', [`#${'x'.repeat(65536)}`], 'a line of a playlist is larger than 65536 bytes'],
    ['many segments', Array(10_001).fill('a'), 'a playlist of more than 10000 segments is not supported'],
    ['a large segment', ['#EXT-X-BYTERANGE:67108865@0', 'a'], 'a segment is larger than 67108864 bytes'],
    ['many lines', Array(100_000).fill(`#${'x'.repeat(20)}`), 'a playlist is larger than 2097152 bytes'],
  ])('has %s', async (_what, lines, message) => {
    server.script('/live.m3u8', media(1, ...lines, end));
    expect((await failure()).message).toBe(message);
    server.script('/live.m3u8', '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nvariant');
    server.script('/variant', media(1, ...lines, end));
    expect((await failure()).message).toBe(message);
  });

  it('without end is refused', async () => {
    const forever = (response: ServerResponse) => Readable.from(endlessly('#EXTM3U\n')).pipe(response);
    server.script('/live.m3u8', '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nvariant');
    server.script('/variant', forever);
    expect((await failure()).message).toBe('a playlist is larger than 2097152 bytes');
  });

  it('with a segment without end is refused', async () => {
    const part = Buffer.alloc(1024 * 1024);
    const get: Get = async (url) => ({ url, body: Readable.from(Array(100).fill(part)) });
    const signal = new AbortController().signal;
    let size = 0;
    const reading = async () => {
      const first = { source: 'http://x/', url: 'http://x/', text: '#EXTM3U\na' };
      for await (const { length } of readHls(first, { get, signal, maxBandwidth: 0, ...time })) size += length;
    };
    await expect(reading()).rejects.toMatchObject({ isFinal: true });
    expect(size).toBe(64 * 1024 * 1024);
  });

  const lines = [
    ...['#EXTM3U', '#EXT-X-TARGETDURATION:6', '#EXT-X-TARGETDURATION:', '#EXT-X-MEDIA-SEQUENCE:7', '#EXTINF:6,x', end],
    ...['#EXT-X-KEY:METHOD=AES-128,URI="key",IV=0x1', '#EXT-X-KEY:METHOD=AES-128,URI="long"', '#EXT-X-KEY:METHOD=NONE'],
    ...[
      '#EXT-X-BYTERANGE:5@3',
      '#EXT-X-BYTERANGE:4',
      '#EXT-X-GAP',
      '#EXT-X-DISCONTINUITY',
      'a',
      'b.ts',
      'fails',
      'gone',
    ],
    ...[
      '#EXT-X-STREAM-INF:BANDWIDTH=5,AUDIO="s",CODECS="mp4a"',
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",URI="a"',
      'list',
    ],
    ...[
      'http://[',
      'data:,x',
      '//',
      '#',
      '#EXT-X-MAP:URI="m"',
      '#EXT-X-PLAYLIST-TYPE:VOD',
      '\u2028',
      '="",,="',
      'empty',
    ],
  ];
  const list = fc
    .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...lines) }, fc.string({ unit: 'binary' })), {
      maxLength: 30,
    })
    .map((some) => ['#EXTM3U', ...some].join('\n'));
  /** Replaces a few characters. */
  const damagedList = fc
    .tuple(list, fc.array(fc.tuple(fc.nat(), fc.string({ maxLength: 3 })), { maxLength: 3 }))
    .map(([text, damages]) =>
      damages.reduce((some, [place, other]) => {
        const at = place % (some.length + 1);
        return some.slice(0, at) + other + some.slice(at + other.length);
      }, text),
    );

  it('only ends, or fails with one of our errors', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(damagedList, { minLength: 2, maxLength: 5 }), async ([first = '', ...others]) => {
        let requests = 0;
        const get: Get = async (url) => {
          requests++;
          const name = url.replace(/^.*\//, '');
          if (name === 'gone') throw new StreamError('gone', { status: 404 });
          if (name === 'empty') return { url, body: Readable.from([]) };
          if (name === 'key') return { url, body: Readable.from([Buffer.alloc(16)]) };
          if (name === 'fails') return { url, body: new Readable({ read: (): never => raise(new Error('reset')) }) };
          const text = (others.length > 1 ? others.shift() : others[0]) ?? '';
          return { url, body: Readable.from([Buffer.from(name === 'list' || name === 'x' ? text : name)]) };
        };
        const { signal } = new AbortController();
        const options = { get, signal, maxBandwidth: 3, ...new FakeTime() };
        const outcome = await textOf(
          readHls({ source: 'http://host/x', url: 'http://host/x', text: first }, options),
        ).catch((error) => error);
        if (typeof outcome !== 'string') expect(outcome).toBeInstanceOf(StreamError);
        expect(requests).toBeLessThan(1000);
      }),
      { numRuns: 1000 },
    );
  });
});

function* endlessly(text: string) {
  for (const part = Buffer.from(text.repeat(10_000)); ; ) yield part;
}

function raise(error: Error): never {
  throw error;
}

describe('reading', () => {
  const reason = new Error('enough');

  it.each(['a segment', 'a playlist'])('is aborted by its signal while %s arrives', async (what) => {
    const controller = new AbortController();
    const hang = (response: ServerResponse) => void response.write('#EXTM3U', () => controller.abort(reason));
    server.script('/live.m3u8', media(1, ...segments('a')), hang);
    server.script('/a', what === 'a segment' ? hang : 'a');
    await expect(read({ signal: controller.signal })).rejects.toBe(reason);
  });

  it('is aborted by its signal during a pause', async () => {
    const controller = new AbortController();
    const get: Get = () => raise(new Error('too early'));
    const url = server.url('/live.m3u8');
    const first = { source: url, url, text: media(1) };
    const reading = readHls(first, { get, signal: controller.signal, maxBandwidth: 0 }).next();
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  it('that is abandoned closes its connection', async () => {
    let isClosed = false;
    server.script('/live.m3u8', media(1, ...segments('a')));
    server.script('/a', (response) => {
      response.write('a');
      void once(response, 'close').then(() => {
        isClosed = true;
      });
    });
    expect(await read({ bytes: 1 })).toBe('a');
    await untilTrue(() => isClosed);
  });
});
