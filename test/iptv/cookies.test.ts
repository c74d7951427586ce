/** Cookies of a stream: to which hosts they are sent, and for how long (RFC 6265). */
import { beforeEach, describe, expect, it } from 'vitest';
import { CookieJar } from '../../src/iptv/cookies.ts';

let now = 0;
let jar: CookieJar;
beforeEach(() => {
  jar = new CookieJar(() => now);
});

const take = (url: string, ...fields: readonly string[]) => jar.store(new URL(url), fields);
const sent = (url: string, given?: string) => jar.header(new URL(url), given);

it('are sent to the host that set them, on any port, by http and https', () => {
  take('http://tv.example/a/live.m3u8', 'token=a=b; HttpOnly', ' other = 1 ');
  expect(sent('http://tv.example:8080/a/1.ts')).toBe('token=a=b; other=1');
  expect(sent('https://tv.example/a/')).toBe('token=a=b; other=1');
  for (const host of ['example', 'cdn.tv.example', 'othertv.example', '127.0.0.1'])
    expect(sent(`http://${host}/a/1.ts`)).toBe('');
});

it('are sent to the hosts of their domain, if the host that set them belongs to it', () => {
  take('http://a.tv.example/', 'x=1; Domain=.TV.example', 'y=1; domain=cdn.tv.example', 'z=1; domain=example');
  expect(sent('http://b.tv.example/')).toBe('x=1');
  expect(sent('http://tv.example/')).toBe('x=1');
  expect(sent('http://nottv.example/')).toBe('');
  take('http://192.0.2.9/', 'x=1; domain=2.9', 'y=1; domain=192.0.2.9');
  expect(sent('http://192.0.2.9/')).toBe('y=1');
  expect(sent('http://1.192.0.2.9.example/')).toBe('');
});

it.each([
  ['the folder of the address', 'x=1', '/a/b', '/a/c/d', '/ab'],
  ['the root of an address without folder', 'x=1', '/b', '/c/d', undefined],
  ['their path', 'x=1; Path=/c', '/b', '/c/d', '/cd'],
  ['a path with a slash at its end', 'x=1; path=/c/', '/b', '/c/d', '/c'],
])('go to %s', (_, field, from, to, notTo) => {
  take(`http://tv.example${from}`, field);
  expect(sent(`http://tv.example${to}`)).toBe('x=1');
  if (notTo !== undefined) expect(sent(`http://tv.example${notTo}`)).toBe('');
});

it('with longer paths are first', () => {
  take('http://tv.example/', 'x=1; path=/', 'x=2; path=/a/b', 'y=3; path=/a');
  expect(sent('http://tv.example/a/b/')).toBe('x=2; y=3; x=1');
});

it('that are secure are sent by https only', () => {
  take('https://tv.example/', 'x=1; Secure');
  expect(sent('http://tv.example/')).toBe('');
  expect(sent('https://tv.example/')).toBe('x=1');
});

it('are replaced by newer ones, including cookies of the user', () => {
  take('http://tv.example/', 'x=1', 'x=2');
  expect(sent('http://tv.example/', 'user=me; x=0')).toBe('user=me; x=2');
  expect(sent('http://cdn.example/')).toBe('');
});

describe('expire', () => {
  const date = 'Sun, 29 Nov 2026 12:00:00 GMT';

  it.each([
    ['x=1; Max-Age=60', 60],
    ['x=1; Expires=Sun, 29 Nov 2026 12:01:00 GMT', 60],
    ['x=1; expires=Sun, 29-Nov-2026 12:01:00 GMT', 60],
    ['x=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 60],
  ])('after their time, by the clock of the server: %s', (field, seconds) => {
    jar.store(new URL('http://tv.example/'), [field], date);
    now += seconds * 1000 - 1;
    expect(sent('http://tv.example/')).toBe('x=1');
    now += 1;
    expect(sent('http://tv.example/')).toBe('');
  });

  it.each(['x=; Max-Age=0', 'x=; Max-Age=-1', 'x=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])('at once: %s', (field) => {
    take('http://tv.example/', 'x=1', field);
    expect(sent('http://tv.example/')).toBe('');
  });
});

it('are bounded in number: the oldest are dropped', () => {
  take('http://tv.example/', ...Array.from({ length: 60 }, (_, n) => `n${n}=1`));
  const names = sent('http://tv.example/').split('; ');
  expect(names).toHaveLength(50);
  expect(names[0]).toBe('n10=1');
  take('http://cdn.example/', `x=${'y'.repeat(4096)}`, '=1', 'nothing', '');
  expect(sent('http://cdn.example/')).toBe('');
});
