/** Playlists, and the empty lists of recordings and timers. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DvbTriplet } from '../../../src/dvb/triplet.ts';
import { removeBouquet } from '../../../src/services/bouquet-changes.ts';
import { ServiceReference } from '../../../src/services/reference.ts';
import { alpha, beta, favourites, group, picture, second } from '../receiver.ts';
import { api, get, leaves, web } from '../reply.ts';
import { play, receiver, useReceiver } from './fixture.ts';

useReceiver();

describe('playlists', () => {
  const box = { headers: { host: 'box:8080' } };
  const lines = async (path: string, parameters: Record<string, string> = {}) => {
    const reply = await get(receiver, path, parameters, box);
    expect(reply).toMatchObject({ status: 200, type: 'application/x-mpegurl' });
    return reply.body.split('\n');
  };

  it('of one service', async () => {
    expect(await lines('/web/stream.m3u', { ref: alpha, name: 'Alpha HD' })).toEqual([
      '#EXTM3U ',
      '#EXTVLCOPT:http-reconnect=true ',
      '#EXTINF:-1,Alpha HD',
      '#EXTVLCOPT:program=11110',
      `http://box:8001/${alpha}`,
      '',
    ]);
    expect(await lines('/api/streamm3u', { ref: alpha })).not.toContain('#EXTINF:-1,Alpha HD');
    expect(await lines('/web/stream.m3u')).toContain('http://box:8001/');
    expect(await lines('/web/stream.m3u', { ref: group })).toContain(`http://box:8001/${alpha}`);
    expect(await lines('/web/stream.m3u', { ref: encodeURIComponent(alpha) })).toContain(`http://box:8001/${alpha}`);
  });

  it('of one service, under a file name', async () => {
    const reply = await get(receiver, '/web/stream.m3u', { ref: alpha, fname: 'Köln "1"' }, box);
    expect(reply.headers['content-disposition']).toBe(
      `inline; filename="K_ln _1_.m3u8"; filename*=UTF-8''${encodeURIComponent('Köln _1_.m3u8')}`,
    );
  });

  it('of the current service', async () => {
    await play();
    expect(await lines('/web/streamcurrent.m3u')).toContain(`http://box:8001/${alpha}`);
    receiver.playback.current = undefined;
    expect(await get(receiver, '/web/streamcurrent.m3u')).toMatchObject({ status: 404 });
  });

  it('of a bouquet', async () => {
    const list = await lines('/web/services.m3u', { bRef: favourites, bName: 'My, list; one' });
    expect(list.filter((line) => line.startsWith('http'))).toEqual([
      `http://box:8001/${alpha}`,
      `http://box:8001/${beta}`,
    ]);
    expect(list.find((line) => line.startsWith('#EXTINF'))).toBe(
      `#EXTINF:-1 tvg-chno="1" tvg-logo="http://box:8080/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png" tvg-id="${alpha}" tvg-name="Alpha HD",Alpha HD`,
    );
    const reply = await get(receiver, '/web/services.m3u', { bRef: favourites, bName: 'My, list; one' }, box);
    expect(reply.headers['content-disposition']).toBe('inline; filename="My_ list_ one.m3u8"');
  });

  it('has a logo only for channels that have a picon', async () => {
    const logos = async (bRef: string) =>
      (await lines('/web/services.m3u', { bRef }))
        .filter((line) => line.startsWith('#EXTINF'))
        .map((line) => [/tvg-name="([^"]*)"/.exec(line)?.[1], /tvg-logo="([^"]*)"/.exec(line)?.[1]]);
    expect(await logos(favourites)).toEqual([
      ['Alpha HD', 'http://box:8080/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png'],
      ['Beta', 'http://box:8080/picon/1_0_1_2B67_3F3_1_C00000_0_0_0.png'],
    ]);
    const own = [
      ['Own Name', undefined],
      ['IPTV & Co', undefined],
      ['<n/a>', undefined],
    ];
    expect(await logos(second)).toEqual(own);
    writeFileSync(join(receiver.folder, 'picon', 'iptv & co.png'), picture);
    const [, named] = await logos(second);
    expect(named).toEqual(['IPTV & Co', 'http://box:8080/picon/iptv%20%26%20co.png']);
    for (const bRef of [favourites, second])
      for (const [, logo = ''] of await logos(bRef))
        if (logo !== '') expect((await get(receiver, new URL(logo).pathname)).status).toBe(200);
    rmSync(join(receiver.folder, 'picon', 'iptv & co.png'));
    expect(await logos(second)).toEqual(own);
  });

  it('of a bouquet with a stream from the network', async () => {
    const list = await lines('/web/services.m3u', { bRef: second });
    expect(list).toContain('http://host:8080/live.ts');
    expect(list.filter((line) => line.startsWith('http'))).toHaveLength(3);
  });

  it('of an imported list has its ids, groups, radio stations and header fields, and imports unchanged', async () => {
    const provider = `#EXTM3U
#EXTINF:-1 tvg-id="one.tv" group-title="News" tvg-logo="https://logos.example/one.png",One
#EXTVLCOPT:http-user-agent=Player/1.0 (X; "Y")
#EXTVLCOPT:http-referrer=http://r.example/?a=1&b=2
http://host.example:8080/u/p%20w/1.ts?token=a
#EXTINF:-1 tvg-id="fm.tv" radio="true" group-title="Radio, and more",FM "One"
http://host.example/fm
#EXTINF:-1 tvg-name="The_Second",Two
udp://@239.1.1.1:1234
`;
    const { services } = receiver.parts;
    const bouquet = () => services.bouquetByName('Provider')?.reference;
    const entries = () => services.list(bouquet() as ServiceReference)?.entries.map(({ reference }) => `${reference}`);
    const imported = async (payload: string) => {
      const reply = await receiver.app.inject({ method: 'POST', url: '/bouquets/import?name=Provider', payload });
      expect(reply.json()).toMatchObject({ result: true, channels: 3, groups: 2, skipped: 0 });
      return (await lines('/web/services.m3u', { bRef: `${bouquet()}` })).join('\n');
    };
    const list = await imported(provider);
    const listed = entries();
    expect(list).toMatch(/tvg-name="One" group-title="News",One\n#EXTVLCOPT:http-user-agent=Player\/1.0 \(X; "Y"\)\n/);
    expect(list).toContain('#EXTVLCOPT:http-referrer=http://r.example/?a=1&b=2\nhttp://host.example:8080/u/p%20w/1.ts');
    expect(list).toContain('group-title="Radio, and more" radio="true",FM "One"\nhttp://host.example/fm\n');
    const logos = () =>
      receiver.parts.logos.addressesOf(ServiceReference.parse(listed?.[2] as string).dvb as DvbTriplet);
    expect(logos()).toEqual(['https://logos.example/one.png']);
    expect(await imported(list)).toBe(list);
    expect(entries()).toEqual(listed);
    expect(logos()).toEqual(['https://logos.example/one.png']);
    await removeBouquet(services, services.bouquetByName('Provider')?.file ?? '');
  });

  it('of every bouquet without bRef', async () => {
    const list = await lines('/web/services.m3u');
    expect(list.filter((line) => line.startsWith('http'))).toHaveLength(5);
    expect(list.filter((line) => line.includes('group-title="Second"'))).toHaveLength(3);
  });

  it('of a missing bouquet is a 404', async () => {
    expect((await get(receiver, '/web/services.m3u', { bRef: 'nonsense' })).status).toBe(404);
  });

  it('zaps with sRef and title, its second function', async () => {
    expect(await lines('/web/services.m3u', { sRef: beta, title: 'The other' })).toContain('#EXTINF:-1,The other');
    expect(receiver.playback.current?.name).toBe('The other');
  });

  it('keeps an IPv6 host in brackets and ignores a malformed Host header', async () => {
    const literal = await get(receiver, '/web/stream.m3u', { ref: alpha }, { headers: { host: '[2001:db8::1]:8080' } });
    expect(literal.body).toContain(`http://[2001:db8::1]:8001/${alpha}`);
    const broken = await get(receiver, '/web/stream.m3u', { ref: alpha }, { headers: { host: 'a b"<' } });
    expect(broken.body).toContain(`http://127.0.0.1:8001/${alpha}`);
  });

  it('of a recording requires one', async () => {
    const nothing = await get(receiver, '/api/tsm3u');
    expect(nothing.status).toBe(400);
    expect(JSON.parse(nothing.body)).toEqual({
      result: false,
      message: 'Missing file parameter',
      error: expect.any(String),
    });
  });
});

describe('recordings and timers', () => {
  it('have locations and tags', async () => {
    const path = [`${receiver.folder}/movie/`];
    expect(await api(receiver, 'getlocations')).toEqual({ result: true, locations: path, default: path[0] });
    expect(await api(receiver, 'getcurrlocation')).toEqual({ result: true, location: path[0] });
    for (const name of ['getlocations', 'getcurrlocation']) {
      expect(leaves(await web(receiver, name))).toEqual([['e2location', path[0]]]);
    }
    expect(await api(receiver, 'gettags')).toEqual({ result: true, tags: ['News', 'Series'] });
    expect(leaves(await web(receiver, 'gettags'))).toEqual([
      ['e2tag', 'News'],
      ['e2tag', 'Series'],
    ]);
  });

  it('are empty lists', async () => {
    expect(await api(receiver, 'timerlist')).toEqual({
      result: true,
      timers: [],
      locations: [`${receiver.folder}/movie/`],
      default: `${receiver.folder}/movie/`,
    });
    expect(await web(receiver, 'timerlist')).toMatchObject({ name: 'e2timerlist', children: [] });
  });
});
