/** The cache of responses: sharing, bounds, and invalidation. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CachedResponse, ResponseCache } from '../../../src/http/write/response-cache.ts';
import { favourites, now, openReceiver, type TestReceiver } from '../receiver.ts';
import { get } from '../reply.ts';

const answer = (bytes: number): CachedResponse => ({ contentType: 'text/plain', body: Buffer.alloc(bytes) });

describe('cached responses', () => {
  const megabyte = 1 << 20;
  /** Size of responses with this many bytes and a key of one letter. */
  const taken = (...bytes: readonly number[]) => bytes.reduce((sum, one) => sum + one + 2 + 1024, 0);

  it('are built for the first request, and once for all others in the same state', async () => {
    const cache = new ResponseCache();
    let made = 0;
    const make = async () => {
      made++;
      return answer(10);
    };
    expect(cache.get('a', '1', make)).toBeUndefined();
    expect([made, cache.bytes]).toEqual([0, taken(0)]);
    const [second, third] = await Promise.all([cache.get('a', '1', make), cache.get('a', '1', make)]);
    expect(second).toBeDefined();
    expect(third).toBe(second);
    expect(await cache.get('a', '1', make)).toBe(second);
    expect([made, cache.bytes]).toEqual([1, taken(10)]);
    expect(cache.get('a', '2', make)).toBeUndefined();
    expect(cache.get('b', '2', make)).toBeUndefined();
    expect(await cache.get('a', '2', make)).not.toBe(second);
    expect([made, cache.bytes]).toEqual([2, taken(10, 0)]);
  });

  it('are not cached if they fail or are too large', async () => {
    const cache = new ResponseCache();
    const fail = () => Promise.reject(new Error('no'));
    expect(cache.get('a', '1', fail)).toBeUndefined();
    await expect(cache.get('a', '1', fail)).rejects.toThrow('no');
    expect(cache.bytes).toBe(0);
    const large = async () => answer(7 * megabyte);
    expect(cache.get('a', '1', large)).toBeUndefined();
    expect((await cache.get('a', '1', large))?.body).toHaveLength(7 * megabyte);
    expect(cache.bytes).toBe(0);
  });

  it('are evicted at a bound, the least recently used first', async () => {
    const cache = new ResponseCache();
    const made: string[] = [];
    const ask = async (key: string) => {
      const make = async () => {
        made.push(key);
        return answer(3 * megabyte);
      };
      return (await cache.get(key, '1', make)) ?? cache.get(key, '1', make);
    };
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    expect(cache.bytes).toBe(taken(3 * megabyte, 3 * megabyte));
  });

  it('are bounded including their keys, of which clients can send any number', async () => {
    const cache = new ResponseCache();
    const make = async () => answer(1);
    for (let n = 0; n < 20_000; n++) {
      const key = `${'x'.repeat(1000)}${n}`;
      expect(cache.get(key, '1', make)).toBeUndefined();
      if (n % 2 === 0) await cache.get(key, '1', make);
    }
    expect(cache.bytes).toBeLessThanOrEqual(8 * megabyte);
    const before = cache.bytes;
    for (let n = 0; n < 3; n++) expect(cache.get('x'.repeat(100_000), '1', make)).toBeUndefined();
    expect(cache.bytes).toBe(before);
  });
});

describe('present events for many clients', () => {
  let receiver: TestReceiver;
  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(() => receiver.close());

  it.each([
    ['/api/epgnow', { bRef: favourites }],
    ['/web/epgnext', { bRef: favourites }],
    ['/api/epgsearch', { search: 'e' }],
  ])('%s is shared within a second, and changes with the guide and the time', async (path, parameters) => {
    const ask = async () => (await get(receiver, path, parameters)).body;
    const before = await ask();
    for (let n = 0; n < 2; n++) {
      expect((await ask()).replace(/processingtime[^\n]*/, '')).toBe(before.replace(/processingtime[^\n]*/, ''));
    }
    Object.assign(receiver.parts.clock, { now: () => now + 60 });
    const later = await ask();
    expect(later).not.toBe(before);
    await get(receiver, '/web/clearepg');
    expect(await ask()).not.toBe(later);
  });
});

describe('cached lists', () => {
  let receiver: TestReceiver;
  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(() => receiver.close());

  it.each([
    ['/web/getallservices', {}],
    ['/api/getservices', { sRef: favourites }],
    ['/web/services.m3u', { bRef: favourites }],
    ['/web/services.xspf', {}],
    ['/services', {}],
  ])('%s is the same until the lists change', async (path, parameters) => {
    const ask = async () => (await get(receiver, path, parameters)).body;
    const before = await ask();
    const without = (body: string) => body.replace(/processingtime[^\n]*/, '');
    for (let n = 0; n < 2; n++) expect(without(await ask())).toBe(without(before));
    writeFileSync(
      join(receiver.folder, 'userbouquet.favourites.tv'),
      '#NAME Favourites (TV)\n#SERVICE 1:0:1:2B67:3F3:1:C00000:0:0:0::Renamed by hand\n',
    );
    await receiver.parts.services.reload();
    expect(without(await ask())).not.toBe(without(before));
  });

  it('contain the host of the request', async () => {
    const hosts = ['one:80', 'two:80'].map((host) =>
      get(receiver, '/web/services.m3u', { bRef: favourites }, { headers: { host } }),
    );
    const [one, two] = (await Promise.all(hosts)).map(({ body }) => body);
    expect(one).toContain('http://one:8001/');
    expect(two).toContain('http://two:8001/');
    expect(two).not.toContain('one:');
  });

  it('still perform the action of each request', async () => {
    for (const name of ['Alpha HD', 'Other title']) {
      const { body } = await get(receiver, '/web/services.m3u', {
        sRef: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
        title: name,
      });
      expect(body).toContain(name);
      expect(receiver.playback.current?.name).toBe(name);
    }
  });
});
