import { describe, expect, it } from 'vitest';
import { acceptedCoding } from '../../src/http/compression.ts';

describe('Accept-Encoding', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['deflate, gzip, br, zstd', 'gzip'],
    ['br', 'br'],
    ['GZIP;Q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0, *', 'br'],
    ['*;q=0', undefined],
    ['*', 'gzip'],
    ['gzip;q=0.2, br;q=0.8', 'br'],
    ['gzip;q=0.2, identity;q=0.8', undefined],
    ['gzip;q=nonsense', undefined],
    ['x-gzip', 'gzip'],
    ['deflate', undefined],
  ])('%s gives %s', (header, coding) => {
    expect(acceptedCoding(header)).toBe(coding);
  });
});
