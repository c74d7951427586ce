/** The parameter `querytype` of `/api/eventsearch`. */
import { describe, expect, test } from 'vitest';
import { searchType } from '../../../src/http/rest/guide/eventsearch.ts';

const readSearchType = (given: string | undefined) => searchType.from(given, 'querytype');

describe('querytype of /api/eventsearch', () => {
  test.each([
    [undefined, 'contains', 'title'],
    ['', 'contains', 'title'],
    ['1', 'exact', 'title'],
    ['2', 'contains', 'title'],
    ['3', 'contains', 'short'],
    ['4', 'contains', 'title+short'],
    ['5', 'contains', 'long'],
    ['6', 'contains', 'all'],
    ['title-is', 'exact', 'title'],
    ['title', 'contains', 'title'],
    ['short', 'contains', 'short'],
    ['title+short', 'contains', 'title+short'],
    ['title short', 'contains', 'title+short'],
    ['long', 'contains', 'long'],
    ['all', 'contains', 'all'],
    ['title-starts', 'prefix', 'title'],
    ['title-ends', 'suffix', 'title'],
  ])('%s searches for a text with match %s in %s', (given, match, within) => {
    expect(readSearchType(given)).toEqual({ kind: 'text', match, within });
  });

  test('similar events, CRIDs and series are separate kinds of search', () => {
    expect(readSearchType('0')).toEqual({ kind: 'similar' });
    expect(readSearchType('similar')).toEqual({ kind: 'similar' });
    expect(readSearchType('crid')).toEqual({ kind: 'crid' });
    expect(readSearchType('series')).toEqual({ kind: 'series' });
  });

  test.each(['7', '-1', 'titel', 'toString'])('%s is rejected, and the error names it', (given) => {
    expect(() => readSearchType(given)).toThrow(/'querytype'/);
  });
});
