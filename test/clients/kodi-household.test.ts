/**
 * Kodi with the data of a real household: its Enigma2 folder, a real broadcast on the tuner, a real recording, and an
 * account for it.
 */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeRecording } from '../fixtures/recordings.ts';
import { eventually, until } from '../fixtures/waits.ts';
import { isWholeRun } from '../fixtures/whole-run.ts';
import { launchCommand, type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';
import { type Display, difference, openDisplay } from './display.ts';
import { complaints, type Kodi, kodiIsInstalled, open, player, plays, startKodi, stop } from './kodi.ts';
import { openSound, type Sound } from './sound.ts';

const data = process.env.RECEIVERD_TEST_DATA ?? '/nonexistent';
const lists = join(data, 'enigma2', 'cable');
const broadcast = join(data, 'ts', 'arte-2019-av.ts');
const recorded = join(data, 'ts', 'big-buck-bunny.ts');
const canRun = isWholeRun && kodiIsInstalled && [lists, broadcast, recorded].every(existsSync);
const encoded = encodeURIComponent;
const password = 'correct-horse';
const headers = { authorization: `Basic ${Buffer.from(`kodi:${password}`).toString('base64')}` };

interface Service {
  readonly servicereference: string;
  readonly servicename: string;
}

describe.skipIf(!canRun)('Kodi in a household', () => {
  const folder = temporaryFolder();
  let program: Program;
  let display: Display;
  let sound: Sound;
  let kodi: Kodi;

  beforeAll(async () => {
    cpSync(lists, join(folder, 'enigma2'), { recursive: true, mode: 0 });
    const content = readFileSync(recorded);
    const meta = ['', 'Big Buck Bunny', '', '1772395200', '', `${10 * 90_000}`, `${content.length}`];
    writeRecording(join(folder, 'movie', 'Big Buck Bunny.ts'), { content, meta });
    const { child, ended } = launchCommand('user', 'add', 'kodi', '--data-dir', folder);
    child.stdin?.end(`${password}\n`);
    expect(await ended).toMatchObject({ code: 0 });
    [program, display, sound] = await Promise.all([
      startProgram(folder, '--tuner', `file:${broadcast}`, '--log-level', 'debug'),
      openDisplay(),
      openSound(join(folder, 'sound')),
    ]);
    await eventually(async () => (await services('userbouquet.LastScanned.tv')).length || undefined, 'the scan');
    kodi = await startKodi({
      home: join(folder, 'kodi'),
      display,
      sound,
      http: program.http,
      stream: program.stream,
      addon: { excludelastscannedtv: 'false', user: 'kodi', pass: password, use_login_stream: 'true' },
    });
  });

  afterAll(async () => {
    kodi?.end();
    await display?.close();
    await sound?.close();
    await program?.stop();
    removeFolder(folder);
  });

  const list = async (reference: string) => {
    const response = await program.get(`/api/getservices?sRef=${encoded(reference)}`, headers);
    return ((await response.json()) as { readonly services: readonly Service[] }).services;
  };
  const services = (file: string) => list(`1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "${file}" ORDER BY bouquet`);
  const groups = async () => {
    const answer = await kodi.call<{ channelgroups: readonly { channelgroupid: number; label: string }[] }>(
      'PVR.GetChannelGroups',
      { channeltype: 'tv' },
    );
    return answer.channelgroups;
  };
  const channels = async (channelgroupid: number | string) => {
    const asked = { channelgroupid };
    const answer = await kodi.call<{ channels: readonly { channelid: number; label: string }[] }>(
      'PVR.GetChannels',
      asked,
    );
    return answer.channels;
  };

  it('shows every bouquet with every channel', async () => {
    const bouquets = await list('1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "bouquets.tv" ORDER BY bouquet');
    const expected = new Map<string, readonly string[]>();
    for (const { servicereference, servicename } of bouquets) {
      // Kodi has its own name for these.
      const shown = servicereference.includes('userbouquet.LastScanned.tv') ? 'Last Scanned (TV)' : servicename;
      // A channel listed twice in a bouquet is shown once; markers are not shown.
      const members = new Map<string, string>();
      for (const one of await list(servicereference)) {
        const { servicereference: reference } = one;
        if (!/^1:(64|320):/.test(reference) && !members.has(reference)) members.set(reference, one.servicename);
      }
      if (members.size > 0) expected.set(shown, [...members.values()]);
    }
    expect(expected.size).toBeGreaterThan(8);
    await until(async () => {
      const shown = (await groups()).map(({ label }) => label);
      expect(shown).toEqual(expect.arrayContaining([...expected.keys()]));
    });
    for (const { channelgroupid, label } of await groups()) {
      const names = expected.get(label);
      // A channel has one number, from its first bouquet, by which each group is sorted.
      const shown = (await channels(channelgroupid)).map((channel) => channel.label).sort();
      if (names) expect(shown, label).toEqual([...names].sort());
    }
  });

  it('plays a live channel', async () => {
    const [service] = await services('userbouquet.LastScanned.tv');
    const channel = await until(async () => {
      const found = (await channels('alltv')).find(({ label }) => label === service?.servicename);
      expect(found).toBeDefined();
      return found;
    });
    await open(kodi, { channelid: channel?.channelid });
    // Without a guide it does not report the time of the current event.
    await until(async () =>
      expect(await player(kodi, 'speed', 'currentvideostream', 'currentaudiostream')).toMatchObject({
        speed: 1,
        currentvideostream: { codec: 'h264', width: 1920 },
        currentaudiostream: { codec: 'eac3' },
      }),
    );
    const before = await display.picture(32, 18);
    await until(async () => expect(difference(await display.picture(32, 18), before)).toBeGreaterThan(5));
    await stop(kodi);
  });

  it('plays a recording', async () => {
    const { recordings } = await kodi.call<{ recordings: readonly { recordingid: number; label: string }[] }>(
      'PVR.GetRecordings',
    );
    expect(recordings).toMatchObject([{ label: 'Big Buck Bunny' }]);
    await open(kodi, { recordingid: recordings[0]?.recordingid });
    await plays(kodi, 1);
    expect(await player(kodi, 'currentvideostream')).toMatchObject({ currentvideostream: { codec: 'h264' } });
    await stop(kodi);
  });

  it('logs no complaints', async () => {
    await kodi.quit();
    // Most of these channels are not received here and have no guide.
    expect(complaints(kodi).filter((line) => !/Could not find <e2event>|\/picon\//.test(line))).toEqual([]);
    // It sends its password once it is asked for it.
    const bad = program.log.filter(
      ({ path, status = 0 }) => path && status >= 400 && status !== 401 && !path.startsWith('/picon/'),
    );
    expect(bad).toEqual([]);
    expect(program.log.filter(({ level }) => level > 40)).toEqual([]);
  });
});
