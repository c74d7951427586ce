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

const seasonWords = [
  ...[
    'season',
    'series',
    'staffel',
    'saison',
    'temporada',
    'stagione',
    'seizoen',
    'sezon',
    'sezonul',
    'sezóna',
    'série',
  ],
  ...['säsong', 'sesong', 'sæson', 'kausi', 'évad'],
].join('|');
const episodeWords = [
  ...[
    'episode',
    'épisode',
    'ep',
    'folge',
    'teil',
    'part',
    'episodio',
    'capítulo',
    'cap',
    'puntata',
    'aflevering',
    'afl',
  ],
  ...['odcinek', 'odc', 'bölüm', 'episódio', 'episodul', 'avsnitt', 'afsnit', 'jakso', 'osa', 'díl', 'rész'],
].join('|');
/** Not within a word. */
const begin = '(?<![\\p{L}\\d])';
const end = '(?![\\p{L}\\d])';

/** `S2 E5`, `s02e05`, `T2:E5` */
const code = new RegExp(`${begin}[ST](\\d{1,3})[ .:-]?Ep?\\.?(\\d{1,4})${end}`, 'iu');
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
/** `(3/8)`, `(3:8)`, `3/8.` at the beginning, `Kausi 2, 3/8`, `Del 3 av 8` */
const ofSeveral = [
  /\((\d{1,3})[/:](\d{1,3})\)/,
  /^(\d{1,3})\/(\d{1,3})[.: ]/,
  new RegExp(`${begin}(?:${seasonWords}) \\d{1,3}[,.:]? (\\d{1,3})/(\\d{1,3})${end}`, 'iu'),
  new RegExp(`${begin}del (\\d{1,3}) a[vf] (\\d{1,3})${end}`, 'iu'),
];
/** `(12)` at the end of a title; not a year. */
const bracketed = /\((\d{1,3})\)$/;

function first(text: string, expressions: readonly RegExp[]): number | undefined {
  for (const one of expressions) {
    const [, number, total = number] = one.exec(text) ?? [];
    // Others are times: `(20:15)`.
    if (number !== undefined && Number(number) <= Number(total)) return Number(number);
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

/** Between a number that `withNumber` has added and the text. */
const added = /^S\d{1,3} E\d{1,4}(?: \xb7 |$)/;

/** The short text of a programme, with season and episode if it names them elsewhere than in title and short text. */
export function withNumber({ title, description, extendedText }: NumberedTexts): string {
  const { season: ofSeason, episode: number } = episodeOf({ title, description, extendedText });
  const isNamed = [title, description].some((text) => numberIn(text).episode !== undefined);
  if (isNamed || ofSeason === undefined || number === undefined) return description;
  return [`S${ofSeason} E${number}`, description].filter(Boolean).join(' · ');
}

/** The short text without what `withNumber` has added. */
export const withoutNumber = (description: string) => description.replace(added, '');

/** Characters of a short text that can be the title of an episode; a longer one is prose. */
const maxTitleLength = 100;

/** The title of an episode: its short text without season and episode; '' if the text is prose. */
export function episodeTitleOf(description: string): string {
  if (description.length > maxTitleLength) return '';
  const numbers = [code, ...ofSeveral, ...season, ...episode];
  const text = numbers.reduce((left, one) => left.replace(one, ' '), description.trim()).replace(/\( ?\)/g, '');
  let [from, until] = [0, text.length];
  while (from < until && around.includes(text.charAt(from))) from++;
  while (until > from && around.includes(text.charAt(until - 1))) until--;
  return text.slice(from, until).replace(/\s+/g, ' ');
}

/** Characters between a number and the title of an episode. */
const around = ' \n:;,.|/·–-';
/** Characters between a title and its season. */
const separators = ' :,.([–-';

/** The title without season and episode. */
export function titleOf(label: string): string {
  const places = [code, ...season, ...episode, ...ofSeveral, bracketed].map((one) => label.search(one));
  let at = Math.min(...places.filter((place) => place > 0), label.length);
  while (separators.includes(label[at - 1] ?? 'none')) at--;
  return label.slice(0, at) || label;
}
