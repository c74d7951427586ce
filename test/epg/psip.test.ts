/** ATSC: a multiplex with PSIP gives names, numbers, the clock and the guide. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Tuner } from '../../src/dvb/tuner.ts';
import { Guide, type GuideEvent } from '../../src/epg/guide.ts';
import { exportXmltv } from '../../src/epg/xmltv.ts';
import { contentAdvisory, genre, type PsipShape, psipStream } from '../fixtures/psip.ts';
import { until, untilTrue } from '../fixtures/waits.ts';

const time = Date.UTC(2026, 4, 1, 13, 20) / 1000;
const hour = 3600;
const shape: PsipShape = {
  transportStreamId: 0x1fe1,
  programs: [3, 4, 5],
  time,
  channels: [
    { name: 'KULX', major: 10, minor: 1, programNumber: 3, sourceId: 1, text: "Ogden's own" },
    { name: 'Long', major: 10, minor: 2, programNumber: 4, sourceId: 2, extendedName: 'A Longer Name', hidden: true },
    { name: 'Cable', major: 0x3f1, minor: 5, programNumber: 5, sourceId: 3, accessControlled: true },
    { name: 'Absent', major: 10, minor: 9, programNumber: 99, sourceId: 9 },
    { name: 'Other', major: 11, minor: 1, programNumber: 3, sourceId: 4, transportStreamId: 0x1fe2 },
  ],
  events: [
    { id: 1, sourceId: 1, start: time - 2 * hour, duration: 3 * hour, title: 'On air', text: 'About it, at length.' },
    {
      id: 2,
      sourceId: 1,
      start: time + hour,
      duration: 1800,
      title: 'Next',
      descriptors: Buffer.concat([contentAdvisory(1, 'TV-14-LV'), genre(0x25, 0x2d)]),
    },
    { id: 0, sourceId: 4, start: time, duration: hour, title: 'Elsewhere', descriptors: contentAdvisory(1, 'TV-PG') },
  ],
};

let folder: string;
let guide: Guide;
let tuner: Tuner | undefined;
let times: number[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'receiverd-psip-'));
  guide = new Guide();
  times = [];
});
afterEach(async () => {
  await tuner?.stop();
  rmSync(folder, { recursive: true });
});

/** Everything that a file contains. */
async function receive(stream: Buffer): Promise<Tuner> {
  const path = join(folder, 'atsc.ts');
  writeFileSync(path, stream);
  return receiveFile(path);
}

async function receiveFile(path: string): Promise<Tuner> {
  const opened = new Tuner({ kind: 'file', path, loop: true, paced: false }, { guide: guide.native });
  tuner = opened;
  opened.onTime((received) => times.push(received));
  opened.start();
  await untilTrue(() => opened.multiplex().exhausted);
  await guide.flush();
  return opened;
}

async function events(): Promise<GuideEvent[]> {
  const services = await guide.services();
  return guide.window(
    services.map(({ service }) => service),
    0,
  );
}

describe('a multiplex with PSIP', () => {
  it('has the services that VCT and PAT agree on', async () => {
    const { services, otherServices, complete } = (await receive(psipStream(shape))).multiplex();
    expect(complete).toBe(true);
    expect(
      services.map((one) => [one.serviceId, one.name, one.channelNumber, one.minorNumber, one.sourceId, one.type]),
    ).toEqual([
      [3, 'KULX', 10, 1, 1, 1],
      [4, 'A Longer Name', 10, 2, 2, 1],
      [5, 'Cable', 1029, null, 3, 1],
    ]);
    expect(services.map(({ description }) => description)).toEqual(["Ogden's own", undefined, undefined]);
    expect(services.map(({ visible, scrambled }) => [visible, scrambled])).toEqual([
      [true, false],
      [false, false],
      [true, true],
    ]);
    expect(services[0]?.streams.map(({ codec }) => codec)).toEqual(['MPEG-2', 'AC-3']);
    expect(otherServices.map(({ name, transportStreamId, serviceId }) => [name, transportStreamId, serviceId])).toEqual(
      [['Other', 0x1fe2, 3]],
    );
  });

  it('is described by PAT and PMT without a VCT', async () => {
    const { services, complete } = (await receive(psipStream({ ...shape, channels: [] }))).multiplex();
    expect(services.map(({ serviceId, name, type }) => [serviceId, name, type])).toEqual([
      [3, '', 1],
      [4, '', 1],
      [5, '', 1],
    ]);
    expect(complete).toBe(true);
  });

  it('is described by PAT and PMT if the VCT is that of another one', async () => {
    const { services } = (await receive(psipStream({ ...shape, vctStreamId: 1 }))).multiplex();
    expect(services.map(({ serviceId, name }) => [serviceId, name])).toEqual([
      [3, ''],
      [4, ''],
      [5, ''],
    ]);
    expect(await events()).toEqual([]);
  });

  it('has the words of its ratings in guide files', async () => {
    await receive(psipStream(shape));
    const service = { originalNetworkId: 0, transportStreamId: 0x1fe1, serviceId: 3 };
    const pieces: Buffer[] = [];
    for await (const piece of exportXmltv(guide, [{ service, id: 'x', name: 'X', number: '10.1' }])) {
      pieces.push(Buffer.from(piece));
    }
    const document = Buffer.concat(pieces).toString();
    expect(document).toContain('<rating><value>TV-14-LV</value></rating>');
    expect(document).toContain('<display-name>10.1</display-name>');
  });

  it('fills the guide, with the texts of its ETT, ratings and genres', async () => {
    await receive(psipStream(shape));
    const found = await events();
    expect(found.map(({ service, id, start, duration }) => [service.serviceId, id, start, duration])).toEqual([
      [3, 1, time - 2 * hour, 3 * hour],
      [3, 2, time + hour, 1800],
      [3, 0x4000, time, hour],
    ]);
    expect(found.map(({ title, extendedText, language }) => [title, extendedText, language])).toEqual([
      ['On air', 'About it, at length.', 'eng'],
      ['Next', '', 'eng'],
      ['Elsewhere', '', 'eng'],
    ]);
    expect(found.map(({ rating, parental }) => [rating, parental])).toEqual([
      [undefined, []],
      ['TV-14-LV', [{ country: 'USA', rating: 11 }]],
      ['TV-PG', []],
    ]);
    expect(found[1]?.genres).toEqual([
      { level1: 4, level2: 0, user: 0x25 },
      { level1: 4, level2: 5, user: 0x2d },
    ]);
  });

  it('has its clock, and is complete for the collector', async () => {
    const opened = await receive(psipStream(shape));
    await until(() => {
      expect(times).toContain(time);
      const own = opened.guideProgress().find(({ transportStreamId }) => transportStreamId === 0x1fe1);
      expect(own).toMatchObject({ schedules: 4, schedulesComplete: 4, presentFollowing: 0 });
    });
  });

  it('may use the PIDs that DVB reserves for tables', async () => {
    const { services } = (
      await receive(
        psipStream({
          ...shape,
          streams: [
            [0x02, 0x11],
            [0x81, 0x12],
            [0x81, 0x14],
          ],
        }),
      )
    ).multiplex();
    expect(services[0]?.streams.map(({ pid, kind }) => [pid, kind])).toContainEqual([0x11, 'video']);
    expect(services[0]?.name).toBe('KULX');
  });

  it('survives damage', async () => {
    const stream = psipStream(shape);
    for (let at = 200; at < stream.length; at += 61) if (at % 188 > 4) stream[at] = (stream[at] as number) ^ 0x55;
    expect((await receive(stream)).multiplex().exhausted).toBe(true);
  });
});

const data = join(process.env.RECEIVERD_TEST_DATA ?? '/nonexistent', 'atsc');

describe.skipIf(!existsSync(data))('an American multiplex', () => {
  it('has all events that TSDuck finds', async () => {
    const path = join(folder, 'live.ts');
    execFileSync(join(data, 'pack-sections'), [path, '4']);
    const opened = await receiveFile(path);
    const { services } = opened.multiplex();
    expect(services.map((one) => `${one.name} ${one.channelNumber}.${one.minorNumber}`)).toEqual([
      ...['KULX 10.1', 'TelXito 10.2', 'LightTV 10.3', 'Quest 10.4'],
    ]);
    const found = (await events()).map(({ service, start, duration, title, rating = '' }) =>
      [service.serviceId - 2, start, duration, title, rating].join('|'),
    );
    const truth = eventsOf(readFileSync(join(data, 'live-eit.xml'), 'utf8'));
    expect(truth.size).toBeGreaterThan(50);
    expect(new Set(found)).toEqual(truth);
  });
});

/** The events of TSDuck's document: source, start, duration, title, words of the rating. Its times are GPS time. */
function eventsOf(document: string): Set<string> {
  const found = new Set<string>();
  for (const [, source, table = ''] of document.matchAll(/<ATSC_EIT [^>]*source_id="(\w+)"([\s\S]*?)<\/ATSC_EIT>/g)) {
    for (const [, start, duration, content = ''] of table.matchAll(
      /<event [^>]*start_time="([^"]+)"[^>]*length_in_seconds="([\d,]+)"([\s\S]*?)<\/event>/g,
    )) {
      const [, title = ''] = /<title_text>\s*<string language="\w+" text="([^"]*)"/.exec(content) ?? [];
      const words = [...content.matchAll(/<rating_description>\s*<string language="\w+" text="([^"]*)"/g)];
      const utc = Date.parse(`${start?.replace(' ', 'T')}Z`) / 1000 - 18;
      const seconds = Number(duration?.replace(',', ''));
      found.add(
        [Number(source), utc, seconds, decoded(title), words.map(([, text = '']) => decoded(text)).join(', ')].join(
          '|',
        ),
      );
    }
  }
  return found;
}

const entities: Readonly<Record<string, string>> = { amp: '&', apos: "'", quot: '"', lt: '<', gt: '>' };
const decoded = (text: string) => text.replace(/&(\w+);/g, (_, name: string) => entities[name] ?? '').trim();
