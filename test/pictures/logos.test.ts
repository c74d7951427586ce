/** The addresses of logos: where they come from, which one is used, how many are kept. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tripletKey } from '../../src/dvb/triplet.ts';
import { Guide } from '../../src/epg/guide.ts';
import { importXmltv } from '../../src/epg/xmltv.ts';
import { readChannelList } from '../../src/iptv/channel-list.ts';
import { importChannels } from '../../src/iptv/import.ts';
import { collectingLogos, Logos, maxLogos } from '../../src/pictures/logos.ts';
import { iptvKeys } from '../../src/services/iptv-key.ts';
import { Services } from '../../src/services/services.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const one = { originalNetworkId: 1, transportStreamId: 2, serviceId: 3 };
const other = { ...one, serviceId: 4 };
const of = (address: string) => new Map([[tripletKey(one), address]]);

it('a channel list comes before a guide file, and both are there after a restart', async () => {
  const folder = temporaryFolder();
  const logos = await Logos.read(folder);
  expect([logos.isEmpty, logos.addressesOf(one)]).toEqual([true, []]);
  await logos.add('guide', of('http://guide/1.png'));
  await logos.add('list', of('http://list/1.png'));
  await logos.add('guide', of('http://guide/2.png'));
  const again = await Logos.read(folder);
  for (const each of [logos, again])
    expect([each.isEmpty, each.addressesOf(one), each.addressesOf(other)]).toEqual([
      false,
      ['http://list/1.png', 'http://guide/2.png'],
      [],
    ]);
  expect(statSync(join(folder, 'logos')).mode & 0o777).toBe(0o600);
});

it('notices what a command has imported beside it', async () => {
  const folder = temporaryFolder();
  const [logos, command] = [await Logos.read(folder), await Logos.read(folder)];
  const { generation } = logos;
  await command.add('list', of('http://list/1.png'));
  await logos.refresh();
  expect([logos.generation > generation, logos.addressesOf(one)]).toEqual([true, ['http://list/1.png']]);
  await logos.add('list', new Map([[tripletKey(other), 'http://list/2.png']]));
  await command.refresh();
  expect([one, other].flatMap((service) => command.addressesOf(service))).toEqual([
    'http://list/1.png',
    'http://list/2.png',
  ]);
});

it('an import that names nothing new changes nothing', async () => {
  const folder = temporaryFolder();
  const logos = await Logos.read(folder);
  await logos.add('guide', of('http://guide/1.png'));
  const { generation } = logos;
  const { ino } = statSync(join(folder, 'logos'));
  await logos.add('guide', of('http://guide/1.png'));
  await logos.refresh();
  expect([logos.generation, statSync(join(folder, 'logos')).ino]).toEqual([generation, ino]);
});

it('forgets the oldest of too many, and skips damaged lines', async () => {
  const folder = temporaryFolder();
  const logos = await Logos.read(folder);
  const many = Array.from({ length: maxLogos + 10 }, (_, n) => [n, `http://list/${n}.png`] as const);
  await logos.add('list', new Map(many));
  const lines = readFileSync(join(folder, 'logos'), 'utf8').trimEnd().split('\n');
  expect([lines.length, lines[0]]).toEqual([maxLogos, 'list a http://list/10.png']);
  writeFileSync(
    join(folder, 'logos'),
    'list\nlist x http://a/\nlist 10000200003 file:///etc/passwd\n\0\nguide 100020003 http://b/\n',
  );
  await logos.refresh();
  expect(logos.addressesOf(one)).toEqual(['http://b/']);
});

it('a channel list gives the logos of its channels', async () => {
  const services = await Services.load(temporaryFolder());
  const list =
    '#EXTM3U\n#EXTINF:-1 tvg-id="one.tv" tvg-logo="http://l/1.png",One\nhttp://h/1\n#EXTINF:-1,Two\nhttp://h/2\n';
  const { logos } = await importChannels(services, 'TV', (await readChannelList([Buffer.from(list)])).channels);
  expect([...logos]).toEqual([[tripletKey(iptvKeys({ id: 'one.tv' })[0]), 'http://l/1.png']]);
});

it('a guide file gives the logos of the channels that it matches', async () => {
  const guide = new Guide({ clock: { now: () => 1_767_225_600, synchronised: true } });
  const icons = [
    'http://l/1.png',
    'http://l/second.png',
    'file:///etc/passwd',
    '../x.png',
    `http://l/${'x'.repeat(255)}`,
  ];
  const channel = (id: string, from: number) =>
    `<channel id="${id}">${icons
      .slice(from)
      .map((src) => `<icon src="${src}"/>`)
      .join('')}<display-name>${id}</display-name></channel>`;
  const programme = (id: string) =>
    `<programme start="20260101010000 +0000" stop="20260101020000 +0000" channel="${id}"><title>T</title></programme>`;
  const ids = ['x', 'y', 'z'];
  const file = `<tv>${channel('x', 0)}${channel('y', 2)}${channel('z', 0)}${ids.map(programme).join('')}</tv>`;
  const logos = new Map<number, string>();
  const services = new Map([
    ['x', [one, other]],
    ['y', [{ ...one, serviceId: 5 }]],
  ]);
  const servicesOf = collectingLogos((channels) => channels.map(({ id }) => services.get(id) ?? []), logos);
  async function* source() {
    yield Buffer.from(file);
  }
  await importXmltv(guide, source(), { servicesOf });
  expect([...logos]).toEqual([
    [tripletKey(one), 'http://l/1.png'],
    [tripletKey(other), 'http://l/1.png'],
  ]);
});
