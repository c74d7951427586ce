/** The generated part of docs/benchmarks.md: the goals with what was reached, and every number of the run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './native.ts';
import { amount, type Report, type Row, times } from './result.ts';

const page = join(root, 'docs', 'benchmarks.md');
const [begin, end] = ['<!-- generated: npm run bench -- --write-page -->', '<!-- end -->'];

interface Target {
  readonly what: string;
  readonly wanted: string;
  /** What was reached, and whether that is enough. Returns undefined if it was not measured. */
  readonly reached: (rows: readonly Row[]) => { readonly text: string; readonly enough: boolean } | undefined;
}

const find = (rows: readonly Row[], comparison: string, rival: string) =>
  rows.find((row) => row.comparison === comparison && row.contender.startsWith(rival));

/** A goal of being better than a rival by these factors, at the median and at the 99th percentile. */
function ratio(what: string, comparison: string, rival: string, p50: number, p99?: number): Target {
  return {
    what: `${what}, against ${rival}`,
    wanted: `${p50}x${p99 === undefined ? '' : `, p99 ${p99}x`}`,
    reached: (rows) => {
      const row = find(rows, comparison, rival);
      return (
        row && {
          text: `${times(row.ratio)}${p99 === undefined ? '' : `, p99 ${times(row.ratio99)}`}`,
          enough: row.ratio >= p50 && (p99 === undefined || row.ratio99 >= p99),
        }
      );
    },
  };
}

/** A goal in milliseconds for the whole program. */
function within(what: string, comparison: string, percentile: 'median' | 'p99', milliseconds: number): Target {
  return {
    what,
    wanted: `${percentile === 'p99' ? 'p99 ' : ''}under ${milliseconds} ms`,
    reached: (rows) => {
      const row = find(rows, comparison, 'receiverd');
      return row && { text: amount(row[percentile], 'ms'), enough: row[percentile] < milliseconds };
    },
  };
}

const hotRoutes = [
  'epgnow of 200 services',
  'epgnow of 200 services, none twice',
  'getallservices of 2,000 services',
  'epgsearch',
  'epgsearch, none twice',
  'statusinfo',
  'services.m3u of 20,000 services',
  '/services of 20,000 services',
];

const targets: readonly Target[] = [
  ratio(
    'search in titles, 1 M events',
    'guide 1M, titles: all of three letters and more',
    'SQLite FTS5 trigram',
    1000,
    300,
  ),
  ratio(
    'search in all texts, 1 M events',
    'guide 1M, all texts: all of three letters and more',
    'SQLite FTS5 trigram',
    200,
    100,
  ),
  {
    what: 'whole words, every kind, 1 M events, against SQLite FTS5 unicode61',
    wanted: 'faster',
    reached: (rows) => {
      const all = rows.filter((row) => row.comparison.startsWith('guide 1M') && row.contender.endsWith('unicode61'));
      const least = all.toSorted((a, b) => a.ratio - b.ratio)[0];
      return least && { text: `${times(least.ratio)} or more (${least.comparison})`, enough: least.ratio > 1 };
    },
  },
  ratio('memory with index and texts, 1 M events', 'guide 1M: memory with index and texts', 'SQLite FTS5 trigram', 8),
  ratio(
    'memory with index and texts, 200 k events',
    'guide 200k: memory with index and texts',
    'SQLite FTS5 trigram',
    8,
  ),
  {
    what: 'memory for each event, 200 k events',
    wanted: '160 bytes',
    reached: (rows) => {
      const row = find(rows, 'guide 200k: memory with index and texts', 'receiverd');
      return row && { text: `${Math.round(row.rate ?? 0)} bytes`, enough: (row.rate ?? 0) <= 160 };
    },
  },
  ratio(
    'EIT sections in, 1 M events',
    'guide 1M: EIT sections or rows in, the index kept current',
    'SQLite FTS5 trigram',
    20,
  ),
  ratio('start from a snapshot, 1 M events', 'guide 1M: start from a snapshot', 'building', 50),
  ratio('packets to stored events', 'eit: a multiplex with pictures, packets to stored events', 'aribts', 30),
  ratio('packets that nobody wants', 'eit: packets that nobody wants', 'memcpy', 0.25),
  within('HTTP: search in titles', 'http 200k: search in titles, first hundred', 'median', 1),
  within('HTTP: search in all texts', 'http 200k: search in all texts, first hundred', 'median', 2),
  within('HTTP: now and next of every channel', 'http 200k: now and next of every channel', 'median', 15),
  within('HTTP: a channel while others search', 'http 200k: a channel while others search', 'p99', 5),
  within('HTTP: a channel while a guide is imported', 'http 200k: a channel while a guide is imported', 'p99', 5),
  within('HTTP: XMLTV import', 'http 200k: XMLTV import', 'median', 3000),
  within('HTTP: start to the first search', 'http 200k: start to the first search', 'median', 300),
  // At least half the rate of bare Fastify, where no request repeats 0.35 of it, a p99 within five times its own, and an
  // event loop that stays responsive.
  ...hotRoutes.flatMap((route) => [
    ratio(`16 clients: ${route}`, `load: ${route}`, 'bare Fastify', route.endsWith('none twice') ? 0.35 : 0.5, 0.2),
    within(`16 clients: event loop, ${route}`, `load: event loop, ${route}`, 'p99', 10),
  ]),
];

export function write({ date, commit, machine, results }: Report): void {
  const table = (head: readonly string[], lines: readonly (readonly string[])[]) =>
    [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const reached = targets.map(({ what, wanted, reached }) => {
    const found = reached(results);
    return [what, wanted, found?.text ?? 'not measured', found === undefined ? '' : found.enough ? 'yes' : 'no'];
  });
  const numbers = results.map(({ comparison, contender, ours, unit, median, p99, runs, ratio, ratio99, note }, n) => [
    results[n - 1]?.comparison === comparison ? '' : comparison,
    contender,
    amount(median, unit),
    runs > 1 ? amount(p99, unit) : '',
    ours ? '' : times(ratio),
    ours || runs < 2 ? '' : times(ratio99),
    note ?? '',
  ]);
  const generated = [
    `\`npm run bench\` on ${date.slice(0, 10)}, ${commit ?? 'no commit'}: ${machine.cpu}, ${machine.cores} cores, ` +
      `${machine.arch}, Node ${machine.node}.`,
    table(['what', 'goal', 'reached', 'met'], reached),
    '### Every number',
    table(['work', 'contender', 'p50', 'p99', 'ratio', 'ratio p99', 'note'], numbers),
  ].join('\n\n');
  const text = readFileSync(page, 'utf8');
  const [from, until] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || until < from) throw new Error(`${page} has no place for the results`);
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n\n${generated}\n\n${text.slice(until)}`);
}
