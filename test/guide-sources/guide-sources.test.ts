/** Guide sources: when they are read, what a restart keeps, and what happens if they fail. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import pino from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { ReceiverError } from '../../src/base/errors.ts';
import type { DvbTriplet } from '../../src/dvb/triplet.ts';
import { GuideSources } from '../../src/guide-sources/guide-sources.ts';
import { nextReading, sourceOf } from '../../src/guide-sources/source.ts';
import { SourcesFile } from '../../src/guide-sources/sources-file.ts';
import { writtenEntry } from '../../src/services/bouquet-file.ts';
import { GuideChannels } from '../../src/services/guide/guide-channels.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { eitSections } from '../fixtures/eit.ts';
import { networkStreams } from '../fixtures/network.ts';
import { untilTrue } from '../fixtures/waits.ts';
import { alpha, beta, gamma, now, openReceiver, renamed } from '../http/receiver.ts';

const guide = (title: string, channel = 'Alpha HD') =>
  `<tv><channel id="a"><display-name>${channel}</display-name></channel><channel id="x"><display-name>Nobody</display-name>` +
  `</channel><programme start="20260103200000 +0000" stop="20260103210000 +0000" channel="a"><title>${title}</title></programme>` +
  '<programme start="20260103200000 +0000" stop="20260103210000 +0000" channel="x"><title>Other</title></programme></tv>';

async function openWorld(answer: RequestListener = (_, response) => void response.writeHead(404).end()) {
  const { parts, folder, close } = await openReceiver();
  onTestFinished(close);
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const clock = { time: now, now: () => clock.time, synchronised: true };
  const log = pino({ level: 'silent' });
  const open = async (...sources: ReturnType<typeof sourceOf>[]) => {
    const file = await SourcesFile.read(folder);
    const network = networkStreams();
    const opened = new GuideSources(
      { ...parts, network, clock, file, log, zone: { offset: () => 3600 }, random: () => 0 },
      sources,
    );
    onTestFinished(() => opened.stop());
    return opened;
  };
  return {
    ...{ parts, folder, clock, open },
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Lets the sources that are due be read. */
    async readDue(sources: GuideSources, count = sources.all.length) {
      let ended = 0;
      const remove = sources.onChange(({ isRunning }) => {
        if (!isRunning) ended++;
      });
      sources.start();
      await untilTrue(() => ended === count);
      remove();
      await sources.stop();
      return sources.all.map(({ result }) => result);
    },
    titles: async (text: string) => (await parts.guide.search({ text, within: 'title', limit: 9, from: 0 })).total,
  };
}

const daily = { every: 86_400, times: [], priority: 0 };

it('reads an address at its times, only if it has changed, and not again after a restart', async () => {
  const asked: (string | undefined)[] = [];
  const web = { tag: '"1"', body: guide('Zebras') };
  const world = await openWorld(({ headers }, response) => {
    asked.push(headers['if-none-match']);
    if (headers['if-none-match'] === web.tag) return response.writeHead(304).end();
    return response.writeHead(200, { etag: web.tag }).end(gzipSync(web.body));
  });
  const source = sourceOf('url', `${world.origin}/guide.xml.gz`, true, daily);
  const [first] = await world.readDue(await world.open(source));
  expect(first).toMatchObject({
    checked: now,
    imported: now,
    due: now + 86_400,
    programmes: 1,
    matched: 1,
    unmatched: 1,
  });
  expect(first?.channels).toEqual([{ id: 'x', name: 'Nobody', programmes: 1 }]);
  expect(await world.titles('Zebras')).toBe(1);

  world.clock.time += 86_399;
  // A file, which is looked at in any case, shows that the address was considered.
  await world.readDue(await world.open(source, sourceOf('file', '/nowhere', true, daily)), 1);
  expect(asked).toEqual([undefined]);
  const restarted = await world.open(source);

  world.clock.time += 1;
  const [second] = await world.readDue(restarted);
  expect(asked).toEqual([undefined, '"1"']);
  expect(second).toMatchObject({ checked: now + 86_400, imported: now, due: now + 2 * 86_400, failures: 0 });

  Object.assign(web, { tag: '"2"', body: guide('Giraffes') });
  world.clock.time += 86_400;
  const [third] = await world.readDue(restarted);
  expect(asked).toEqual([undefined, '"1"', '"1"']);
  expect(third).toMatchObject({ imported: now + 2 * 86_400, etag: '"2"' });
  expect([await world.titles('Zebras'), await world.titles('Giraffes')]).toEqual([0, 1]);
});

it('asks for the whole file again once services or their channels have changed', async () => {
  const asked: (string | undefined)[] = [];
  const world = await openWorld(({ headers }, response) => {
    asked.push(headers['if-modified-since']);
    return response.writeHead(200, { 'last-modified': 'Thu, 01 Jan 2026 10:00:00 GMT' }).end(guide('Zebras'));
  });
  const sources = await world.open(sourceOf('url', world.origin, true, daily));
  await world.readDue(sources);
  world.clock.time += 86_400;
  await world.readDue(sources);
  await world.parts.services.change((lists) => void lists.addBouquet('Mine', 'tv', 'userbouquet.mine.tv'));
  world.clock.time += 86_400;
  await world.readDue(sources);
  sources.start();
  await sources.refresh(sources.all[0]?.source.id ?? '');
  expect(asked).toEqual([undefined, 'Thu, 01 Jan 2026 10:00:00 GMT', undefined, undefined]);
});

it('reads everything again a minute after the last choice of a channel', async () => {
  let count = 0;
  const world = await openWorld((_, response) => {
    count++;
    response.writeHead(200, { etag: '"1"' }).end(guide('Zebras'));
  });
  const sources = await world.open(
    sourceOf('url', world.origin, true, daily),
    sourceOf('file', '/nowhere', true, daily),
  );
  await world.readDue(sources);
  world.clock.time += 3600;
  sources.readSoon();
  world.clock.time += 59;
  await world.readDue(sources, 1);
  expect(count).toBe(1);
  world.clock.time += 1;
  await world.readDue(sources);
  world.clock.time += 60;
  await world.readDue(sources, 1);
  expect(count).toBe(2);
});

/** Adds the channel Gamma HD to the lists. */
const addGamma = ({ services }: Awaited<ReturnType<typeof openWorld>>['parts']) =>
  services.change((lists) => {
    lists
      .addBouquet('New', 'tv', 'userbouquet.new.tv')
      .fill([writtenEntry(ServiceReference.parse(`${renamed.split('::')[0]}::Gamma HD`))]);
  });

it('reads a guide without any match again when the channel lists change, as by the first scan', async () => {
  const world = await openWorld((_, response) => void response.end(guide('Zebras', 'Gamma HD')));
  const sources = await world.open(sourceOf('url', world.origin, true, daily));
  expect((await world.readDue(sources))[0]).toMatchObject({ matched: 0 });
  await addGamma(world.parts);
  world.clock.time += 60;
  expect((await world.readDue(sources))[0]).toMatchObject({ matched: 1, imported: now + 60 });
});

it('reads it again, too, if the channel lists have changed meanwhile', async () => {
  const world = await openWorld((_, response) => void response.end(guide('Zebras', 'Gamma HD')));
  // Logos are the last part of a reading, after the channels were compared.
  vi.spyOn(world.parts.logos, 'add').mockImplementationOnce(() => addGamma(world.parts));
  const sources = await world.open(sourceOf('url', world.origin, true, daily));
  expect((await world.readDue(sources))[0]).toMatchObject({ matched: 0 });
  world.clock.time += 60;
  expect((await world.readDue(sources))[0]).toMatchObject({ matched: 1, imported: now + 60 });
});

it('tries again after growing pauses, and says why', async () => {
  const world = await openWorld((_, response) => void response.writeHead(500).end());
  const sources = await world.open(sourceOf('url', `${world.origin}/a?password=secret`, true, daily));
  for (const [failures, pause] of [300, 600, 1200].entries()) {
    const [result] = await world.readDue(sources);
    expect(result).toMatchObject({
      failures: failures + 1,
      problem: 'the server answers with status 500',
      imported: 0,
    });
    expect(result?.due).toBe(world.clock.time + pause);
    world.clock.time += pause;
  }
  expect(readFileSync(join(world.folder, 'guide-sources.json'), 'latin1')).not.toContain('secret');
});

it('reads what has failed at the next start, when its cause may be corrected, and only that', async () => {
  let status = 403;
  const asked: string[] = [];
  const world = await openWorld(({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(url === '/good' ? 200 : status).end(guide('Zebras'));
  });
  const both = ['/good', '/bad'].map((path) => sourceOf('url', world.origin + path, true, daily));
  await world.readDue(await world.open(...both));
  status = 200;
  asked.length = 0;
  const restarted = await world.open(...both);
  expect((await world.readDue(restarted, 1))[1]).toMatchObject({ failures: 0, problem: '', imported: now });
  await world.readDue(await world.open(...both, sourceOf('file', '/nowhere', true, daily)), 1);
  expect(asked).toEqual(['/bad']);
});

it('refuses what leads into this machine, damaged files, and files whose channels are unknown', async () => {
  const world = await openWorld(({ url }, response) => {
    if (url === '/inside') return response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    if (url === '/link-local') return response.writeHead(302, { location: 'http://169.254.1.1/' }).end();
    return response.end(url === '/foreign' ? guide('Zebras', 'Elsewhere') : '<tv><programme');
  });
  const places = ['/link-local', '/damaged', '/foreign'].map((path) => world.origin + path);
  const [inside, damaged, foreign] = await world.readDue(
    await world.open(...places.map((place) => sourceOf('url', place, true, daily))),
  );
  expect(inside?.problem).toBe('169.254.1.1 is refused unless iptv.allow contains it');
  expect(damaged?.problem).toContain('the guide file is damaged in line 1');
  expect(foreign).toMatchObject({ failures: 0, problem: 'none of its channels is in the channel lists' });
});

it('imports with the priority of the source, or with that of the service', async () => {
  const world = await openWorld((_, response) => void response.end(guide('Zebras')));
  const { services, guideChannels } = world.parts;
  const service = services.resolve(alpha).dvb;
  if (service === undefined) throw new Error('a stream');
  const broadcast = async (id: number) => {
    const event = { id, start: 1_767_470_400, duration: 3600, title: `Broadcast ${id}` };
    for (const section of eitSections(service, now, [event])) world.parts.guide.ingestSection(section);
    await world.parts.guide.flush();
  };
  const shown = async () => [await world.titles('Broadcast'), await world.titles('Zebras')];
  await broadcast(1);
  const over = await world.open(sourceOf('url', world.origin, true, { ...daily, priority: 5 }));
  await world.readDue(over);
  expect(await shown()).toEqual([0, 1]);
  await broadcast(2);
  expect(await shown()).toEqual([0, 1]);

  await world.parts.guide.clear();
  await broadcast(3);
  await guideChannels.setPriority(service, -1);
  over.start();
  await over.refresh(over.all[0]?.source.id ?? '');
  expect(await shown()).toEqual([1, 0]);
  await guideChannels.setPriority(service, undefined);
  expect((await GuideChannels.read(world.folder)).priorities).toEqual([]);
  await over.refresh(over.all[0]?.source.id ?? '');
  expect(await shown()).toEqual([0, 1]);
});

it('matches channels by the number in the list, and by a file of EPGImport', async () => {
  const world = await openWorld((_, response) => void response.end(guide('Zebras', '2')));
  const numbered = await world.open(
    sourceOf('url', world.origin, true, daily),
    sourceOf('file', '/nowhere', true, daily),
  );
  expect((await world.readDue(numbered))[0]).toMatchObject({ matched: 0 });
  const byNumber = await world.open(sourceOf('url', `${world.origin}/2`, true, { ...daily, numbers: true }));
  expect((await world.readDue(byNumber))[0]).toMatchObject({ matched: 1, unmatched: 1 });
  const titleOf = async (reference: string) => {
    const service = world.parts.services.resolve(reference).dvb;
    return service && (await world.parts.guide.window([service], now)).at(-1)?.title;
  };
  expect([await titleOf(alpha), await titleOf(beta)]).toEqual([expect.not.stringMatching('Zebras'), 'Zebras']);
  const matchOf = (reference: string) => {
    const service = world.parts.services.resolve(reference).dvb;
    return service && world.parts.guideChannels.matchFor(service);
  };
  expect(matchOf(beta)).toEqual({ id: 'a', by: 'number' });

  const channels = join(world.folder, 'rytec.channels.xml');
  writeFileSync(
    channels,
    `<channels><channel id="a">${alpha}</channel><!-- Alpha --><channel id="x">broken</channel><channel id="x">${gamma}</channel></channels>`,
  );
  const byFile = await world.open(sourceOf('url', `${world.origin}/3`, true, { ...daily, numbers: true, channels }));
  expect((await world.readDue(byFile))[0]).toMatchObject({ matched: 2, unmatched: 0 });
  expect([await titleOf(alpha), await titleOf(gamma)]).toEqual(['Zebras', 'Other']);
  expect([alpha, beta, gamma].map(matchOf)).toEqual([
    { id: 'a', by: 'file' },
    { id: 'a', by: 'number' },
    { id: 'x', by: 'file' },
  ]);
});

it('runs a program at its times', async () => {
  const world = await openWorld();
  const path = join(world.folder, 'guide.xml');
  writeFileSync(path, guide('Zebras'));
  const script = `cat ${path}; test -e ${path}.ok`;
  const sources = await world.open(sourceOf('command', '/bin/sh', true, daily, ['-c', script]));
  const [failed] = await world.readDue(sources);
  expect(failed).toMatchObject({ failures: 1, problem: 'status 1', due: now + 300 });
  writeFileSync(`${path}.ok`, '');
  world.clock.time += 300;
  expect((await world.readDue(sources))[0]).toMatchObject({ failures: 0, matched: 1, due: now + 86_700 });
});

it('reads a file when it changes', async () => {
  const world = await openWorld();
  const path = join(world.folder, 'guide.xml');
  const sources = await world.open(sourceOf('file', path, true, daily));
  const [missing] = await world.readDue(sources);
  expect(missing).toMatchObject({ failures: 1, problem: 'no such file or directory' });
  const write = (title: string) => {
    writeFileSync(`${path}.new`, guide(title));
    renameSync(`${path}.new`, path);
  };
  write('Zebras');
  const [first] = await world.readDue(sources);
  expect(first).toMatchObject({ failures: 0, problem: '', imported: now });
  world.clock.time += 60;
  expect(await world.readDue(sources)).toEqual([first]);
  write('Giraffes');
  expect((await world.readDue(sources))[0]?.imported).toBe(now + 60);
  expect(await world.titles('Giraffes')).toBe(1);
  rmSync(path);
  expect((await world.readDue(sources))[0]?.problem).toBe('no such file or directory');
});

it('remembers an address that was added, if it can be imported, until it is removed', async () => {
  const world = await openWorld(
    ({ url }, response) => void response.writeHead(url === '/none' ? 404 : 200).end(guide('Zebras')),
  );
  const sources = await world.open();
  await expect(sources.add(`${world.origin}/none`, daily)).rejects.toThrow('status 404');
  expect(sources.all).toEqual([]);
  expect(await sources.add(world.origin, { ...daily, every: 3600 })).toMatchObject({ result: { programmes: 1 } });
  const [again] = (await world.open()).all;
  expect(again).toMatchObject({
    source: { place: world.origin, every: 3600, isFixed: false },
    result: { imported: now },
  });
  await sources.remove(again?.source.id ?? '');
  expect((await world.open()).all).toEqual([]);
  const fixed = await world.open(sourceOf('url', world.origin, true, daily));
  const code = await fixed.remove(fixed.all[0]?.source.id ?? '').catch((error: ReceiverError) => error.code);
  expect(code).toBe('not-allowed');
});

it('changes the priority of an address, and imports it again in a minute', async () => {
  const world = await openWorld((_, response) => void response.writeHead(200, { etag: '"1"' }).end(guide('Zebras')));
  const sources = await world.open(sourceOf('url', `${world.origin}/fixed`, true, daily));
  await world.readDue(sources);
  sources.start();
  const { source } = await sources.add(world.origin, daily);
  await sources.setPriority(source.id, 5);
  const stored = (await SourcesFile.read(world.folder)).added;
  expect(stored).toMatchObject([{ url: world.origin, priority: 5 }]);
  world.clock.time += 60;
  await world.readDue(sources, 1);
  expect(sources.all.map(({ source, result }) => [source.priority, result.imported])).toEqual([
    [0, now],
    [5, now + 60],
  ]);
  const fixed = sources.all[0]?.source.id ?? '';
  await expect(sources.setPriority(fixed, 5)).rejects.toMatchObject({ code: 'not-allowed' });
});

it('keeps interval and priority of an address, and the chosen channels, when it is added again', async () => {
  const world = await openWorld((_, response) => void response.end(guide('Zebras')));
  const sources = await world.open();
  await sources.add(world.origin, { every: 3600 });
  await sources.setPriority(sources.all[0]?.source.id ?? '', 5);
  const { guideChannels } = world.parts;
  const service = ServiceReference.parse(beta).dvb as DvbTriplet;
  await guideChannels.choose(service, 'x');
  const { source } = await sources.add(world.origin);
  expect(source).toMatchObject({ every: 3600, priority: 5 });
  expect(guideChannels.chosenFor(service)).toBe('x');
  expect(await sources.add(world.origin, { priority: 0 })).toMatchObject({ source: { every: 3600, priority: 0 } });
});

it('does not change a source of the configuration file that is added again', async () => {
  const world = await openWorld((_, response) => void response.end(guide('Zebras')));
  const sources = await world.open(sourceOf('url', world.origin, true, { ...daily, priority: 3 }));
  await expect(sources.add(world.origin, { ...daily, priority: 9 })).rejects.toMatchObject({ code: 'not-allowed' });
  expect(sources.all).toMatchObject([{ source: { isFixed: true, priority: 3 }, result: { checked: 0 } }]);
  expect((await world.open()).all).toEqual([]);
});

it('gives sources of the same host different names', async () => {
  const world = await openWorld(
    ({ url }, response) => void response.writeHead(url === '/b' ? 404 : 200).end(guide('Zebras')),
  );
  const sources = await world.open(
    sourceOf('url', `${world.origin}/a`, true, daily),
    sourceOf('url', `${world.origin}/b`, true, daily),
  );
  await world.readDue(sources);
  sources.start();
  await sources.add(`${world.origin}/c`, daily);
  const { host } = new URL(world.origin);
  expect(sources.all.map(({ source }) => source.name)).toEqual([host, `${host} (2)`, `${host} (3)`]);
  expect(sources.all[1]?.result.problem).toBe('the server answers with status 404');
});

it('keeps a damaged list beside the new one', async () => {
  const world = await openWorld();
  const path = join(world.folder, 'guide-sources.json');
  writeFileSync(path, '{"added": [{"url": 5}]}');
  const file = await SourcesFile.read(world.folder);
  expect([file.added, file.problem]).toEqual([[], `${path} cannot be used: it is damaged`]);
  expect(readFileSync(`${path}.damaged`, 'latin1')).toContain('"url": 5');
});

it('does not read while a server keeps it waiting after a stop', async () => {
  const world = await openWorld((_, response) => void response.writeHead(200).write('<tv>'));
  const sources = await world.open(sourceOf('url', world.origin, true, daily));
  sources.start();
  await untilTrue(() => sources.all[0]?.isRunning);
  await sources.stop();
  expect(sources.all[0]).toMatchObject({ isRunning: false, result: { checked: 0, failures: 0 } });
});

it('reads the others, when they are due, while one server keeps it waiting', async () => {
  const world = await openWorld(({ url }, response) => {
    if (url === '/slow') response.writeHead(200).write('<tv>');
    else response.writeHead(200).end(guide('Zebras'));
  });
  const sources = await world.open(
    ...['/slow', '/one', '/two'].map((path) => sourceOf('url', world.origin + path, true, daily)),
  );
  const [slow, one, two] = sources.all.map(({ source }) => source.id);
  sources.start();
  const read = () => sources.all.filter(({ result }) => result.imported === world.clock.time);
  await untilTrue(() => read().length === 2);
  expect(read().map(({ source }) => source.id)).toEqual([one, two]);
  // It waits for a second when one of the others has become due.
  world.clock.time += 86_400;
  await sources.refresh(one ?? '');
  await untilTrue(() => read().length === 2);
  expect(sources.all.filter(({ isRunning }) => isRunning).map(({ source }) => source.id)).toEqual([slow]);
});

it('removes a source at once, also while its server keeps it waiting', async () => {
  const world = await openWorld(({ url }, response) => {
    if (url === '/slow') response.writeHead(200).write('<tv>');
    else response.writeHead(200).end(guide('Zebras'));
  });
  const sources = await world.open();
  const { source } = await sources.add(world.origin, daily);
  const slow = sources.add(`${world.origin}/slow`, daily).catch((error: Error) => error);
  await untilTrue(() => sources.all.some(({ isRunning }) => isRunning));
  await sources.remove(source.id);
  await sources.remove(sources.all[0]?.source.id ?? '');
  expect(await slow).toMatchObject({ code: 'not-found' });
  expect(sources.all).toEqual([]);
  expect((await world.open()).all).toEqual([]);
});

it('spreads readings in time', () => {
  const at = (options: Parameters<typeof nextReading>[0], random: number, failures = 0, offset = (_: number) => 0) =>
    nextReading(options, { now: 1_700_000_000, random, failures, offset }) - 1_700_000_000;
  expect([at(daily, 0), at(daily, 1), at({ every: 900, times: [] }, 1)]).toEqual([86_400, 90_000, 990]);
  // 22:13:20 UTC.
  expect(at({ every: 900, times: ['06:15', '22:20'] }, 0)).toBe(400);
  expect(at({ every: 900, times: ['22:13'] }, 0)).toBe(86_380);
  expect(at({ every: 900, times: ['00:13'] }, 0, 0, () => 7200)).toBe(86_380);
  expect(at({ every: 900, times: ['22:20'] }, 1)).toBe(1000);
  // The clocks change in between.
  expect(at({ every: 900, times: ['06:15'] }, 0, 0, (time) => (time > 1_700_010_000 ? 0 : 3600))).toBe(28_900);
  expect([1, 4, 20].map((failures) => at(daily, 0, failures))).toEqual([300, 2400, 21_600]);
  expect(at({ every: 900, times: [] }, 0, 9)).toBe(900);
});
