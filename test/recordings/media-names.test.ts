/** The names and `.nfo` files for Plex, Jellyfin and Kodi. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsOf, parseXml, textOf } from '../../src/base/xml.ts';
import type { GuideEvent } from '../../src/epg/event.ts';
import { mediaName, type NamedProgramme } from '../../src/recordings/library/media-names.ts';
import { isTrashName } from '../../src/recordings/library/trash-folder.ts';

const genre = (level1: number, level2 = 0) => ({ level1, level2, user: 0 });
const event = (changes: Partial<GuideEvent> = {}) => ({ genres: [], crids: [], duration: 3600, ...changes });
const film = event({ genres: [genre(1)], duration: 5400 });
const ships: NamedProgramme = {
  ...{ title: 'Ships', description: 'S2 E5: Storm', extendedText: 'Rain.', serviceName: 'Alpha HD' },
  begin: Date.UTC(2026, 0, 1, 23, 15) / 1000,
  length: 2700,
};
const made = (changes: Partial<NamedProgramme> = {}, isAscii = false) =>
  mediaName({ ...ships, ...changes }, 'Europe/Berlin', isAscii);
const path = (changes: Partial<NamedProgramme> = {}, isAscii = false) => {
  const { folder, name } = made(changes, isAscii);
  return folder + name;
};
async function valuesOf(nfo: string, root: string) {
  const all = elementsOf(await parseXml(nfo, root));
  return Object.fromEntries(all.map((one) => [one.name, textOf(one)]));
}

describe('the name for media servers', () => {
  it.each<readonly [expected: string, Partial<NamedProgramme>]>([
    ['Ships/Season 02/Ships - S02E05 - Storm', {}],
    ['Ships/Season 02/Ships - S02E05 - The storm', { description: 'The storm', extendedText: 'S2 E5 · 2019' }],
    ['Ships/Season 02/Ships - S02E05 - Sturm', { description: 'Staffel 2, Folge 5: Sturm' }],
    ['Ships/Season 02/Ships - S02E05 - Storm', { title: 'Ships (S02E05)', description: 'Storm' }],
    ['Ships/Season 12/Ships - S12E105', { description: 'S12 E105' }],
    ['Ships/Season 01/Ships - S01E05 - Storm', { description: 'Storm (5/8)' }],
    ['Ships/Season 2026/Ships - 2026-01-02 - Storm', { description: 'Storm' }],
    ['Ships/Season 02/Ships - 2026-01-02', { description: 'Season 2' }],
    ['Ships/Season 2026/Ships - 2026-01-02', { description: `${'Long prose. '.repeat(20)}` }],
    ['S.W.A.T/Season 02/S.W.A.T - S02E05 - Storm', { title: 'S.W.A.T.' }],
    ['Alpha HD/Season 02/Alpha HD - S02E05 - Storm', { title: '' }],
  ])('of an episode has its number, or its date: %s', (expected, changes) => expect(path(changes)).toBe(expected));

  it.each<readonly [expected: string, Partial<NamedProgramme>]>([
    ['Ships (1994)/Ships (1994)', { title: 'Ships (1994)', description: '' }],
    ['Ships (1994)/Ships (1994)', { description: 'Thriller, USA 1994' }],
    ['Ships (1994)/Ships (1994)', { description: 'Drama', extendedText: 'With many ships.\nD/F, 1994' }],
    ['Ships (2010)/Ships (2010)', { description: 'Spielfilm (Deutschland, 2010)' }],
    ['Ships/Ships', { description: 'Berlin 1945: the end of (2050)' }],
  ])('of a film has its year if the texts name it: %s', (expected, changes) =>
    expect(path({ event: film, ...changes })).toBe(expected),
  );

  it('takes series with the genre of films for series', () => {
    const description = 'Storm';
    const dated = 'Ships/Season 2026/Ships - 2026-01-02 - Storm';
    const soap = event({ genres: [genre(1, 5)], duration: 5400 });
    const inSeries = event({ genres: [genre(1)], duration: 5400, crids: [{ type: 'series', crid: '/1' }] });
    for (const one of [soap, inSeries, event({ genres: [genre(1)], duration: 2700 }), null, undefined])
      expect(path({ description, event: one })).toBe(dated);
    expect(path({ event: film })).toMatch(/^Ships\/Season 02\//);
  });

  it('is one or two folders and a file, whatever the texts are', () => {
    expect(path({ title: '../..', description: '' })).toBe('__/Season 2026/__ - 2026-01-02');
    expect(path({ title: '.Trash', description: '' })).toMatch(/^Trash\//);
    expect(path({ title: 'movie_trash' })).toMatch(/^__movie_trash\//);
    expect(path({ title: 'Café: Meer', description: '' }, true)).toBe('CAFE MEER/Season 2026/CAFE MEER - 2026-01-02');
    const text = fc.string({ unit: 'binary', maxLength: 300 });
    const anyEvent = fc.constantFrom(film, event(), null);
    fc.assert(
      fc.property(text, text, text, anyEvent, fc.boolean(), (title, description, extendedText, of, isAscii) => {
        const { folder, name } = made({ title, description, extendedText, event: of }, isAscii);
        const parts = [...folder.split('/').slice(0, -1), name];
        expect(of === film ? [2, 3] : [3]).toContain(parts.length);
        for (const part of parts) {
          expect(part).toMatch(/^[^.\s\p{Cc}\\/:*?"<>|][^\p{Cc}\\/:*?"<>|]*$/u);
          expect(isTrashName(part)).toBe(false);
          expect(Buffer.byteLength(`${part}_001.ts.meta`)).toBeLessThanOrEqual(255);
        }
        for (const part of parts.slice(0, -1)) expect(part).not.toMatch(/[. ]$/);
      }),
    );
  });

  it('keeps the number of an episode with a long title', () => {
    expect(path({ title: 'Ä'.repeat(300) })).toMatch(/^Ä{60}\/Season 02\/Ä{60} - S02E05 - Storm$/);
  });
});

describe('the .nfo file', () => {
  it('describes an episode', async () => {
    expect(await valuesOf(made().nfo, 'episodedetails')).toEqual({
      ...{ title: 'Storm', showtitle: 'Ships', season: '2', episode: '5', aired: '2026-01-02' },
      ...{ plot: 'Rain.', studio: 'Alpha HD', runtime: '45' },
    });
    const dated = await valuesOf(made({ description: '', length: undefined }).nfo, 'episodedetails');
    expect(dated).toEqual({
      ...{ title: 'Ships', showtitle: 'Ships', aired: '2026-01-02', plot: 'Rain.', studio: 'Alpha HD' },
    });
  });

  it('of a show has its title', async () => {
    expect(await valuesOf(made({ title: 'Ships & Co (2/6)' }).show ?? '', 'tvshow')).toEqual({ title: 'Ships & Co' });
    expect(await valuesOf(made({ title: '' }).show ?? '', 'tvshow')).toEqual({ title: 'Alpha HD' });
  });

  it('describes a film', async () => {
    const { nfo, show } = made({ title: 'Ships & <Harbours>\0', description: 'USA 1994', event: film });
    expect(await valuesOf(nfo, 'movie')).toEqual({
      ...{ title: 'Ships & <Harbours>', year: '1994', outline: 'USA 1994', plot: 'Rain.' },
      ...{ studio: 'Alpha HD', runtime: '45' },
    });
    expect(show).toBeUndefined();
  });
});
