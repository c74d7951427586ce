/** Pictures from the web: of servers that are good, slow, absent or hostile. */
import { readdirSync, readFileSync } from 'node:fs';
import pino from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StreamGuard } from '../../src/iptv/guard.ts';
import { PictureStore } from '../../src/pictures/picture-store.ts';
import { WebPictures } from '../../src/pictures/web-pictures.ts';
import { networkStreams } from '../fixtures/network.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { until } from '../fixtures/waits.ts';
import { type Answer, type Station, station } from '../iptv/station.ts';
import { notPictures, png } from './samples.ts';

let web: Station | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await web?.stop();
  web = undefined;
});

/** A server with these answers, and a receiver that may fetch from it. */
async function open(answers: Readonly<Record<string, Answer>>, { allow = ['127.0.0.0/8'], size = 1e6 } = {}) {
  web = await station(answers);
  const folder = temporaryFolder();
  const network = networkStreams({}, { allow });
  const store = new PictureStore(folder, size);
  const log = pino({ level: 'silent' });
  const pictures = new WebPictures({ client: () => network.pictureClient(), store, log });
  const { url, requests } = web;
  const asked = () => requests.map((request) => request.url);
  return { pictures, folder, url, asked, port: web.port };
}

/** The path of a picture, as soon as it is there. */
const arrived = (pictures: WebPictures, address: string) =>
  until(async () => {
    const path = await pictures.find(address);
    if (path === undefined) throw new Error(`${address} has not arrived`);
    return path;
  });

const sends =
  (bytes: Buffer, headers = {}): Answer =>
  (_, response) =>
    response.writeHead(200, headers).end(bytes);
const redirects =
  (location: string): Answer =>
  (_, response) =>
    response.writeHead(302, { Location: location }).end();

describe('a picture', () => {
  it('is fetched once, whatever the server calls it', async () => {
    const { pictures, url, asked } = await open({ '/1.png': sends(png(), { 'Content-Type': 'text/html' }) });
    const [first, second] = await Promise.all([arrived(pictures, `${url}/1.png`), arrived(pictures, `${url}/1.png`)]);
    expect(readFileSync(first)).toEqual(png());
    expect([second, await pictures.find(`${url}/1.png`)]).toEqual([first, first]);
    expect(asked()).toEqual(['/1.png']);
  });

  it('is fetched again after 30 days, and kept if that fails', async () => {
    let answer = sends(png());
    const { pictures, url, asked } = await open({ '/1.png': (request, response) => answer(request, response) });
    const path = await arrived(pictures, `${url}/1.png`);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * 86_400_000 });
    answer = sends(png(2, 2, 'new'));
    await until(async () => {
      expect(await pictures.find(`${url}/1.png`)).toBe(path);
      expect(readFileSync(path)).toEqual(png(2, 2, 'new'));
      expect(pictures.isPending(`${url}/1.png`)).toBe(false);
    });
    vi.setSystemTime(Date.now() + 31 * 86_400_000);
    answer = (_, response) => response.writeHead(404).end();
    await until(async () => {
      expect(await pictures.find(`${url}/1.png`)).toBe(path);
      expect(pictures.mayHave(`${url}/1.png`)).toBe(false);
    });
    expect(await pictures.find(`${url}/1.png`)).toBe(path);
    expect(asked()).toHaveLength(3);
  });

  it('is not fetched without room for it', async () => {
    const { pictures, url, asked } = await open({ '/1.png': sends(png()) }, { size: 0 });
    expect([pictures.mayHave(`${url}/1.png`), await pictures.find(`${url}/1.png`)]).toEqual([false, undefined]);
    expect(asked()).toEqual([]);
  });
});

describe('a server', () => {
  it.each([
    ...notPictures.map(([what, bytes]) => [what, sends(bytes)] as const),
    ['404', (_, response) => response.writeHead(404).end()],
    ['a picture of three megabytes', sends(png(2, 2, 'x'.repeat(3e6)))],
    ['bytes without end', (_, response) => void endless(response)],
    ['a redirect to a file', redirects('file:///etc/passwd')],
    ['redirects without end', redirects('/bad.png')],
  ] satisfies (readonly [string, Answer])[])('that sends %s is not asked again within a day', async (_, answer) => {
    const { pictures, url, asked, folder } = await open({ '/bad.png': answer });
    await until(async () => {
      expect(await pictures.find(`${url}/bad.png`)).toBeUndefined();
      expect(pictures.mayHave(`${url}/bad.png`)).toBe(false);
    });
    const before = asked().length;
    expect(await pictures.find(`${url}/bad.png`)).toBeUndefined();
    expect(asked()).toHaveLength(before);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that does not answer holds up neither clients nor other servers', async () => {
    const { pictures, url, port } = await open({ '/1.png': sends(png()), '/slow.png': () => undefined });
    expect(await pictures.find(`${url}/slow.png`)).toBeUndefined();
    // The next ones do not wait.
    expect(pictures.mayHave(`${url}/slow.png`)).toBe(true);
    const others = Array.from({ length: 1000 }, (_, n) => pictures.find(`${url}/slow.png?${n}`));
    expect(new Set(await Promise.all(others))).toEqual(new Set([undefined]));
    expect(web?.viewers.size).toBeLessThanOrEqual(4);
    expect(port).toBeGreaterThan(0);
  });

  it('that refuses connections is left alone for ten minutes, after three pictures altogether', async () => {
    const { pictures, url, port } = await open({});
    await web?.stop();
    web = undefined;
    expect(await pictures.find(`${url}/1.png`)).toBeUndefined();
    await until(() => expect(pictures.isPending(`${url}/1.png`)).toBe(false));
    expect(pictures.mayHave(`${url}/1.png`)).toBe(true);
    web = await station({ '/1.png': sends(png()), '/2.png': sends(png()) }, port);
    expect(await pictures.find(`${url}/1.png`)).toBeUndefined();
    await arrived(pictures, `${url}/2.png`);
    await web.stop();
    web = undefined;
    for (const n of [3, 4, 5]) {
      expect(await pictures.find(`${url}/${n}.png`)).toBeUndefined();
      await until(() => expect(pictures.isPending(`${url}/${n}.png`)).toBe(false));
    }
    web = await station({ '/6.png': sends(png()) }, port);
    expect(await pictures.find(`${url}/6.png`)).toBeUndefined();
    expect(web.requests).toEqual([]);
    expect(pictures.isPending(`${url}/6.png`)).toBe(false);
    expect(await pictures.find(`${url}/2.png`)).toBeDefined();
  });
});

describe('an address', () => {
  it('of this machine or of the local network is refused, also behind a redirect', async () => {
    const { pictures, url, asked } = await open({ '/1.png': sends(png()) }, { allow: [] });
    expect(await pictures.find(`${url}/1.png`)).toBeUndefined();
    expect(await pictures.find(url.replace('127.0.0.1', 'localhost'))).toBeUndefined();
    expect(asked()).toEqual([]);
    const guard = new StreamGuard({
      allowed: (address) => address === '10.0.0.5',
      isOwn: () => false,
      isForeign: true,
    });
    for (const address of ['192.168.1.1', '10.0.0.1', '172.16.0.1', 'fd00::1', '127.0.0.1', '169.254.169.254'])
      expect(() => guard.admit([address], 80), address).toThrow('refused');
    expect(guard.admit(['203.0.113.9'], 80)).toEqual(['203.0.113.9']);
    // What is allowed is not allowed as the target of the internet.
    expect(() => guard.admit(['10.0.0.5'], 80)).toThrow('from the internet into the local network');
  });

  it('that is no address gives no picture', async () => {
    const { pictures } = await open({});
    for (const address of ['', '../../etc/passwd', 'file:///etc/passwd', 'javascript:alert(1)', 'http://'])
      expect(await pictures.find(address)).toBeUndefined();
  });
});

async function endless(response: Parameters<Answer>[1]): Promise<void> {
  response.writeHead(200);
  const piece = Buffer.concat([png(), Buffer.alloc(65_536)]);
  const send = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', send);
  send();
}
