import { expect, it } from 'vitest';
import { urlOf } from '../../src/base/url.ts';

it('reads addresses with letters beyond ASCII, however many came before', () => {
  const hosts = new Set<string>();
  // `URL.canParse` of Node 20 refuses them from some 4,000 calls on.
  for (let n = 0; n < 20_000; n++) hosts.add(urlOf('https://b\u00fccher.example/live')?.host ?? 'none');
  expect([...hosts]).toEqual(['xn--bcher-kva.example']);
});

it('reads addresses relative to another, and says which are none', () => {
  expect(urlOf('../a.ts', 'http://host/b/c/list.m3u8')?.href).toBe('http://host/b/a.ts');
  expect([urlOf('a.ts'), urlOf('http://'), urlOf('http://host:port/')]).toEqual([undefined, undefined, undefined]);
});
