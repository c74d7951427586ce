/** Kodi and its IPTV Simple Client, which read the lists of the HDHomeRun server like any IPTV player. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../fixtures/waits.ts';
import { isWholeRun } from '../fixtures/whole-run.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';
import { type Display, openDisplay } from './display.ts';
import { type Kodi, kodiIsInstalled, open, player, plays, startKodi, stop } from './kodi.ts';
import { openSound, type Sound } from './sound.ts';

const id = 'pvr.iptvsimple';
const canRun = isWholeRun && kodiIsInstalled && existsSync(`/usr/share/kodi/addons/${id}`);

interface Channel {
  readonly channelid: number;
  readonly channelnumber: number;
  readonly label: string;
  readonly broadcastnow?: { readonly title: string };
}

describe.skipIf(!canRun)('Kodi with IPTV Simple', () => {
  const folder = temporaryFolder();
  let program: Program;
  let display: Display;
  let sound: Sound;
  let kodi: Kodi;

  beforeAll(async () => {
    const settings = join(folder, 'receiverd.yaml');
    writeFileSync(settings, 'hdhomerun:\n  server: true\n  streamPort: 0\n  controlPort: 0\n');
    [program, display, sound] = await Promise.all([
      startProgram(join(folder, 'data'), '--tuner', 'demo', '--config', settings),
      openDisplay(),
      openSound(join(folder, 'sound')),
    ]);
    // It reads both once.
    const now = `/api/epgnow?bRef=${encodeURIComponent('1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet')}`;
    await until(async () => {
      const { events } = await program.json<{ events: readonly { title: string }[] }>(now);
      expect(events.filter(({ title }) => title).length).toBe(events.length);
      expect(events.length).toBeGreaterThan(0);
    });
    const { http, stream } = program;
    const client = {
      id,
      settings: {
        ...{ m3uPathType: '1', m3uUrl: `${http}/lineup.m3u`, m3uCache: 'false' },
        ...{ epgPathType: '1', epgUrl: `${http}/xmltv.xml`, epgCache: 'false' },
      },
    };
    kodi = await startKodi({ home: join(folder, 'kodi'), display, sound, http, stream, client });
  });

  afterAll(async () => {
    kodi?.end();
    await display?.close();
    await sound?.close();
    await program?.stop();
    removeFolder(folder);
  });

  const channels = async () => {
    const asked = { channelgroupid: 'alltv', properties: ['channelnumber', 'broadcastnow'] };
    return (await kodi.call<{ channels: readonly Channel[] }>('PVR.GetChannels', asked)).channels;
  };

  it('shows the channels of lineup.m3u with the guide of xmltv.xml', async () => {
    const lineup = await program.json<readonly { GuideNumber: string; GuideName: string }[]>('/lineup.json');
    const shown = await until(async () => {
      const list = await channels();
      expect(list.filter(({ broadcastnow }) => broadcastnow?.title).length).toBe(lineup.length);
      return list;
    });
    expect(shown.map(({ label }) => label)).toEqual(lineup.map(({ GuideName }) => GuideName));
    for (const { label, broadcastnow } of shown) {
      const query = `/api/epgsearch?search=${encodeURIComponent(broadcastnow?.title ?? '')}`;
      const { events } = await program.json<{ events: readonly { sname: string }[] }>(query);
      expect(events.map(({ sname }) => sname)).toContain(label);
    }
  });

  it('plays a channel', async () => {
    const [first] = await channels();
    await open(kodi, { channelid: first?.channelid });
    await until(async () => {
      const { codec } = (await player<{ currentvideostream: { codec: string } }>(kodi, 'currentvideostream'))
        .currentvideostream;
      expect(codec).toBe('h264');
    });
    await plays(kodi, 5);
    await stop(kodi);
  });
});
