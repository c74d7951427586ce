/** IPTV services of a whole receiver: from a channel list to streams, a guide and recordings. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceReference } from '../../src/services/reference.ts';
import { presentSection } from '../fixtures/eit.ts';
import { until } from '../fixtures/waits.ts';
import { type Program, removeFolder, runProgram, startProgram, temporaryFolder } from '../receiver/program.ts';
import { type Answer, type Station, sends, station, streamOf } from './station.ts';

const bitRate = 752_000;
/** Bytes of one second of the stream, in whole packets. */
const second = bitRate / 8;
const seconds = 120;
const sid = 0x101;

const now = Math.floor(Date.now() / 1000);
const event = (title: string) => ({ id: 7, start: now - 600, duration: 7200, title });
const present = (serviceId: number, title: string) =>
  presentSection({ originalNetworkId: 2, transportStreamId: 1, serviceId }, event(title));
const broadcast = streamOf(sid, {
  bitRate,
  seconds,
  sections: Array.from({ length: seconds }, (_, n) => [
    { seconds: n, pid: 0x12, section: present(sid, 'The real one') },
    { seconds: n, pid: 0x12, section: present(0x999, 'Of a service that is not in it') },
  ]).flat(),
});

/** The live playlist: since its first request, one segment of a second is added per second. */
let began: number | undefined;
const hls: Answer = (_, response) => {
  began ??= performance.now();
  const last = 6 + Math.floor((performance.now() - began) / 1000);
  const numbers = [5, 4, 3, 2, 1, 0].map((n) => last - n);
  const entries = numbers.map((number) => `#EXTINF:1,\nsegment?${number}\n`);
  response.end(`#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:${numbers[0]}\n${entries.join('')}`);
};
const segment: Answer = ({ url = '' }, response) => {
  const number = Number(url.split('?')[1]) % seconds;
  response.end(broadcast.subarray(number * second, (number + 1) * second));
};

let provider: Station;
let receiver: Program;
const folder = temporaryFolder();

/** The reference of an entry of the bouquet. */
async function referenceOf(name: string): Promise<string> {
  const all = await receiver.json<{ services: readonly { subservices: readonly Record<string, string>[] }[] }>(
    '/api/getallservices?type=tv',
  );
  const found = all.services.flatMap(({ subservices }) => subservices).find((one) => one.servicename === name);
  return found?.servicereference ?? '';
}

beforeAll(async () => {
  provider = await station({ '/live.ts': sends(broadcast), '/live.m3u8': hls, '/segment': segment });
  const config = join(folder, 'config.yaml');
  writeFileSync(config, 'discovery: false\niptv:\n  allow: [127.0.0.1]\n');
  mkdirSync(join(folder, 'enigma2'));
  const list = join(folder, 'list.m3u');
  writeFileSync(
    list,
    `#EXTM3U\n#EXTINF:-1 tvg-id="web",By HTTP\n${provider.url}/live.ts\n#EXTINF:-1 tvg-id="hls",By HLS\n${provider.url}/live.m3u8\n#EXTINF:-1 tvg-id="coded",Encoded\n${provider.url}/a%3Ab.ts|User-Agent=My%20Player%2F1&Referer=${encodeURIComponent('http://r/')}\n`,
  );
  const flags = ['--config', config] as const;
  const ended = await runProgram('services', 'import', list, '--data-dir', folder, ...flags);
  expect(ended).toMatchObject({ code: 0 });
  receiver = await startProgram(folder, ...flags, '--tuner', 'none');
});

afterAll(async () => {
  await receiver.stop();
  await provider.stop();
  removeFolder(folder);
});

it.each(['By HTTP', 'By HLS'])('streams %s', async (name) => {
  const response = await fetch(`${receiver.stream}/${encodeURIComponent(await referenceOf(name))}`);
  expect(response.status).toBe(200);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > 3 * second) break;
  }
  // The network cuts the stream anywhere.
  const stream = Buffer.concat(chunks);
  for (let at = 0; at < stream.length; at += 188) expect(stream[at]).toBe(0x47);
});

it('stores the events in the stream as those of the entry, and of no other service', async () => {
  const reference = await referenceOf('By HTTP');
  await fetch(`${receiver.stream}/${encodeURIComponent(reference)}?duration=3`).then((response) => response.text());
  await until(async () => {
    const { events } = await receiver.json<{ events: readonly { title: string }[] }>(
      `/api/epgservice?sRef=${encodeURIComponent(reference)}`,
    );
    expect(events.map(({ title }) => title)).toEqual(['The real one']);
  });
  const { events } = await receiver.json<{ events: unknown[] }>('/api/epgsearch?search=not%20in%20it');
  expect(events).toEqual([]);
});

it('shows no orbital position for an entry', async () => {
  const { events } = await receiver.json<{ events: readonly object[] }>('/api/epgsearch?search=real%20one');
  expect(events).toMatchObject(expect.arrayContaining([expect.objectContaining({ sname: 'By HTTP', ns: '' })]));
});

it.each(['By HTTP', 'By HLS'])('records %s by a timer', async (name) => {
  const reference = await referenceOf(name);
  const begin = Math.floor(Date.now() / 1000);
  const order = { sRef: reference, begin: `${begin}`, end: `${begin + 3600}`, name: `Record ${name}` };
  const added = await receiver.json<{ result: boolean }>(`/api/timeradd?${new URLSearchParams(order)}`);
  expect(added).toMatchObject({ result: true });
  const recorded = async () => {
    const { movies } = await receiver.json<{ movies: readonly Record<string, string>[] }>('/api/movielist');
    const movie = movies.find(({ eventname }) => eventname === `Record ${name}`);
    expect(movie).toMatchObject({ servicename: name });
    return readFileSync(movie?.filename ?? '');
  };
  await until(async () => expect((await recorded()).length).toBeGreaterThan(4 * second));
  const change = { ...order, channelOld: reference, beginOld: order.begin, endOld: order.end, deleteOldOnSave: '1' };
  const end = `${Math.floor(Date.now() / 1000) + 1}`;
  const changed = await receiver.json(`/api/timerchange?${new URLSearchParams({ ...change, end })}`);
  expect(changed).toMatchObject({ result: true });
  await until(async () => {
    const { timers } = await receiver.json<{ timers: readonly { name: string; state: number }[] }>('/api/timerlist');
    // State 3: finished, neither waiting nor running.
    expect(timers.filter((timer) => timer.name === `Record ${name}` && timer.state < 3)).toEqual([]);
    expect((await recorded()).length % 188).toBe(0);
  });
});

it('keeps the reference of an entry whose address contains an encoded colon', async () => {
  const sRef = await referenceOf('Encoded');
  expect(sRef).toContain('/a%253Ab.ts#User-Agent=');
  const times = { begin: `${now + 7200}`, end: `${now + 9000}` };
  const action = (name: string, reference: string) =>
    receiver.json(`/api/${name}?${new URLSearchParams({ sRef: reference, name: 'Later', ...times })}`);
  const references = async () => {
    const { timers } = await receiver.json<{ timers: readonly Record<string, string>[] }>('/api/timerlist');
    return timers.filter(({ name }) => name === 'Later').map(({ serviceref }) => serviceref);
  };
  // Some clients encode references twice.
  for (const sent of [sRef, encodeURIComponent(sRef)]) {
    expect(await action('timeradd', sent)).toMatchObject({ result: true });
    expect(await references()).toEqual([sRef]);
    expect(await action('timerdelete', sent)).toMatchObject({ result: true });
    expect(await references()).toEqual([]);
  }
});

it('writes a playlist that can be imported again', async () => {
  const copy = join(folder, 'copy.m3u');
  writeFileSync(copy, await fetch(`${receiver.http}/web/services.m3u`).then((response) => response.text()));
  const addresses = async () => {
    const names = ['By HTTP', 'By HLS', 'Encoded'];
    return (await Promise.all(names.map(referenceOf))).map((one) => ServiceReference.parse(one).path);
  };
  const before = await addresses();
  const ended = await runProgram('services', 'import', copy, '--name', 'list', '--data-dir', folder);
  expect(ended).toMatchObject({ code: 0 });
  await until(async () => expect(await addresses()).toEqual(before));
});

it('finds an entry by its numbers alone', async () => {
  const numbers = (await referenceOf('By HTTP')).split(':').slice(0, 10).join(':');
  const response = await fetch(`${receiver.stream}/${numbers}:`);
  expect(response.status).toBe(200);
  await response.body?.cancel();
  const begin = `${now + 7200}`;
  const order = { sRef: `${numbers}:`, begin, end: `${now + 9000}`, name: 'By its numbers' };
  expect(await receiver.json(`/api/timeradd?${new URLSearchParams(order)}`)).toMatchObject({ result: true });
  const { timers } = await receiver.json<{ timers: readonly Record<string, string>[] }>('/api/timerlist');
  const timer = timers.find(({ name }) => name === order.name);
  expect(timer?.serviceref).toBe(await referenceOf('By HTTP'));
});

it('finds an entry again after its address has changed', async () => {
  const reference = (await referenceOf('By HTTP')).replace('/live.ts', '/of-yesterday.ts');
  const response = await fetch(`${receiver.stream}/${encodeURIComponent(reference)}`);
  expect(response.status).toBe(200);
  await response.body?.cancel();
});

it('refuses a timer for a stream that is in no bouquet', async () => {
  const url = `${provider.url}/secret`.replaceAll(':', '%3a');
  const order = { sRef: `4097:0:1:0:0:0:0:0:0:0:${url}`, begin: `${now}`, end: `${now + 60}`, name: 'x' };
  expect(await receiver.json(`/api/timeradd?${new URLSearchParams(order)}`)).toMatchObject({ result: false });
  const zapped = await receiver.json(`/api/zap?${new URLSearchParams({ sRef: order.sRef })}`);
  const message = `playing the stream '${new URL(provider.url).host}', which is in no bouquet, is not supported`;
  expect(zapped).toMatchObject({ result: false, message });
  expect(provider.requests.filter(({ url }) => url === '/secret')).toEqual([]);
});
