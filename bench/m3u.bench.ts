/**
 * The channel list of services.m3u: the addon, including packing and worker thread, against the same list from template
 * strings.
 */
import assert from 'node:assert/strict';
import { channelPlaylist, type PlaylistChannel, type PlaylistOrigin } from '../src/m3u/playlist.ts';
import type { Comparisons } from './comparison.ts';

const origin: PlaylistOrigin = { streams: 'http://box:8001', web: 'http://box' };

/** What a careful programmer would write in JavaScript: correct for every DVB service and every name. */
function templateStrings(channels: readonly PlaylistChannel[]): Buffer {
  let list = '#EXTM3U \n#EXTVLCOPT:http-reconnect=true\n';
  for (const { reference, name, number, picon } of channels) {
    const shown = name.replaceAll(/\p{Cc}/gu, '');
    const quoted = shown.replaceAll('"', "'");
    const fields = reference.split(':', 10);
    const logo = `${origin.web}${picon}`;
    list += `#EXTINF:-1 tvg-chno="${number}" tvg-logo="${logo}" tvg-id="${reference}" tvg-name="${quoted}",${shown}\n`;
    list += `#EXTVLCOPT:program=${Number.parseInt(fields[3] ?? '0', 16)}\n${origin.streams}/${encodeURI(reference)}\n\n`;
  }
  return Buffer.from(list);
}

const comparisons: Comparisons = async (quick) => {
  const channels = Array.from({ length: quick ? 2_000 : 20_000 }, (_, index) => ({
    reference: `1:0:19:${(index + 1).toString(16).toUpperCase()}:3F3:1:C00000:0:0:0:`,
    name: index % 3 === 0 ? `Öffentlich "${index}" HD` : `Channel ${index}`,
    number: index + 1,
    picon: `/picon/1_0_19_${(index + 1).toString(16).toUpperCase()}_3F3_1_C00000_0_0_0.png`,
  }));
  return [
    {
      name: `m3u: list of ${channels.length.toLocaleString('en')} channels`,
      work: { amount: channels.length, unit: 'channels' },
      contenders: [
        { name: 'receiverd', run: () => channelPlaylist(channels, origin) },
        { name: 'template strings', run: () => templateStrings(channels) },
      ],
      check: (ours, rival) => {
        assert.deepEqual(rival, ours);
        return undefined;
      },
    },
  ];
};
export default comparisons;
