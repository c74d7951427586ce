/** M3U playlists of channels, streams and recordings. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChannelList } from '../../src/iptv/channel-list.ts';
import { channelPlaylist, type PlaylistChannel, recordingPlaylist, streamPlaylist } from '../../src/m3u/playlist.ts';

const box = { streams: 'http://box:8001', web: 'http://box' };

/** Parses a channel list like an IPTV player. */
function read(list: string): { attributes: Record<string, string>; name: string; program: string; url: string }[] {
  return [
    ...list.matchAll(/^#EXTINF:-1((?: [a-z-]+="[^"]*")*),([^\n]*)\n(?:#EXTVLCOPT:program=(\d+)\n)?([^#\n].*)\n\n/gm),
  ].map(([, attributes = '', name = '', program = '', url = '']) => ({
    attributes: Object.fromEntries(
      [...attributes.matchAll(/([a-z-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    ),
    name,
    program,
    url,
  }));
}

const hexadecimal = (max: number) => fc.integer({ min: 0, max }).map((n) => n.toString(16).toUpperCase());
const dvbReference = fc
  .tuple(hexadecimal(0xff), hexadecimal(0xffff), hexadecimal(0xffff), hexadecimal(0xffff), hexadecimal(0xffffffff))
  .map((fields) => `1:0:${fields.join(':')}:0:0:0:`);

describe('channel list', () => {
  it('can be read by our own reader of such lists', async () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .map((one) => one.replace(/[\p{Cc}\p{Cs}\p{Z}\ufeff]+/gu, ' ').trim())
      .filter((one) => one !== '');
    const channel = fc.record({ reference: dvbReference, name });
    await fc.assert(
      fc.asyncProperty(fc.array(channel, { maxLength: 10 }), async (channels) => {
        const { channels: again, skipped } = await readChannelList([await channelPlaylist(channels, box)]);
        expect(skipped.count).toBe(0);
        expect(again.map((one) => [one.name, decodeURIComponent(one.url)])).toEqual(
          channels.map(({ reference, name }) => [name, `http://box:8001/${reference}`]),
        );
      }),
    );
  });

  it('has exactly the documented format', async () => {
    const list = await channelPlaylist(
      [
        {
          reference: '1:0:19:2B66:3F3:1:C00000:0:0:0::Own name',
          name: 'Alpha HD',
          number: 1,
          picon: '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png',
        },
        { reference: '1:0:1:2B67:3F3:1:C00000:0:0:0:', name: 'Beta', number: 2 },
      ],
      box,
    );
    expect(list.toString()).toBe(`#EXTM3U \n#EXTVLCOPT:http-reconnect=true
#EXTINF:-1 tvg-chno="1" tvg-logo="http://box/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png" tvg-id="1:0:19:2B66:3F3:1:C00000:0:0:0:" tvg-name="Alpha HD",Alpha HD
#EXTVLCOPT:program=11110
http://box:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:

#EXTINF:-1 tvg-chno="2" tvg-id="1:0:1:2B67:3F3:1:C00000:0:0:0:" tvg-name="Beta",Beta
#EXTVLCOPT:program=11111
http://box:8001/1:0:1:2B67:3F3:1:C00000:0:0:0:

`);
  });

  it('is read unchanged by a player, for all names', async () => {
    const channel = fc.record({
      reference: dvbReference,
      name: fc.string({ unit: 'binary' }),
      number: fc.option(fc.nat(), { nil: undefined }),
      group: fc.option(fc.string({ unit: 'grapheme', minLength: 1 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(channel), async (channels) => {
        const entries = read((await channelPlaylist(channels, box)).toString());
        expect(entries).toHaveLength(channels.length);
        for (const [index, { reference, name, number, group }] of channels.entries()) {
          const shown = (text: string) => text.replaceAll(/\p{Cc}/gu, '');
          const entry = entries[index];
          expect(entry?.name).toBe(shown(name));
          expect(entry?.attributes['tvg-name']).toBe(shown(name).replaceAll('"', "'"));
          expect(entry?.attributes['tvg-chno']).toBe(number?.toString());
          expect(entry?.attributes['group-title']).toBe(group && shown(group).replaceAll('"', "'"));
          expect(entry?.attributes['tvg-id']).toBe(reference);
          expect(entry?.url).toBe(`http://box:8001/${reference}`);
          expect(entry?.program).toBe(Number.parseInt(reference.split(':')[3] ?? '', 16).toString());
        }
      }),
    );
  });

  it('gives an IPTV entry the URL in its reference', async () => {
    const url = fc.webUrl({ withQueryParameters: true });
    await fc.assert(
      fc.asyncProperty(url, async (address) => {
        const encoded = address.replaceAll('%', '%25').replaceAll(':', '%3a');
        const list = await channelPlaylist([{ reference: `4097:0:1:7:0:0:0:0:0:0:${encoded}:x`, name: 'x' }], box);
        expect(read(list.toString())[0]).toMatchObject({ url: address, program: '' });
      }),
    );
  });

  it('holds 20,000 channels, in order', async () => {
    const channels = Array.from(
      { length: 20_000 },
      (_, index): PlaylistChannel => ({
        reference: `1:0:19:${index.toString(16).toUpperCase()}:3F3:1:C00000:0:0:0:`,
        name: `Kanal Ä ${index}`,
        number: index + 1,
      }),
    );
    const entries = read((await channelPlaylist(channels, box)).toString());
    expect(entries.map((entry) => entry.name)).toEqual(channels.map((channel) => channel.name));
    expect(entries.map((entry) => Number(entry.program))).toEqual([...channels.keys()]);
  });

  it('refuses too much text', async () => {
    const name = 'x'.repeat(1 << 20);
    const channels = Array.from({ length: 33 }, () => ({ reference: '1:0:1:1:1:1:0:0:0:0:', name }));
    await expect(channelPlaylist(channels, box)).rejects.toThrow(RangeError);
  });
});

describe('one stream', () => {
  it('has its name and its program number', () => {
    expect(streamPlaylist({ reference: '1:0:19:2B66:3F3:1:C00000:0:0:0:', name: 'Alpha HD' }, box).toString()).toBe(
      '#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n#EXTINF:-1,Alpha HD\n#EXTVLCOPT:program=11110\n' +
        'http://box:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:\n',
    );
  });

  it('has no name and no program number without a reference', () => {
    expect(streamPlaylist({}, box).toString()).toBe('#EXTM3U \n#EXTVLCOPT:http-reconnect=true \nhttp://box:8001/\n');
  });

  it('has no program number if it is transcoded', () => {
    const transcoded = { ...box, streams: 'http://[::1]:8002', query: '?bitrate=1000000&width=1280&height=720' };
    expect(streamPlaylist({ reference: '1:0:1:1:1:1:0:0:0:0:' }, transcoded).toString()).toBe(
      '#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n' +
        'http://[::1]:8002/1:0:1:1:1:1:0:0:0:0:?bitrate=1000000&width=1280&height=720\n',
    );
  });
});

describe('one recording', () => {
  it('takes title, length and program number from its .meta file', () => {
    const path = '/media/hdd/movie/20260101 1857 - Alpha HD - Ships.ts';
    const meta = { title: 'Ships', seconds: 3180, reference: '1:0:19:2B66:3F3:1:C00000:0:0:0:' };
    expect(recordingPlaylist({ path, meta }, box).toString()).toBe(
      '#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n#EXTINF:3180,Ships\n#EXTVLCOPT:program=11110\n' +
        'http://box/file?file=/media/hdd/movie/20260101%201857%20-%20Alpha%20HD%20-%20Ships.ts\n',
    );
  });

  it('encodes every path so that a URL parser decodes it unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (path) => {
        const [, , url = ''] = recordingPlaylist({ path }, box).toString().split('\n');
        expect(new URL(url).searchParams.get('file')).toBe(path);
      }),
    );
  });
});
