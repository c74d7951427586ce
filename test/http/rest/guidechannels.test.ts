/** Channels of guide files that are chosen for services by hand, and imports from an address. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tripletKey } from '../../../src/dvb/triplet.ts';
import { GuideChannels } from '../../../src/services/guide/guide-channels.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { alpha, now, openReceiver } from '../receiver.ts';

const time = (hours: number) => new Date((now + hours * 3600) * 1000).toISOString().replace(/[-:T]|\..*/g, '');
const programme = (channel: string, title: string) =>
  `<programme start="${time(100)} +0000" stop="${time(101)} +0000" channel="${channel}"><title>${title}</title></programme>`;
const guideFile = `<tv>
  <channel id="first.example"><display-name>Alpha HD</display-name></channel>
  <channel id="other.example"><display-name>The other programme</display-name></channel>
  ${programme('first.example', 'By name')}${programme('other.example', 'By hand')}
</tv>`;

it('a chosen channel of guide files replaces what the name matches, from the next import on', async () => {
  const { app, parts, close } = await openReceiver();
  onTestFinished(close);
  const send = () => app.inject({ method: 'POST', url: '/api/epgimport', payload: guideFile });
  const titles = async () => {
    const service = parts.services.resolve(alpha).dvb;
    return service && (await parts.guide.window([service], now)).map(({ title }) => title);
  };
  const choose = (channel: string) =>
    app.inject({ method: 'POST', url: '/api/guidechannels', payload: { service_reference: alpha, channel } });
  expect((await choose('other.example')).statusCode).toBe(404);
  expect((await send()).json()).toMatchObject({ imported: 1, channels: { matched: 1, unmatched: 1 } });
  const { channels } = (await app.inject('/api/guidechannels/search?what=other%20alpha')).json();
  expect(channels.map(({ id }: { readonly id: string }) => id).sort()).toEqual(['first.example', 'other.example']);
  expect(await titles()).toContain('By name');

  expect((await choose('other.example')).statusCode).toBe(200);
  expect((await send()).json()).toMatchObject({ imported: 1, channels: { matched: 1, unmatched: 1 } });
  expect(await titles()).toContain('By hand');
  expect(await titles()).not.toContain('By name');
  const { services } = (await app.inject('/api/guidechannels')).json();
  expect(services).toContainEqual(
    expect.objectContaining({ servicereference: alpha, guide: true, channel: 'other.example' }),
  );

  await choose('');
  await send();
  expect(await titles()).toContain('By name');
  expect(parts.guideChannels.size).toBe(2);
});

it('finds a channel by each of its names and by its id, also after a restart', async () => {
  const folder = temporaryFolder();
  const collected = new Map<string, string>();
  const channels = await GuideChannels.read(folder);
  const names = ['Omega HD', 'Omega', 'Das Programm', '17', 'Omega'];
  await channels.matching(
    async (all) => all.map(() => []),
    collected,
  )([{ id: 'o.example', names, numbers: [], icon: '' } as never, { id: 'a.example', names: ['Alpha'] } as never]);
  await channels.add(collected);
  for (const known of [channels, await GuideChannels.read(folder)])
    for (const text of ['omega hd', 'das programm', 'programm', '17', 'o.example'])
      expect([text, (await known.find(text, 1))[0]]).toEqual([text, { id: 'o.example', name: 'Omega HD' }]);
});

it('lists channels that have a guide if they are asked for', async () => {
  const { app, close } = await openReceiver();
  onTestFinished(close);
  await app.inject({ method: 'POST', url: '/api/epgimport', payload: guideFile });
  const listed = async (query: string) => {
    const { services, found } = (await app.inject(`/api/guidechannels?${query}`)).json();
    const named = services.filter(({ servicename }: { servicename: string }) => servicename === 'Alpha HD');
    return [named, found];
  };
  expect(await listed('what=alpha')).toEqual([[], 0]);
  expect(await listed('what=alpha&all=1')).toEqual([
    [
      expect.objectContaining({
        servicereference: alpha,
        guide: true,
        channel: '',
        match: 'first.example',
        matched_by: 'name',
      }),
    ],
    expect.any(Number),
  ]);
});

it('finds channels with similar names, the most similar first', async () => {
  const all = await GuideChannels.read(temporaryFolder());
  const names = ['ZDF neo', 'zdf_info', 'Das Erste HD', 'Dasörste', 'Weather'];
  await all.add(new Map(names.map((name) => [`${name}.example`, name])));
  const found = async (text: string) => (await all.find(text, 9)).map(({ name }) => name);
  expect(await found('ZDFneo')).toEqual(['ZDF neo', 'zdf_info']);
  expect(await found('ARD Das Erste')).toEqual(['Das Erste HD', 'Dasörste']);
  expect(await found('Das Erste HD')).toEqual(['Das Erste HD', 'Dasörste']);
  expect(await found('Sport')).toEqual([]);
});

it('says by what the last import has matched a channel, also after a restart', async () => {
  const folder = temporaryFolder();
  const service = { originalNetworkId: 0xff12, transportStreamId: 0x8345, serviceId: 0xf789 };
  const key = tripletKey(service);
  const [one, two] = [new Map([['one.example', 'One']]), new Map([['two.example', 'Two']])];
  const first = await GuideChannels.read(folder);
  await first.add(one, new Map([[key, { id: 'one.example', by: 'name' }]]));
  await first.add(two);
  const again = await GuideChannels.read(folder);
  expect(again.matchFor(service)).toEqual({ id: 'one.example', by: 'name' });
  await again.choose(service, 'two.example');
  expect(again.matchFor(service)).toBeUndefined();
  await again.choose(service, '');
  // A later version of the file has another channel for the service, or none.
  await again.add(one, new Map([[key, { id: 'one.example', by: 'number' }]]));
  expect(again.matchFor(service)).toEqual({ id: 'one.example', by: 'number' });
  await again.add(one);
  expect((await GuideChannels.read(folder)).matchFor(service)).toBeUndefined();
});

it('choices are kept over a restart', async () => {
  const folder = temporaryFolder();
  const service = { originalNetworkId: 0xff12, transportStreamId: 0x8345, serviceId: 0xf789 };
  const first = await GuideChannels.read(folder);
  await first.add(new Map([['one.example', 'One']]));
  await first.choose(service, 'one.example');
  const again = await GuideChannels.read(folder);
  expect(again.chosenFor(service)).toBe('one.example');
  expect(await again.find('one', 5)).toEqual([{ id: 'one.example', name: 'One' }]);
  expect(readFileSync(join(folder, 'guide-channels'), 'latin1')).toBe(
    'choice\tff128345f789\tone.example\nchannel\tone.example\tOne\n',
  );
  const matched = await again.matching(
    (channels) => channels.map(() => []),
    new Map(),
  )([{ id: 'one.example', names: [] }]);
  expect(matched).toEqual([[service]]);
});

it('lists and guide files are downloaded from an address, within the rules for streams', async () => {
  const { app, close } = await openReceiver();
  onTestFinished(close);
  const list = '#EXTM3U\n#EXTINF:-1 tvg-id="other.example",Someone\nhttp://192.0.2.7/one.ts\n';
  const server = createServer(({ url }, response) => {
    if (url === '/guide.xml') return response.end(guideFile);
    if (url === '/list.m3u') return response.end(list);
    if (url === '/inside') return response.writeHead(302, { location: 'http://169.254.1.1/' }).end();
    return response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = (path: string, url: string) =>
    app.inject({ method: 'POST', url: `${path}url=${encodeURIComponent(url)}` });
  const named = '/bouquets/import?name=Mine&';
  expect((await send(named, `${origin}/list.m3u`)).json()).toMatchObject({ channels: 1, result: true });
  const imported = (await send('/api/epgimport?', `${origin}/guide.xml`)).json();
  expect(imported).toMatchObject({ imported: 2, channels: { matched: 2, unmatched: 0 } });
  const missing = await send(named, `${origin}/secret/none`);
  expect([missing.statusCode, missing.json().error]).toEqual([502, 'stream-failed']);
  expect(missing.json().message).toMatch(/^127\.0\.0\.1:\d+: the server answers with status 404$/);
  expect((await send('/api/epgimport?', `${origin}/inside`)).statusCode).toBe(403);
  expect((await send('/api/epgimport?', 'file:///etc/passwd')).statusCode).toBe(403);
});
