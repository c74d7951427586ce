/** The names of sound tracks in the player. */
import { describe, expect, it } from 'vitest';

interface Track {
  readonly language: string;
  readonly codec: string;
  readonly purpose?: string;
}
interface Module {
  soundNames(tracks: readonly Track[]): readonly string[];
}
// Imported by URL, because its types need those of a browser.
const { href } = new URL('../../src/ui/pages/watch/sound-names.ts', import.meta.url);
const { soundNames } = (await import(href)) as Module;

const track = (language: string, purpose?: string, codec = 'AAC'): Track => ({
  language,
  codec,
  ...(purpose && { purpose }),
});

describe('the names of sound tracks', () => {
  it('are those of their languages', () => {
    expect(soundNames([track('fre'), track('eng'), track('dut')])).toEqual(['French', 'English', 'Dutch']);
  });

  it('say what a track is for', () => {
    const tracks = [track('eng'), track('eng', 'description'), track('ger', 'hardOfHearing'), track('qad')];
    expect(soundNames([...tracks, track('swe', 'spokenSubtitles')])).toEqual([
      ...['English', 'English, audio description', 'German (hard of hearing)', 'Audio description'],
      'Swedish, spoken subtitles',
    ]);
  });

  it('contain the codec where they would be the same', () => {
    expect(soundNames([track('fre'), track('fre', undefined, 'AC-3'), track('eng')])).toEqual([
      ...['French (AAC)', 'French (Dolby Digital)', 'English'],
    ]);
  });

  it('are numbers without a language', () => {
    expect(soundNames([track('qaa'), track(''), track('und')])).toEqual(['Original language', 'Track 2', 'Track 3']);
  });
});
