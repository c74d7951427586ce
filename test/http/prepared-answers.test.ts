/** The cache of responses: sharing, bounds, and invalidation. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PreparedAnswer, PreparedAnswers } from '../../src/http/prepared-answers.ts';
import { favourites, now, openReceiver, type TestReceiver } from './receiver.ts';
import { get } from './reply.ts';

const state = (text: string) => ({ text });
const answer = (bytes: number): PreparedAnswer => ({ contentType: 'text/plain', body: Buffer.alloc(bytes) });

describe('prepared responses', () => {
  const megabyte = 1 << 20;
  /** Size of responses with this many bytes and a key of one letter. */
  const taken = (...bytes: readonly number[]) => bytes.reduce((sum, one) => sum + one + 2 + 1024, 0);

  it('are built once per state, even for concurrent requests', async () => {
    const answers = new PreparedAnswers();
    let made = 0;
    const make = async () => {
      made++;
      return answer(10);
    };
    const [first, second] = await Promise.all([answers.of('a', state('1'), make), answers.of('a', state('1'), make)]);
    expect(first).toBe(second);
    expect(await answers.of('a', state('1'), make)).toBe(first);
    expect(made).toBe(1);
    expect(await answers.of('a', state('2'), make)).not.toBe(first);
    await answers.of('b', state('2'), make);
    expect([made, answers.bytes]).toEqual([3, taken(10, 10)]);
  });

  it('are not cached if they fail or are too large', async () => {
    const answers = new PreparedAnswers();
    const fail = () => Promise.reject(new Error('no'));
    await expect(answers.of('a', state('1'), fail)).rejects.toThrow('no');
    expect((await answers.of('a', state('1'), async () => answer(7 * megabyte))).body).toHaveLength(7 * megabyte);
    expect(answers.bytes).toBe(0);
    let made = 0;
    await answers.of('a', state('1'), async () => {
      made++;
      return answer(1);
    });
    expect(made).toBe(1);
  });

  it('are evicted at a bound, the least recently used first', async () => {
    const answers = new PreparedAnswers();
    const made: string[] = [];
    const ask = (key: string) =>
      answers.of(key, state('1'), async () => {
        made.push(key);
        return answer(3 * megabyte);
      });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    expect(answers.bytes).toBe(taken(3 * megabyte, 3 * megabyte));
  });

  it('are bounded including their keys, which are unlimited', async () => {
    const answers = new PreparedAnswers();
    let made = 0;
    const ask = (key: string, momentary: boolean) =>
      answers.of(key, { text: '1', momentary }, async () => {
        made++;
        return answer(1);
      });
    for (let n = 0; n < 20_000; n++) await ask(`${'x'.repeat(1000)}${n}`, false);
    expect(answers.bytes).toBeLessThanOrEqual(8 * megabyte);
    for (const momentary of [false, true]) {
      made = 0;
      const before = answers.bytes;
      for (let n = 0; n < 2; n++) await ask('x'.repeat(100_000), momentary);
      expect([made, answers.bytes]).toEqual([momentary ? 0 : 2, before]);
    }
  });

  it('of a moment are dropped with it and take no room from the others', async () => {
    const answers = new PreparedAnswers();
    const made: string[] = [];
    const ask = (key: string, text: string, momentary = true, bytes = 200 << 10) =>
      answers.of(key, { text, momentary }, async () => {
        made.push(`${key}${text}`);
        return answer(bytes);
      });
    await ask('l', '1', false, megabyte);
    for (const key of ['a', 'a', 'a', 'b', 'b']) await ask(key, '1');
    expect(answers.bytes).toBe(taken(megabyte, 200 << 10, 200 << 10));
    for (const key of ['a', 'a']) await ask(key, '2');
    await ask('l', '1', false, megabyte);
    expect(answers.bytes).toBe(taken(megabyte, 200 << 10));
    expect(made).toEqual(['l1', 'a1', 'b1', 'a2']);
    for (let n = 0; n < 20; n++) for (const _ of [1, 2]) await ask(`more${n}`, '2');
    expect(answers.bytes).toBeLessThanOrEqual(2 * megabyte);
  });

  it('of a moment are built for the first request and cached from the second on', async () => {
    const answers = new PreparedAnswers();
    const moment = (text: string) => ({ text, momentary: true });
    const make = async () => answer(10);
    expect(answers.of('a', moment('1'), make)).toBeUndefined();
    expect(answers.of('b', moment('1'), make)).toBeUndefined();
    const [second, third] = await Promise.all([answers.of('a', moment('1'), make), answers.of('a', moment('1'), make)]);
    expect(second).toBeDefined();
    expect(third).toBe(second);
    expect(answers.of('a', moment('2'), make)).toBeUndefined();
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
    expect((await ask()).replace(/processingtime[^\n]*/, '')).toBe(before.replace(/processingtime[^\n]*/, ''));
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
    expect(without(await ask())).toBe(without(before));
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
