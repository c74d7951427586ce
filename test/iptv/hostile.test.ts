/** Damaged playlists and channel lists: read within their bounds, or refused by our errors. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReceiverError } from '../../src/base/errors.ts';
import { urlOf } from '../../src/base/url.ts';
import { type ListedChannel, readChannelList } from '../../src/iptv/channel-list.ts';
import { chooseVariant, maxSegmentBytes, numberVector, parsePlaylist } from '../../src/iptv/hls-playlist.ts';
import { StreamError } from '../../src/iptv/stream-error.ts';
import { damaged, damagedRuns } from '../fixtures/damage.ts';

describe('a damaged playlist', () => {
  const master = `#EXTM3U
#EXT-X-VERSION:6
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="English",URI="english.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="inside",NAME="English"
#EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=640x360,AUDIO="inside"
low.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=7680000,AUDIO="sound",RESOLUTION=1920x1080
http://host/high.m3u8?token=a,b
#EXT-X-STREAM-INF:BANDWIDTH=65000,CODECS="mp4a.40.5"
sound.m3u8
`;
  const media = `#EXTM3U\r
#EXT-X-TARGETDURATION:8\r
#EXT-X-MEDIA-SEQUENCE:2680\r
#EXT-X-PLAYLIST-TYPE:EVENT\r
#EXT-X-KEY:METHOD=AES-128,URI="key?a=1",IV=0x000102030405060708090A0B0C0D0E0F\r
#EXT-X-MAP:URI="map.ts",BYTERANGE="376@0"\r
#EXTINF:7.975,Title\r
#EXT-X-BYTERANGE:75232@0\r
all.ts\r
#EXTINF:7.941,\r
#EXT-X-BYTERANGE:82112\r
all.ts\r
#EXT-X-KEY:METHOD=NONE\r
#EXT-X-DISCONTINUITY\r
#EXTINF:7.975\r
#EXT-X-GAP\r
https://host/2682.ts\r
#EXT-X-ENDLIST\r
`;

  it('is read within its bounds, or refused', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(master, media), async (bytes) => {
        const playlist = await parsePlaylist(bytes.toString()).catch((error: unknown) => {
          expect(error).toBeInstanceOf(StreamError);
          expect((error as StreamError).message).toMatch(/^[\x20-\x7e]{1,200}$/);
        });
        if (!playlist) return;
        const { variants, targetDuration, firstNumber, segments } = playlist;
        expect(targetDuration).toBeGreaterThanOrEqual(1);
        expect(targetDuration).toBeLessThanOrEqual(60);
        expect(segments.length).toBeLessThanOrEqual(10_000);
        expect(Number.isSafeInteger(firstNumber) && firstNumber >= 0).toBe(true);
        expect(numberVector(firstNumber + segments.length)).toHaveLength(16);
        for (const { duration } of segments) expect(Number.isFinite(duration) && duration >= 0).toBe(true);
        for (const { uri, range, key } of segments.flatMap((segment) =>
          segment.map ? [segment, segment.map] : [segment],
        )) {
          expect(uri).toMatch(/^[^\r\n]*$/);
          if (range) {
            expect(range.length > 0 && range.length <= maxSegmentBytes).toBe(true);
            expect(Number.isSafeInteger(range.from + range.length) && range.from >= 0).toBe(true);
          }
          if (key?.vector) expect(key.vector).toHaveLength(16);
        }
        for (const { bandwidth } of variants) expect(Number.isFinite(bandwidth) && bandwidth >= 0).toBe(true);
        if (variants.length > 0 && variants.some(({ hasSeparateAudio }) => !hasSeparateAudio)) chosen(variants);
      }),
      damagedRuns,
    );
  });

  function chosen(variants: Parameters<typeof chooseVariant>[0]): void {
    try {
      expect(variants).toContain(chooseVariant(variants, 2_000_000));
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
    }
  }
});

describe('a damaged channel list', () => {
  const list = `#EXTM3U url-tvg="http://host/guide.xml.gz,https://host/other.xml" tvg-shift="0"
#EXTINF:-1 tvg-id="one.example" tvg-name="One" group-title="News;HD" radio="true",Channel One
#EXTGRP:News
#EXTVLCOPT:http-user-agent=Player/1.0
#EXTVLCOPT:http-referrer=http://host/
http://user:password@host:8080/one.ts?a=1&b=2
#EXTINF:0 tvg-id=two tvg-logo="http://host/two.png" user-agent="X/2",Zwölf, "zwei"\r
https://host/zw%C3%B6lf|User-Agent=Player%2F2&referer=http%3A//host/\r
#EXTGRP:All the rest
rtp://@239.1.1.1:1234
udp://192.0.2.1@232.1.1.1:1234#fragment
mms://host/old
`;

  it('is read within its bounds, or refused, and survives formatting and parsing', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(list), async (bytes) => {
        const read = await readOrRefuse(bytes);
        if (!read) return;
        const { channels, skipped, guides } = read;
        const lines = bytes.toString('latin1').split(/[\r\n]/).length;
        expect(channels.length + skipped.count).toBeLessThanOrEqual(lines);
        expect(skipped.first.length).toBe(Math.min(10, skipped.count));
        expect(guides.length).toBeLessThanOrEqual(20);
        for (const guide of guides) expect(new URL(guide).protocol).toMatch(/^https?:$/);
        for (const channel of channels) {
          expect(Object.values(channel).join('')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
          expect(channel.name.trim()).not.toBe('');
          expect(channel.url).toMatch(/^(?:https?|udp|rtp):\/\/[^#|]+$/i);
          expect(urlOf(channel.url)).toBeDefined();
        }
        // A line near the maximum would exceed it when written.
        const some = channels.filter((channel) => Object.values(channel).join('').length < 5000);
        expect((await readOrRefuse(Buffer.from(some.map(written).join(''))))?.channels).toEqual(some);
      }),
      damagedRuns,
    );
  });

  async function readOrRefuse(bytes: Buffer) {
    try {
      return await readChannelList([bytes]);
    } catch (error) {
      expect(error).toBeInstanceOf(ReceiverError);
      expect(['too-large', 'parameter-invalid', 'wrong-file']).toContain((error as ReceiverError).code);
    }
  }

  const written = ({ name, id, guideName, group, isRadio, url, userAgent, referer, logo }: ListedChannel) =>
    `#EXTINF:-1 tvg-id="${id}"${guideName === name ? '' : ` tvg-name="${guideName}"`} tvg-logo="${logo}" radio="${isRadio}",${name}
#EXTGRP:${group}
${url}|user-agent=${encodeURIComponent(userAgent)}&referer=${encodeURIComponent(referer)}
`;
});
