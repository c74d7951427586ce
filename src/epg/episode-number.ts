/** The season and the episode that the texts of a programme name, in the usual forms of several countries. */

export interface EpisodeNumber {
  readonly season?: number;
  readonly episode?: number;
}

/** The texts of a programme. */
export interface NumberedTexts {
  readonly title: string;
  /** Short text. */
  readonly description: string;
  readonly extendedText: string;
}

const seasonWords = 'season|series|staffel|saison|temporada|stagione|seizoen|sezon';
const episodeWords = 'episode|épisode|ep|folge|teil|part|episodio|capítulo|puntata|aflevering|afl|odcinek|odc|bölüm';
/** Not within a word. */
const begin = '(?<![\\p{L}\\d])';
const end = '(?![\\p{L}\\d])';

/** `S2 E5`, `s02e05` */
const code = new RegExp(`${begin}S(\\d{1,3})[ .:-]?Ep?\\.?(\\d{1,4})${end}`, 'iu');
/** `Season 2`, `2. Staffel`, `2ª temporada` */
const season = [
  new RegExp(`${begin}(?:${seasonWords}) (\\d{1,3})${end}`, 'iu'),
  new RegExp(`${begin}(\\d{1,3})[.ªaº°e]? (?:${seasonWords})${end}`, 'iu'),
];
/** `Episode 5`, `odc. 5`, `5. Folge` */
const episode = [
  new RegExp(`${begin}(?:${episodeWords})\\.? ?(\\d{1,4})${end}`, 'iu'),
  new RegExp(`${begin}(\\d{1,4})\\. (?:${episodeWords})${end}`, 'iu'),
];
/** `(3/8)`, and `3/8.` at the beginning. */
const ofSeveral = [/\((\d{1,3})\/\d{1,3}\)/, /^(\d{1,3})\/\d{1,3}[.: ]/];
/** `(12)` at the end of a title; not a year. */
const bracketed = /\((\d{1,3})\)$/;

function first(text: string, expressions: readonly RegExp[]): number | undefined {
  for (const one of expressions) {
    const number = one.exec(text)?.[1];
    if (number !== undefined) return Number(number);
  }
  return undefined;
}

/** The season and episode that a text names. */
export function numberIn(text: string): EpisodeNumber {
  const coded = code.exec(text);
  if (coded) return { season: Number(coded[1]), episode: Number(coded[2]) };
  const found = { season: first(text, season), episode: first(text, [...episode, ...ofSeveral]) };
  return {
    ...(found.season !== undefined && { season: found.season }),
    ...(found.episode !== undefined && { episode: found.episode }),
  };
}

/** The season and episode that the texts of a programme name. */
export function episodeOf({ title, description, extendedText }: NumberedTexts): EpisodeNumber {
  const texts = [description, title].map(numberIn);
  const inTexts = texts.find((text) => text.episode !== undefined) ?? texts.find((text) => text.season !== undefined);
  if (inTexts) return inTexts;
  // In prose, only the two together are trusted.
  const inProse = numberIn(extendedText);
  if (inProse.season !== undefined && inProse.episode !== undefined) return inProse;
  const number = first(title, [bracketed]);
  return number === undefined ? {} : { episode: number };
}

/** Characters between a title and its season. */
const separators = ' :,.([–-';

/** The title without season and episode. */
export function titleOf(label: string): string {
  const places = [code, ...season, ...episode, ...ofSeveral, bracketed].map((one) => label.search(one));
  let at = Math.min(...places.filter((place) => place > 0), label.length);
  while (separators.includes(label[at - 1] ?? 'none')) at--;
  return label.slice(0, at) || label;
}
