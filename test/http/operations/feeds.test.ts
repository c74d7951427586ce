/** Playlists and feeds other than plain M3U. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceReference } from '../../../src/services/reference.ts';
import { alpha, beta, favourites, fillGuide, openReceiver, second, type TestReceiver } from '../receiver.ts';
import { all, api, at, get, leaves, names, parseXml, web } from '../reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

const box = { headers: { host: 'box:8080' } };

describe('services.xspf', () => {
  it('returns a playlist with picture and address of each service', async () => {
    for (const path of ['/web/services.xspf', '/api/servicesxspf']) {
      const reply = await get(receiver, path, { bRef: favourites, bName: 'Mine & yours' }, box);
      expect(reply).toMatchObject({ status: 200, type: 'application/xspf+xml' });
      expect(reply.headers['content-disposition']).toBe('inline; filename="Mine & yours.xspf"');
      const playlist = parseXml(reply.body);
      expect(playlist.attributes).toEqual({ version: '1', xmlns: 'http://xspf.org/ns/0/' });
      expect(names(playlist)).toEqual(['title', 'trackList']);
      expect(at(playlist, 'title').text).toBe('Mine & yours');
      expect(all(at(playlist, 'trackList'), 'track').map((track) => leaves(track))).toEqual([
        [
          ['title', 'Alpha HD'],
          ['image', 'http://box:8080/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png'],
          ['location', `http://box:8001/${alpha}`],
        ],
        [
          ['title', 'Beta'],
          ['image', 'http://box:8080/picon/1_0_1_2B67_3F3_1_C00000_0_0_0.png'],
          ['location', `http://box:8001/${beta}`],
        ],
      ]);
    }
  });

  it('links network streams directly', async () => {
    const playlist = parseXml((await get(receiver, '/web/services.xspf', { bRef: second })).body);
    expect(at(playlist, 'title').text).toBe('Second');
    const locations = all(at(playlist, 'trackList'), 'track').map((track) => at(track, 'location').text);
    expect(locations).toContain('http://host:8080/live.ts');
  });

  it('covers every bouquet without bRef, and fails for a missing bouquet', async () => {
    const playlist = parseXml((await get(receiver, '/web/services.xspf')).body);
    expect(all(at(playlist, 'trackList'), 'track')).toHaveLength(5);
    const missing = await get(receiver, '/web/services.xspf', { bRef: favourites.replace('favourites', 'nosuch') });
    expect(missing.status).toBe(404);
  });
});

describe('epgsearchrss', () => {
  beforeAll(() => fillGuide(receiver.parts.guide));

  it('returns a feed of the hits', async () => {
    for (const path of ['/web/epgsearchrss', '/api/epgsearchrss']) {
      const reply = await get(receiver, path, { search: 'ships' }, box);
      expect(reply).toMatchObject({ status: 200, type: 'text/xml; charset=UTF-8' });
      const feed = parseXml(reply.body);
      expect([feed.name, feed.attributes]).toEqual(['rss', { version: '2.0' }]);
      const channel = at(feed, 'channel');
      expect(leaves(channel).slice(0, 4)).toEqual([
        ['title', "EPG Search 'ships'"],
        ['link', 'http://box:8080/'],
        ['description', "1 result for 'ships'"],
        ['generator', 'receiverd'],
      ]);
      expect(all(channel, 'item').map((item) => leaves(item))).toEqual([
        [
          ['title', 'Ships & Harbours (Thu 01.01.2026 19:00)'],
          ['description', expect.stringMatching(/^Episode 3\nThe pilot boats of a large river\./)],
          ['author', 'Alpha HD'],
        ],
      ]);
    }
  });

  it('is empty without hits, and quotes the search text', async () => {
    const channel = at(parseXml((await get(receiver, '/web/epgsearchrss', { search: '<nothing>' })).body), 'channel');
    expect(at(channel, 'description').text).toBe("0 result for '<nothing>'");
    expect(all(channel, 'item')).toEqual([]);
  });

  it.each([{}, { search: '' }, { search: ' ' }])('requires a text: %o', async (parameters: Record<string, string>) => {
    const { body } = await get(receiver, '/web/epgsearchrss', parameters);
    expect(at(parseXml(body), 'e2state').text).toBe('False');
  });
});

describe('playlists of one stream', () => {
  const lines = async (name: string, parameters: Record<string, string | number>) =>
    (await get(receiver, `/web/${name}`, parameters, box)).body.trimEnd().split('\n');

  beforeEach(async () => {
    await receiver.playback.zap(ServiceReference.parse(beta));
  });

  it.each([
    ['stream.m3u', { ref: beta }],
    ['video.m3u', { ref: beta }],
    ['streamcurrent.m3u', {}],
  ])('%s leads to another port, or to a transcoder', async (name, parameters) => {
    expect(await lines(name, { ...parameters, port: 9001 })).toContain(`http://box:9001/${beta}`);
    for (const port of [0, 70000, 'x']) {
      expect((await lines(name, { ...parameters, port })).at(-1), String(port)).toBe(`http://box:8001/${beta}`);
    }
    const phone = await lines(name, { ...parameters, device: 'phone' });
    expect(phone.at(-1)).toBe(`http://box:8002/${beta}?bitrate=1000000&width=720&height=576`);
    expect(phone.join()).not.toContain('program=');
    expect((await lines(name, { ...parameters, device: 'phone', port: 9002 })).at(-1)).toMatch(
      /^http:\/\/box:9002\/.*\?bitrate=/,
    );
    expect((await lines(name, { ...parameters, device: 'etc' })).at(-1)).toBe(`http://box:8001/${beta}`);
  });

  it('take the transcoder’s options from the settings', async () => {
    const world = await openReceiver();
    const key = 'config.plugins.transcodingsetup';
    writeFileSync(join(world.folder, 'settings'), `${key}.port=8003\n${key}.bitrate=500000\n`);
    await api(world, 'servicelistreload', { mode: 0 });
    const { body } = await get(world, '/web/stream.m3u', { ref: alpha, device: 'phone' }, box);
    expect(body).toContain(`http://box:8003/${alpha}?bitrate=500000&width=720&height=576\n`);
    await world.close();
  });

  it('have the given name', async () => {
    expect(await lines('streamcurrent.m3u', { name: 'Upstairs' })).toContain('#EXTINF:-1,Upstairs');
    expect(await lines('streamcurrent.m3u', {})).toContain('#EXTINF:-1,Beta');
  });

  it('zap first on request, but not for a page of another site', async () => {
    await lines('stream.m3u', { ref: alpha, name: 'Shown', zap: 0 });
    expect(receiver.playback.current?.name).toBe('Beta');
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await get(receiver, '/web/stream.m3u', { ref: alpha, zap: 1 }, { headers })).status).toBe(403);
    expect(receiver.playback.current?.name).toBe('Beta');
    expect(await lines('stream.m3u', { ref: alpha, name: 'Shown', zap: 1 })).toContain(`http://box:8001/${alpha}`);
    expect(receiver.playback.current?.name).toBe('Alpha HD');
    expect(at(await web(receiver, 'subservices'), 'e2service', 'e2servicename').text).toBe('Alpha HD');
  });
});
