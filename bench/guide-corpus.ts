/**
 * A guide to measure with: real events if RECEIVERD_TEST_DATA has them (guide/events.jsonl.gz), else synthetic ones of
 * the same lengths and repetition. Texts are complete. To get more events than there are, the guide is repeated in
 * later weeks.
 *
 * All contenders receive the same guide: native programs as a file (`writeCorpus`), JavaScript rivals as columns and
 * texts.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Columns of a guide, ordered by start, service, id. */
export interface Corpus {
  /** `real events` or `synthetic events`, with the number of copies. */
  readonly source: string;
  readonly count: number;
  readonly services: readonly CorpusService[];
  /** Number of the service: its index in `services` plus 1. */
  readonly service: Uint32Array;
  /** event_id, from 1 within a service. */
  readonly id: Uint32Array;
  /** Unix seconds. */
  readonly start: Uint32Array;
  /** Seconds. */
  readonly duration: Uint32Array;
  /** Numbers of texts; 0 is the empty text. */
  readonly title: Uint32Array;
  readonly shortText: Uint32Array;
  readonly longText: Uint32Array;
  /** content_nibbles of EN 300 468 table 28; 0 = none. */
  readonly genre: Uint32Array;
  readonly texts: readonly string[];
}

export interface CorpusService {
  readonly name: string;
}

interface Entry {
  readonly service: number;
  readonly start: number;
  readonly duration: number;
  readonly title: number;
  readonly shortText: number;
  readonly longText: number;
  readonly genre: number;
}

/** Bytes for the two texts of a short_event_descriptor, each after its selection byte (EN 300 468 §6.2.37). */
const shortEventRoom = 248;
/** A BCD duration ends at 99:59:59. */
const maxDurationSeconds = 359_999;

/** A random generator that returns the same numbers in every run: mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Texts {
  readonly list: string[] = [''];
  readonly #numbers = new Map([['', 0]]);

  number(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.list.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}

/** Loads about `wanted` events, in whole services, and repeats all of them `repeat` times in later weeks. */
export function loadCorpus(wanted = Number.POSITIVE_INFINITY, repeat = 1): Corpus {
  const texts = new Texts();
  const data = process.env.RECEIVERD_TEST_DATA;
  const real = Boolean(data) && existsSync(join(data ?? '', 'guide', 'events.jsonl.gz'));
  const { services, entries } = real
    ? realGuide(join(data ?? '', 'guide'), texts, wanted)
    : inventedGuide(texts, wanted);

  // Enough weeks for all but stray events to have ended when the next copy begins.
  const starts = entries.map(({ start }) => start).sort((a, b) => a - b);
  const at = (share: number) => starts[Math.floor((starts.length - 1) * share)] ?? 0;
  const shift = Math.max(1, Math.ceil((at(0.995) - at(0.005)) / (7 * 86_400))) * 7 * 86_400;

  const all: Entry[] = [];
  for (let copy = 0; copy < repeat; copy++) {
    for (const entry of entries) all.push(copy === 0 ? entry : { ...entry, start: entry.start + copy * shift });
  }
  // The sort is stable: events with the same service and start stay in the guide's order.
  all.sort((a, b) => a.start - b.start || a.service - b.service);
  const nextId = new Uint32Array(services.length + 1);
  const column = (pick: (entry: Entry) => number) => Uint32Array.from(all, pick);
  return {
    source: `${real ? 'real' : 'synthetic'} events${repeat > 1 ? `, ${repeat} copies ${shift / (7 * 86_400)} weeks apart` : ''}`,
    count: all.length,
    services,
    service: column(({ service }) => service),
    id: column(({ service }) => ++(nextId[service] as number)),
    start: column(({ start }) => start),
    duration: column(({ duration }) => duration),
    title: column(({ title }) => title),
    shortText: column(({ shortText }) => shortText),
    longText: column(({ longText }) => longText),
    genre: column(({ genre }) => genre),
    texts: texts.list,
  };
}

function realGuide(folder: string, texts: Texts, wanted: number): { services: CorpusService[]; entries: Entry[] } {
  const lines = (file: string) =>
    gunzipSync(readFileSync(join(folder, file)))
      .toString('utf8')
      .split('\n')
      .filter(Boolean);
  const names = new Map<string, string>();
  for (const line of lines('channels.jsonl.gz')) {
    const { ch, name } = JSON.parse(line) as { ch: string; name: string };
    names.set(ch, shown(name) || ch);
  }
  const services: CorpusService[] = [];
  const numbers = new Map<string, number>();
  const entries: Entry[] = [];
  for (const line of lines('events.jsonl.gz')) {
    const event = JSON.parse(line) as {
      ch: string;
      s: number;
      e: number;
      t: string;
      u?: string;
      d?: string;
      g?: string[];
    };
    let service = numbers.get(event.ch);
    if (service === undefined) {
      // Events of a channel are adjacent.
      if (entries.length >= wanted) break;
      service = services.push({ name: names.get(event.ch) ?? event.ch });
      numbers.set(event.ch, service);
    }
    const title = shown(event.t);
    if (title === '' || event.e <= event.s) continue;
    entries.push({
      service,
      start: event.s,
      duration: Math.min(event.e - event.s, maxDurationSeconds),
      ...numbered(texts, title, shown(event.u ?? ''), shown(event.d ?? '')),
      genre: genreOf(event.g ?? []),
    });
  }
  return { services, entries };
}

/** A subtitle that does not fit beside its title is put in front of the long text. */
function numbered(
  texts: Texts,
  title: string,
  subtitle: string,
  about: string,
): Pick<Entry, 'title' | 'shortText' | 'longText'> {
  const fits = Buffer.byteLength(title) + Buffer.byteLength(subtitle) <= shortEventRoom;
  return {
    title: texts.number(title),
    shortText: texts.number(fits ? subtitle : ''),
    longText: texts.number(fits ? about : shown(`${subtitle} ${about}`)),
  };
}

/** The text on one line, as a receiver shows it. */
function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
}

const genres: readonly (readonly [RegExp, number])[] = [
  [/sport/i, 0x40],
  [/news/i, 0x20],
  [/child|kids|animat/i, 0x50],
  [/comedy/i, 0x14],
  [/drama|adventure/i, 0x15],
  [/docu|special/i, 0x23],
  [/movie|film|series/i, 0x10],
  [/music/i, 0x60],
  [/reality|entertain/i, 0x30],
];

function genreOf(names: readonly string[]): number {
  for (const name of names) {
    const known = genres.find(([pattern]) => pattern.test(name));
    if (known) return known[1];
  }
  return 0;
}

// The size of the real guide. A smaller guide gets a share of each.
const realCount = 200_809;
const realServices = 5_725;
const realTitles = 40_479;
const realSubtitles = 28_790;
const realTexts = 84_557;

/** Words in seven scripts; texts as long and as often repeated as in the real guide. */
function inventedGuide(texts: Texts, wanted: number): { services: CorpusService[]; entries: Entry[] } {
  const random = seeded(4);
  const size = Math.min(1, wanted / realCount);
  const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(random() * list.length)] as Item;
  const syllables: readonly (readonly [share: number, syllables: readonly string[]])[] = [
    [0.55, 'the ba co de fi go hu ing ja ka lo mi no pa qui ra st tion u ver wo ye'.split(' ')],
    [0.3, 'ä ç é ñ ö ø š ü ă ğ ła über ment que heim schaft dos ción ça il'.split(' ')],
    [0.04, 'но в ро ст ли на ка ти ё ре во да ж ы'.split(' ')],
    [0.03, 'το σα ρα ει ή νέ ας μο λό γος'.split(' ')],
    [0.02, 'ال مر با سي نو لة في كا'.split(' ')],
    [0.03, [...'한국드라마뉴스오늘의영화세계']],
    [0.03, [...'新闻电影天下人生世界音乐']],
  ];
  const words = syllables.map(([, list]) =>
    Array.from({ length: 6_000 }, () =>
      Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(list)).join(''),
    ),
  );
  const language = () => {
    let rest = random();
    return Math.max(
      0,
      syllables.findIndex(([share]) => {
        rest -= share;
        return rest < 0;
      }),
    );
  };
  // A few words are frequent, many are rare.
  const word = (vocabulary: readonly string[]) => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? 'a';
  const text = (bytes: number) => {
    const vocabulary = words[language()] ?? [];
    let out = '';
    while (Buffer.byteLength(out) < bytes) out += `${out === '' ? '' : random() < 0.1 ? '. ' : ' '}${word(vocabulary)}`;
    return out.charAt(0).toUpperCase() + out.slice(1);
  };
  /** A length from the distribution with these values at 10, 50, 90, 99 and 100 percent. */
  const length = (quantiles: readonly number[]) => {
    const share = random();
    const [p10 = 0, p50 = 0, p90 = 0, p99 = 0, most = 0] = quantiles;
    const between = (from: number, to: number, low: number, high: number) =>
      low + ((share - from) / (to - from)) * (high - low);
    if (share < 0.1) return p10 * (0.5 + 5 * share);
    if (share < 0.5) return between(0.1, 0.5, p10, p50);
    if (share < 0.9) return between(0.5, 0.9, p50, p90);
    return share < 0.99 ? between(0.9, 0.99, p90, p99) : between(0.99, 1, p99, most);
  };
  const pool = (count: number, quantiles: readonly number[]) =>
    Array.from({ length: Math.max(1, Math.ceil(count * size)) }, () => text(length(quantiles)));
  const titles = pool(realTitles, [10, 23, 46, 85, 160]);
  const subtitles = pool(realSubtitles, [9, 19, 38, 71, 236]);
  const abouts = pool(realTexts, [66, 136, 244, 659, 3211]);
  /** Returns each item at least once, most of them once or twice, some of them often. */
  const repeated = <Item>(list: readonly Item[], n: number): Item =>
    (n < list.length ? list[n] : list[Math.floor(list.length ** random()) - 1]) as Item;

  const services = Array.from({ length: Math.ceil(realServices * size) }, (_, n) => ({ name: `Channel ${n + 1}` }));
  const count = Math.floor(realCount * size);
  const entries: Entry[] = [];
  const free = new Uint32Array(services.length + 1).fill(1_787_000_400);
  for (let n = 0; n < count; n++) {
    const service = 1 + (Math.floor(services.length ** random() - 1 + random() * services.length) % services.length);
    const duration = 60 * Math.max(5, Math.round(length([20, 30, 90, 180, 600])));
    const [title, subtitle] = [repeated(titles, n), n % 3 === 0 ? repeated(subtitles, n / 3) : ''];
    entries.push({
      service,
      start: free[service] as number,
      duration,
      ...numbered(texts, shown(title), shown(subtitle), n % 22 === 0 ? '' : shown(repeated(abouts, n))),
      genre: pick(genres)[1],
    });
    (free[service] as number) += duration;
  }
  return { services, entries };
}

/**
 * Writes the file for guide_bench, in 32-bit little-endian numbers: the number of texts, each with its length and UTF-8
 * bytes; the number of events, each with service, id, start, duration, title, short text, long text and genre.
 */
export function writeCorpus(corpus: Corpus, file: string): void {
  const columns = [
    corpus.service,
    corpus.id,
    corpus.start,
    corpus.duration,
    corpus.title,
    corpus.shortText,
    corpus.longText,
    corpus.genre,
  ];
  const events = new Uint32Array(1 + corpus.count * columns.length);
  events[0] = corpus.count;
  for (let n = 0, at = 1; n < corpus.count; n++) for (const column of columns) events[at++] = column[n] as number;
  writeFileSync(file, Buffer.concat([packTexts(corpus.texts), new Uint8Array(events.buffer)]));
}

export function packTexts(texts: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    parts.push(bytes);
  };
  number(texts.length);
  for (const text of texts) {
    const bytes = Buffer.from(text);
    number(bytes.length);
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

export function unpackTexts(bytes: Buffer): string[] {
  let at = 4;
  return Array.from({ length: bytes.readUInt32LE(0) }, () => {
    const end = at + 4 + bytes.readUInt32LE(at);
    const text = bytes.toString('utf8', at + 4, end);
    at = end;
    return text;
  });
}
