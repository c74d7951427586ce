import { describe, expect, it } from 'vitest';
import { type episodeOf, numberIn, titleOf, withNumber, withoutNumber } from '../../src/epg/episode-number.ts';

const texts = (given: Partial<Parameters<typeof episodeOf>[0]>) => ({
  ...{ title: 'Harbour', description: '', extendedText: '' },
  ...given,
});

describe('Season and episode', () => {
  it.each([
    ['T2:E5', { season: 2, episode: 5 }],
    ['Temporada 2, Cap. 5', { season: 2, episode: 5 }],
    ['Temporada 2, Episódio 5', { season: 2, episode: 5 }],
    ['Säsong 2. Del 5 av 8', { season: 2, episode: 5 }],
    ['Sæson 2 (5:8)', { season: 2, episode: 5 }],
    ['Kausi 2, 5/8', { season: 2, episode: 5 }],
    ['Kausi 2. Osa 5', { season: 2, episode: 5 }],
    ['2. évad, 5. rész', { season: 2, episode: 5 }],
    ['Sezóna 2, díl 5', { season: 2, episode: 5 }],
    ['Sezonul 2, episodul 5', { season: 2, episode: 5 }],
    ['(20:15)', {}],
    ['Manifestación del 5 de mayo', {}],
    ['4x100 m', {}],
  ])('are read from “%s”', (text, expected) => expect(numberIn(text)).toEqual(expected));

  it('are left out of titles', () => expect(titleOf('Harbour (5:8)')).toBe('Harbour'));

  it('are added to a short text if only the long text names both, and are taken away again', () => {
    const added = withNumber(texts({ description: 'The storm', extendedText: 'Rain.\nS2 E5 · 2019' }));
    expect(added).toBe('S2 E5 · The storm');
    expect(withoutNumber(added)).toBe('The storm');
    expect(withoutNumber(withNumber(texts({ extendedText: 'S2 E5' })))).toBe('');
    for (const given of [
      { description: 'Folge 5', extendedText: 'S2 E5' },
      { title: 'Harbour (5/8)', extendedText: 'S2 E5' },
      { extendedText: 'As in part 2.' },
      { description: 'The storm' },
    ])
      expect(withNumber(texts(given))).toBe(given.description ?? '');
  });
});
