/** Kodi and its Enigma2 client, run against the program: what users see who move from their old box. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeRecording } from '../fixtures/recordings.ts';
import { eventually, until } from '../fixtures/waits.ts';
import { isWholeRun } from '../fixtures/whole-run.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';
import { type Display, difference, openDisplay, rgb } from './display.ts';
import { complaints, type Kodi, kodiIsInstalled, open, player, plays, startKodi, stop } from './kodi.ts';
import { output } from './run.ts';
import { openSound, type Sound } from './sound.ts';

const encoded = encodeURIComponent;

interface Channel {
  readonly channelid: number;
  readonly channelnumber: number;
  readonly label: string;
  readonly icon: string;
  readonly broadcastnow?: { readonly title: string };
  readonly broadcastnext?: { readonly title: string };
}

interface Recording {
  readonly recordingid: number;
  readonly label: string;
  readonly plot: string;
  readonly channel: string;
  readonly runtime: number;
  readonly playcount: number;
  readonly resume: { readonly position: number };
}

describe.skipIf(!kodiIsInstalled)('Kodi', () => {
  const folder = temporaryFolder();
  const film = join(folder, 'movie', '20260301 2015 - Aldermoor One - Lighthouses & Keepers.ts');
  /** Plain green, for a minute. */
  const picture = ['-f', 'lavfi', '-i', 'color=c=0x20a040:s=640x360:r=25'];
  const tone = ['-f', 'lavfi', '-i', 'sine'];
  let program: Program;
  let display: Display;
  let sound: Sound;
  let kodi: Kodi;
  let bouquet: string;
  let services: readonly { servicereference: string; servicename: string }[];

  beforeAll(async () => {
    [program, display, sound] = await Promise.all([
      startProgram(folder, '--tuner', 'demo', '--log-level', 'debug'),
      openDisplay(),
      openSound(join(folder, 'sound')),
    ]);
    bouquet = await eventually(async () => {
      const { bouquets } = await program.json<{ bouquets: readonly (readonly [string, string])[] }>('/api/bouquets');
      return bouquets[0]?.[0];
    }, 'a bouquet');
    ({ services } = await program.json(`/api/getservices?sRef=${encoded(bouquet)}`));
    await eventually(async () => {
      const { events } = await program.json<{ events: readonly { title: string }[] }>(
        `/api/epgnownext?bRef=${encoded(bouquet)}`,
      );
      return events.every(({ title }) => title) || undefined;
    }, 'now and next of every service');
    const radio = '1:7:2:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.radio" ORDER BY bouquet';
    const stations = await program.json<{ services: typeof services }>(`/api/getservices?sRef=${encoded(radio)}`);
    mkdirSync(join(folder, 'picon'), { recursive: true });
    for (const { servicereference } of [...services, ...stations.services]) {
      const file = join(folder, 'picon', `${servicereference.slice(0, -1).replaceAll(':', '_')}.png`);
      await output('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'color=red:s=100x60', '-frames:v', '1', file]);
    }
    const streams = ['-map', '0:v', '-map', '1:a', '-c:v', 'mpeg2video', '-g', '12', '-c:a', 'mp2', '-t', '60'];
    const content = await output('ffmpeg', ['-v', 'error', ...picture, ...tone, ...streams, '-f', 'mpegts', 'pipe:1']);
    writeRecording(film, {
      content,
      meta: [
        services[0]?.servicereference ?? '',
        'Lighthouses & Keepers',
        'A winter on the rock',
        '1772395200',
        'Manual',
        `${60 * 90_000}`,
        `${content.length}`,
      ],
    });
    kodi = await startKodi({
      home: join(folder, 'kodi'),
      display,
      sound,
      http: program.http,
      stream: program.stream,
      addon: { zap: 'true', powerstatemode: '3' },
    });
  });

  afterAll(async () => {
    kodi?.end();
    await display?.close();
    await sound?.close();
    await program?.stop();
    removeFolder(folder);
  });

  const channels = async (group: 'alltv' | 'allradio') => {
    const properties = ['channelnumber', 'icon', 'broadcastnow', 'broadcastnext'];
    const { channels: list } = await kodi.call<{ channels: readonly Channel[] }>('PVR.GetChannels', {
      channelgroupid: group,
      properties,
    });
    return list;
  };
  const recording = async () => {
    const properties = ['plot', 'channel', 'runtime', 'playcount', 'resume'];
    const { recordings } = await kodi.call<{ recordings: readonly Recording[] }>('PVR.GetRecordings', { properties });
    expect(recordings).toHaveLength(1);
    return recordings[0] as Recording;
  };
  const meta = () => readFileSync(`${film}.meta`, 'utf8').split('\n');

  /** Waits until the picture on the screen is close to this one. */
  const shows = async (input: readonly string[]) => {
    const expected = await rgb(input, 16, 9);
    await until(async () => expect(difference(await display.picture(16, 9), expected)).toBeLessThan(25));
  };
  const focus = () => kodi.labels('System.CurrentControl', 'System.CurrentWindow');
  const window = (name: string) => until(async () => expect((await focus())['System.CurrentWindow']).toBe(name));
  /** Moves the focus there with a key, and presses OK. */
  const choose = async (label: string, key: string) => {
    for (let presses = 0; presses < 20; presses++) {
      const { 'System.CurrentControl': current } = await focus();
      if (current === label) {
        await kodi.call('Input.Select');
        return;
      }
      await kodi.call(`Input.${key}`);
      await until(async () => expect((await focus())['System.CurrentControl']).not.toBe(current));
    }
    throw new Error(`Kodi has no ${label} here`);
  };
  const contextMenu = async (label: string) => {
    await kodi.call('GUI.ActivateWindow', { window: 'tvrecordings' });
    await until(async () => expect((await focus())['System.CurrentControl']).toBe((await recording()).label));
    await kodi.call('Input.ContextMenu');
    await window('Context menu');
    await choose(label, 'Down');
  };

  it('shows the bouquets with their channels, numbers and picons', async () => {
    const groups = async (channeltype: string) => {
      const answer = await kodi.call<{ channelgroups: readonly { label: string }[] }>('PVR.GetChannelGroups', {
        channeltype,
      });
      return answer.channelgroups.map(({ label }) => label);
    };
    await until(async () => expect(await groups('tv')).toContain('Favourites (TV)'));
    await until(async () => expect(await groups('radio')).toContain('Favourites (Radio)'));
    const list = await until(async () => {
      const found = await channels('alltv');
      expect(found).toHaveLength(services.length);
      return found;
    });
    for (const [n, { servicereference, servicename }] of services.entries()) {
      expect(list[n]).toMatchObject({
        label: servicename,
        channelnumber: n + 1,
        icon: `${program.http}/picon/${servicereference.slice(0, -1).replaceAll(':', '_')}.png`,
      });
    }
    expect((await channels('allradio')).length).toBeGreaterThan(1);
  });

  it('shows the guide, now and next', async () => {
    const [first] = await until(async () => {
      const list = await channels('alltv');
      for (const { broadcastnow, broadcastnext } of list) {
        expect(broadcastnow?.title).toBeTruthy();
        expect(broadcastnext?.title).toBeTruthy();
      }
      return list;
    });
    const reference = services[0]?.servicereference ?? '';
    const { events } = await program.json<{ events: readonly { title: string; begin_timestamp: number }[] }>(
      `/api/epgservice?sRef=${encoded(reference)}`,
    );
    const { broadcasts } = await kodi.call<{ broadcasts: readonly { title: string; starttime: string }[] }>(
      'PVR.GetBroadcasts',
      { channelid: first?.channelid, properties: ['title', 'starttime'] },
    );
    const shown = broadcasts.map(({ title, starttime }) => `${Date.parse(`${starttime}Z`) / 1000} ${title}`);
    expect(shown).toEqual(
      expect.arrayContaining(events.slice(0, 20).map(({ title, begin_timestamp }) => `${begin_timestamp} ${title}`)),
    );
    expect(events.length).toBeGreaterThan(20);
  });

  it('zaps, plays the channel and shows its signal', async () => {
    const [first] = await channels('alltv');
    await open(kodi, { channelid: first?.channelid });
    await plays(kodi, 2);
    await until(async () =>
      expect(await player(kodi, 'live', 'currentvideostream', 'currentaudiostream')).toMatchObject({
        live: true,
        currentvideostream: { codec: 'h264' },
        currentaudiostream: { codec: 'aac' },
      }),
    );
    const reference = services[0]?.servicereference ?? '';
    await shows(['-i', `${program.stream}/${reference}`]);
    expect(await program.json('/api/getcurrent')).toMatchObject({ info: { ref: reference } });
    await until(async () => {
      const shown = await kodi.labels('PVR.ActStreamSignal', 'PVR.ActStreamSNR', 'PVR.ActStreamServiceName');
      expect(shown['PVR.ActStreamSignal']).toMatch(/^[1-9]\d? %$|^100 %$/);
      expect(shown['PVR.ActStreamSNR']).toMatch(/^[1-9]\d? %$|^100 %$/);
      expect(shown['PVR.ActStreamServiceName']).toBe(services[0]?.servicename);
    });
    await stop(kodi);
  });

  it.runIf(isWholeRun)('plays a recording, seeks in it and resumes at its last position', async () => {
    const found = await recording();
    expect(found).toMatchObject({
      label: 'Lighthouses & Keepers',
      plot: 'A winter on the rock',
      channel: services[0]?.servicename,
      runtime: 60,
      playcount: 0,
      resume: { position: 0 },
    });
    await open(kodi, { recordingid: found.recordingid });
    await plays(kodi, 1);
    await kodi.call('Player.Seek', { playerid: 1, value: { time: { hours: 0, minutes: 0, seconds: 30 } } });
    await until(async () => expect((await player(kodi)).position).toBeGreaterThanOrEqual(30));
    await plays(kodi, 1);
    await shows(picture);
    await stop(kodi);
    const position = await until(async () => {
      const { resume } = await recording();
      expect(resume.position).toBeGreaterThanOrEqual(30);
      return resume.position;
    });
    await until(() => expect(meta()[4]?.split(' ')).toContain(`LastPlayed=${position}`));
    expect(meta()[4]).toMatch(/^Manual /);
  });

  it.runIf(isWholeRun)('counts how often a recording was watched', async () => {
    await contextMenu('Mark as watched');
    await until(() => expect(meta()[4]?.split(' ')).toContain('PlayCount=1'));
    await until(async () => expect((await recording()).playcount).toBe(1));
  });

  it.runIf(isWholeRun)('renames a recording', async () => {
    await contextMenu('Edit');
    await window('PVR recording setting');
    await choose('Name', 'Down');
    await window('Virtual keyboard');
    await kodi.call('Input.SendText', { text: 'Late & <Early> Äpfel', done: true });
    await window('PVR recording setting');
    await choose('OK', 'Right');
    await until(() => expect(meta()[1]).toBe('Late & <Early> Äpfel'));
    await until(async () => expect((await recording()).label).toBe('Late & <Early> Äpfel'));
    expect((await recording()).playcount).toBe(1);
  });

  describe.runIf(isWholeRun)('and its timer rules', () => {
    interface KodiTimer {
      readonly timerid: number;
      readonly title: string;
      readonly istimerrule: boolean;
      readonly state: string;
    }
    const timers = async () => {
      const properties = ['title', 'istimerrule', 'state'];
      return (await kodi.call<{ timers: readonly KodiTimer[] }>('PVR.GetTimers', { properties })).timers;
    };
    const rules = async () => (await program.json<{ items: readonly { timers: number }[] }>('/autotimers')).items;

    it('creates one from an event of the guide, and shows it with its timers', async () => {
      const [first] = await channels('alltv');
      interface Broadcast {
        /** Set once Kodi has stored its guide, which it does every minute. */
        readonly broadcastid?: number;
        readonly title: string;
        readonly isactive: boolean;
        readonly wasactive: boolean;
      }
      const stored = async () => {
        const asked = { channelid: first?.channelid, properties: ['title', 'isactive', 'wasactive'] };
        const { broadcasts } = await kodi.call<{ broadcasts: readonly Broadcast[] }>('PVR.GetBroadcasts', asked);
        const next = broadcasts.filter(({ isactive, wasactive }) => !isactive && !wasactive)[5];
        expect(next?.broadcastid).toBeGreaterThan(0);
        return next as Broadcast;
      };
      const wanted = await until(stored).catch(() => until(stored));
      await kodi.call('PVR.AddTimer', { broadcastid: wanted.broadcastid, timerrule: true });
      const rule = { match: wanted.title, enabled: true, searchType: 'start', caseSensitive: true };
      await until(async () => expect(await rules()).toMatchObject([rule]));
      await until(async () => {
        const all = await timers();
        const [rule] = await rules();
        expect(rule?.timers).toBeGreaterThan(0);
        expect(all.filter(({ istimerrule }) => istimerrule)).toMatchObject([
          { title: wanted.title, state: 'scheduled' },
        ]);
        expect(all.filter(({ istimerrule }) => !istimerrule)).toHaveLength(rule?.timers ?? 0);
      });
    });

    it('deletes one with its timers', async () => {
      const rule = (await timers()).find(({ istimerrule }) => istimerrule);
      await kodi.call('PVR.DeleteTimer', { timerid: rule?.timerid });
      await until(async () => expect(await rules()).toEqual([]));
      await until(async () => expect(await timers()).toEqual([]));
      expect((await program.json<{ timers: readonly unknown[] }>('/api/timerlist')).timers).toEqual([]);
    });
  });

  it('puts the receiver into standby when it quits, and neither logs a complaint', async () => {
    await kodi.quit();
    expect(await program.json('/api/statusinfo')).toMatchObject({ inStandby: 'true' });
    expect(complaints(kodi)).toEqual([]);
    const requests = program.log.filter(({ path }) => path);
    expect(requests.length).toBeGreaterThan(20);
    expect(requests.filter(({ status = 0 }) => ![200, 206].includes(status))).toEqual([]);
    expect(program.log.filter(({ level }) => level > 30)).toEqual([]);
  });
});
