/** Guide queries of every kind, drawn from the guide's own texts and the same in every run. */
import { type Corpus, seeded } from './guide-corpus.ts';
import type { Scope } from './sqlite.ts';

export interface BenchQuery {
  /** `rare`, `common`, ... */
  readonly kind: string;
  /**
   * `contains`: anywhere in a text; `word` and `phrase`: whole words; `suggest`: titles with a word that begins like
   * this.
   */
  readonly match: 'contains' | 'word' | 'phrase' | 'suggest';
  readonly scope: Scope;
  /** Folded already. */
  readonly text: string;
}

// Characters that are words by themselves. FTS5 would treat a run of them as one word.
const alone =
  /[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u30FF\u3400-\u9FFF\uF900-\uFAFF]|[\u{20000}-\u{3FFFF}]/gu;

/** Puts blanks around characters that are words by themselves. */
export function separateWords(text: string): string {
  return text.replaceAll(alone, ' $& ');
}

/** Draws at most `count` queries of each kind and scope. `folded` are the folded texts of the corpus. */
export function drawQueries(corpus: Corpus, folded: readonly string[], count: number): BenchQuery[] {
  const distinct = (...columns: Uint32Array[]) =>
    [...new Set(columns.flatMap((column) => [...new Set(column)]))].sort((a, b) => a - b).map((n) => folded[n] ?? '');
  const titles = distinct(corpus.title).filter(Boolean);
  const all = distinct(corpus.title, corpus.shortText, corpus.longText).filter(Boolean);
  // Interleaved, so that a contender that runs out of time has answered some of every kind.
  const queries = [
    ...ofScope('title', titles, count, 1),
    ...ofScope('all', all, count, 2),
    ...suggestions(titles, count),
  ];
  const kinds = [...groupBy(queries, ({ kind, scope }) => `${kind} ${scope}`).values()];
  return Array.from({ length: count }, (_, n) => kinds.flatMap((kind) => kind[n] ?? [])).flat();
}

export function groupBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}

function ofScope(scope: Scope, texts: readonly string[], count: number, seed: number): BenchQuery[] {
  const random = seeded(seed);
  const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(random() * list.length)] as Item;
  const slice = (length: number) => {
    const characters = [...pick(texts)];
    const begin = Math.floor(random() * Math.max(1, characters.length - length));
    return characters.slice(begin, begin + length).join('');
  };
  const words = wordsByFrequency(texts);
  const rareWords = words.slice(Math.floor(words.length / 3));
  const everything = texts.join('\n');
  const absent = (text: string) => !everything.includes(text);
  const letters = (length: number) => () => {
    const text = slice(length);
    return /^[\p{L}\p{N}]+$/u.test(text) && [...text].length === length ? text : undefined;
  };
  let next = 0;
  const kinds: readonly (readonly [string, BenchQuery['match'], () => string | undefined])[] = [
    ['rare', 'contains', () => trimmed(slice(8 + Math.floor(random() * 7)), 8)],
    ['common', 'contains', () => words[next++]],
    ['1 letter', 'contains', letters(1)],
    ['2 letters', 'contains', letters(2)],
    ['3 letters', 'contains', letters(3)],
    ['phrase', 'contains', () => inARow(pick(texts), 2 + Math.floor(random() * 2), random)],
    [
      'no hit',
      'contains',
      () => {
        const text = [...slice(6 + Math.floor(random() * 6))].reverse().join('').trim();
        return [...text].length >= 5 && absent(text) ? text : undefined;
      },
    ],
    ['common word', 'word', () => words[next++]],
    ['rare word', 'word', () => pick(rareWords)],
    ['phrase of words', 'phrase', () => inARow(pick(texts), 2 + Math.floor(random() * 2), random)],
    [
      'no such word',
      'word',
      () => {
        const text = [...pick(rareWords)].reverse().join('');
        return absent(text) ? text : undefined;
      },
    ],
  ];
  return kinds.flatMap(([kind, match, draw]) => {
    next = 0;
    return distinctTexts(draw, count).map((text) => ({ kind, match, scope, text }));
  });
}

/** The content of a search field while a title is typed, letter by letter. */
function suggestions(titles: readonly string[], count: number): BenchQuery[] {
  const random = seeded(3);
  return distinctTexts(() => {
    const words = titles[Math.floor(random() * titles.length)]?.match(/[\p{L}\p{N}]+/gu) ?? [];
    const word = [...(words[Math.floor(random() * words.length)] ?? '')];
    const typed = word.slice(0, 1 + Math.floor(random() * 6)).join('');
    return typed === '' || separateWords(typed) !== typed ? undefined : typed;
  }, count).map((text) => ({ kind: 'suggest', match: 'suggest', scope: 'title', text }));
}

function distinctTexts(draw: () => string | undefined, count: number): string[] {
  const texts = new Set<string>();
  for (let tries = 0; texts.size < count && tries < 20 * count; tries++) {
    const text = draw();
    if (text !== undefined && text !== '') texts.add(text);
  }
  return [...texts];
}

/** Words of four letters and more in scripts that separate words by blanks, most frequent first. */
function wordsByFrequency(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const word of new Set(text.match(/[\p{L}\p{N}]{4,}/gu) ?? [])) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .filter(([word]) => separateWords(word) === word)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([word]) => word);
}

function inARow(text: string, count: number, random: () => number): string | undefined {
  const words = text.split(' ');
  if (words.length < count) return undefined;
  const begin = Math.floor(random() * (words.length - count + 1));
  const chosen = words.slice(begin, begin + count);
  // Plain words only, so that a phrase matches the same as text and as words.
  return chosen.every((word) => /^[\p{L}\p{N}]{2,}$/u.test(word) && separateWords(word) === word)
    ? chosen.join(' ')
    : undefined;
}

function trimmed(text: string, least: number): string | undefined {
  const short = text.trim();
  return [...short].length >= least ? short : undefined;
}
