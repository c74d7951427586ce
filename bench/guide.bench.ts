/**
 * The guide: filling it, searching it, its memory. Ours is a native program, from EIT sections to the keys of the hits,
 * which is also what the rivals return; http.bench.ts measures what Node and HTTP add. The rivals are SQLite's FTS5
 * (sqlite.ts), a scan as in Enigma2 (native/enigma2_scan.h), MiniSearch, and reading the folded texts once, which no
 * search that looks at all texts can beat. All contenders receive the same folded texts and must return the exact total
 * and the first hundred hits in order of time.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import type { Comparison, Measured } from './comparison.ts';
import { type Corpus, loadCorpus, packTexts, unpackTexts, writeCorpus } from './guide-corpus.ts';
import { type BenchQuery, drawQueries, groupBy, separateWords } from './guide-queries.ts';
import { buildNative, temporaryFolder } from './native.ts';
import { type Found, GuideDatabase, openSqlite } from './sqlite.ts';

/** The output of guide_bench. */
interface Report {
  readonly events: number;
  readonly wrong: number;
  readonly memoryBytes: number;
  readonly residentBytes: number;
  readonly ingestMilliseconds: number;
  readonly applyMilliseconds: number;
  readonly sections: number;
  readonly sectionBytes: number;
  readonly receiverd: readonly number[];
  readonly saveMilliseconds: number;
  readonly snapshotBytes: number;
  readonly loadedResidentBytes: number;
  readonly loadMilliseconds: readonly number[];
  readonly foldedBytes: number;
  readonly readMilliseconds: number;
  readonly enigma2: readonly ((Found & { readonly milliseconds: number }) | null)[];
}

interface Answer extends Found {
  readonly suggestions: readonly { readonly title: string; readonly count: number; readonly start: number }[] | null;
}

/** Queries with their results; undefined where there was no time to ask. */
type Answers = readonly (readonly [string, unknown])[];

/** A query with the result and time of each contender. A rival that ran out of time is missing. */
interface Asked extends BenchQuery {
  readonly ours: unknown;
  readonly samples: Map<string, { readonly milliseconds: number; readonly result: unknown }>;
}

const names = {
  trigram: 'SQLite FTS5 trigram',
  trigramAtItsBest: 'SQLite at its best',
  unicode61: 'SQLite FTS5 unicode61',
  enigma2: 'scan as in Enigma2',
  miniSearch: 'MiniSearch',
  memory: 'reading the folded texts once',
} as const;

const sizes = {
  quick: [{ label: '20k', events: 20_000, repeat: 1 }],
  full: [
    { label: '200k', events: Number.POSITIVE_INFINITY, repeat: 1 },
    { label: '1M', events: Number.POSITIVE_INFINITY, repeat: 5 },
  ],
} as const;

export default async function* comparisons(quick: boolean): AsyncIterable<Comparison> {
  const program = buildNative('guide_bench');
  const open = openSqlite(!quick);
  if (!open)
    console.log(
      '\nguide: SQLite is left out of the quick run because better-sqlite3 is not built; the full run builds it',
    );
  for (const { label, events, repeat } of sizes[quick ? 'quick' : 'full']) {
    yield* measure(`guide ${label}`, program, open, loadCorpus(events, repeat), quick);
  }
}

function* measure(
  label: string,
  program: string,
  open: ReturnType<typeof openSqlite>,
  corpus: Corpus,
  quick: boolean,
): Iterable<Comparison> {
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  writeFileSync(file('texts'), packTexts(corpus.texts));
  execFileSync(program, ['fold', file('texts'), file('folded')]);
  const folded = unpackTexts(readFileSync(file('folded')));
  const queries = drawQueries(corpus, folded, quick ? 20 : 200);
  writeCorpus(corpus, file('corpus'));
  writeFileSync(file('queries'), queries.map(({ match, scope, text }) => `${match}\t${scope}\t${text}\n`).join(''));
  const output = execFileSync(
    program,
    ['run', file('corpus'), file('folded'), file('queries'), file('answers'), quick ? '2000' : '60000'],
    { encoding: 'utf8', maxBuffer: 1 << 30 },
  );
  const report = JSON.parse(output) as Report;
  assert.equal(report.events, corpus.count, 'the store has every event');
  assert.equal(report.wrong, 0, 'every event has the texts that were sent');
  console.log(
    `\n${label}: ${corpus.count.toLocaleString('en')} ${corpus.source}, ${corpus.services.length.toLocaleString('en')} services, ` +
      `${corpus.texts.length.toLocaleString('en')} distinct texts; ${Math.round(report.residentBytes / corpus.count)} bytes resident ` +
      `per event (${Math.round(report.memoryBytes / corpus.count)} by the store's own count)`,
  );

  const answers = readFileSync(file('answers'), 'utf8').split('\n');
  const asked = queries.map((query, n): Asked => ({ ...query, ours: parse(answers[n] ?? ''), samples: new Map() }));
  for (const [n, { samples, ours }] of asked.entries()) {
    samples.set('receiverd', { milliseconds: report.receiverd[n] ?? Number.NaN, result: ours });
    const scan = report.enigma2[n];
    if (scan)
      samples.set(names.enigma2, { milliseconds: scan.milliseconds, result: { total: scan.total, first: scan.first } });
  }

  const events = { amount: corpus.count, unit: 'events' };
  const once = (name: string, sample: number, result?: unknown): Measured => ({ name, samples: [sample], result });
  const same = (): undefined => undefined;
  console.log(
    `${label}: snapshot of ${(report.snapshotBytes / 1e6).toFixed(1)} MB, written in ${Math.round(report.saveMilliseconds)} ms; ` +
      `${(report.loadedResidentBytes / 1e6).toFixed(1)} MB resident after starting from it`,
  );
  yield {
    name: `${label}: start from a snapshot`,
    work: events,
    contenders: [
      { name: 'receiverd', samples: report.loadMilliseconds, result: undefined },
      once('building it from EIT sections', report.ingestMilliseconds),
    ],
    check: same,
  };
  if (open) {
    const database = new GuideDatabase(open, corpus, folded);
    const filled = database.fill();
    yield {
      name: `${label}: EIT sections or rows in, the index kept current`,
      work: events,
      contenders: [once('receiverd', report.ingestMilliseconds), once(names.trigram, filled.milliseconds)],
      check: same,
    };
    yield {
      name: `${label}: memory with index and texts`,
      unit: 'bytes',
      work: events,
      contenders: [once('receiverd', report.residentBytes), once(names.trigram, filled.bytes)],
      check: same,
    };
    database.addTitleIndexAndTexts();
    ask(asked, names.trigram, 'contains', quick, ({ scope, text }) => database.trigram(scope, text));
    ask(asked, names.trigramAtItsBest, 'contains', quick, ({ scope, text }) => database.trigramAtItsBest(scope, text));
    database.addWordIndexes(separateWords);
    for (const match of ['word', 'phrase'] as const) {
      ask(asked, names.unicode61, match, quick, ({ scope, text }) => database.words(scope, text));
    }
    database.addSuggestions(separateWords);
    ask(asked, names.unicode61, 'suggest', quick, ({ text }) => database.suggest(text));
    database.close();
  }
  if (corpus.count < 500_000) {
    const miniSearch = titlesInMiniSearch(corpus, folded);
    ask(asked, names.miniSearch, 'word', quick, ({ scope, text }) =>
      scope === 'title' ? miniSearch(text) : undefined,
    );
  }

  const kinds = groupBy(asked, ({ kind, scope }) =>
    kind === 'suggest' ? `${label}: suggest` : `${label}, ${where[scope]}: ${kind}`,
  );
  for (const [name, group] of kinds) yield* comparisonsOf(name, group);
  for (const scope of ['title', 'all'] as const) {
    const group = asked.filter(
      (query) => query.scope === scope && query.match === 'contains' && [...query.text].length >= 3,
    );
    yield* comparisonsOf(`${label}, ${where[scope]}: all of three letters and more`, group);
  }
  const longest = asked.reduce((a, b) => (time(a, 'receiverd') > time(b, 'receiverd') ? a : b));
  console.log(`\n${label}: the slowest query was '${longest.text}' (${longest.match} in ${longest.scope})`);
  yield {
    name: `${label}: the slowest query of all`,
    contenders: [once('receiverd', time(longest, 'receiverd')), once(names.memory, report.readMilliseconds)],
    check: same,
  };
}

const where = { title: 'titles', all: 'all texts' } as const;

function time(query: Asked, name: string): number {
  return query.samples.get(name)?.milliseconds ?? Number.NaN;
}

function parse(answer: string): unknown {
  const { suggestions, total, first } = JSON.parse(answer) as Answer;
  return suggestions?.map(({ title, count, start }) => [title, count, start]) ?? { total, first };
}

/** Runs every query of a match on a rival, once unmeasured and once measured, until its time limit. */
function ask(
  asked: readonly Asked[],
  name: string,
  match: BenchQuery['match'],
  quick: boolean,
  run: (query: BenchQuery) => unknown,
) {
  for (const group of groupBy(asked, ({ kind, scope }) => `${kind} ${scope}`).values()) {
    const end = performance.now() + (quick ? 500 : 6_000);
    for (const query of group) {
      if (query.match !== match || performance.now() > end) break;
      const result = run(query);
      if (result === undefined) break;
      const begin = performance.now();
      run(query);
      query.samples.set(name, { milliseconds: performance.now() - begin, result });
    }
  }
}

/** Compares each rival on the queries that it answered. */
function* comparisonsOf(name: string, group: readonly Asked[]): Iterable<Comparison> {
  const everybody = [...new Set(group.flatMap(({ samples }) => [...samples.keys()]))];
  const contenders = everybody.map(
    (contender): Measured => ({
      name: contender,
      samples: group.map((query) => time(query, contender)),
      result: group.map(({ text, samples }) => [text, samples.get(contender)?.result]),
    }),
  );
  yield {
    name,
    paired: true,
    contenders,
    check: (ours, rival, contender) => {
      let count = 0;
      for (const [n, [text, found]] of (rival as Answers).entries()) {
        if (found === undefined) continue;
        count++;
        assert.deepEqual(found, (ours as Answers)[n]?.[1], `${name}: ${contender} finds something else for '${text}'`);
      }
      return count < group.length ? `${count} of ${group.length} queries` : undefined;
    },
  };
}

/** Whole words of titles. All texts would take gigabytes. */
function titlesInMiniSearch(corpus: Corpus, folded: readonly string[]): (text: string) => Found {
  const words = (text: string) => separateWords(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const index = new MiniSearch<{ id: number; title: string }>({
    fields: ['title'],
    tokenize: words,
    processTerm: (term) => term,
  });
  index.addAll(
    Array.from({ length: corpus.count }, (_, id) => ({ id, title: folded[corpus.title[id] as number] ?? '' })),
  );
  return (text) => {
    const hits = index.search(text, { combineWith: 'AND' }).map(({ id }) => id as number);
    hits.sort((a, b) => a - b);
    const first = hits.slice(0, 100).map((n) => `${corpus.start[n]} ${corpus.service[n]} ${corpus.id[n]}`);
    return { total: hits.length, first };
  };
}
