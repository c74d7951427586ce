/**
 * The guide in SQLite, as an expert in FTS5 would build it: everything in memory, FTS5 without a copy of the texts,
 * optimised after filling, the total and the first hits from one statement. It indexes folded texts, so that it finds
 * what we find. A trigram index has nothing shorter than three characters; shorter queries scan a table of the folded
 * texts, as SQLite's LIKE does.
 *
 * Hits have to be sorted by time, because events do not arrive in that order. A guide that never changes could order
 * its rows by time and stop at the hundredth hit, and titles could have an index of their own: that is
 * `trigramAtItsBest`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { Corpus } from './guide-corpus.ts';
import { root } from './native.ts';

interface Statement {
  run(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  raw(): Statement;
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  pragma(text: string, options?: { simple: boolean }): unknown;
  close(): void;
}
type DatabaseClass = new (file: string, options: { nativeBinding: string }) => Database;

const require = createRequire(import.meta.url);

/**
 * Returns a function that opens a fresh database in memory. The addon is built once from the sources in its npm
 * package, beside our own build, because installing runs no scripts and a prebuilt one would have to be downloaded.
 * Returns undefined if it is not built and may not be.
 */
export function openSqlite(mayBuild: boolean): (() => Database) | undefined {
  const { version } = require('better-sqlite3/package.json') as { version: string };
  const tree = join(root, 'build', 'bench-sqlite', `${version}-${process.versions.modules}-${process.arch}`);
  const nativeBinding = join(tree, 'build', 'Release', 'better_sqlite3.node');
  if (!existsSync(nativeBinding)) {
    if (!mayBuild) return undefined;
    const begin = performance.now();
    rmSync(tree, { recursive: true, force: true });
    mkdirSync(tree, { recursive: true });
    const source = dirname(require.resolve('better-sqlite3/package.json'));
    for (const part of ['binding.gyp', 'package.json', 'deps', 'src']) {
      cpSync(join(source, part), join(tree, part), { recursive: true });
    }
    const prefix = resolve(process.execPath, '../..');
    const headers = existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? [`--nodedir=${prefix}`] : [];
    const gyp = join(root, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
    execFileSync(process.execPath, [gyp, 'rebuild', '--release', '--jobs', '2', ...headers], {
      cwd: tree,
      stdio: 'ignore',
    });
    console.log(`better-sqlite3 ${version} built in ${Math.round((performance.now() - begin) / 1000)} s`);
  }
  const Sqlite = require('better-sqlite3') as DatabaseClass;
  return () => new Sqlite(':memory:', { nativeBinding });
}

/** Each hit is `start service id`. */
export interface Found {
  readonly total: number;
  readonly first: readonly string[];
}

export type Scope = 'title' | 'all';

export interface Filled {
  /**
   * Time to fill the table and the trigram index over all texts, in transactions of 1000 events with a current index.
   */
  readonly milliseconds: number;
  /** Size of the table and that index after optimising. */
  readonly bytes: number;
}

const columnOf = (scope: Scope) => (scope === 'title' ? '{title} : ' : '');
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

export class GuideDatabase {
  readonly #db: Database;
  readonly #corpus: Corpus;
  readonly #folded: readonly string[];
  readonly #statements = new Map<string, Statement>();
  #suggest: Statement | undefined;

  constructor(open: () => Database, corpus: Corpus, folded: readonly string[]) {
    this.#db = open();
    this.#corpus = corpus;
    this.#folded = folded;
  }

  close(): void {
    this.#db.close();
  }

  fill(): Filled {
    this.#db.exec(`
      CREATE TABLE events(id INTEGER PRIMARY KEY, service INTEGER, event INTEGER, start INTEGER, duration INTEGER,
                          genre INTEGER, title TEXT, short TEXT, long TEXT);
      CREATE VIRTUAL TABLE trigram_all USING fts5(title, short, long, content='', tokenize='trigram case_sensitive 1');`);
    const event = this.#db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    const index = this.#db.prepare('INSERT INTO trigram_all(rowid, title, short, long) VALUES (?, ?, ?, ?)');
    const { service, id, start, duration, genre, title, shortText, longText, texts } = this.#corpus;
    const milliseconds = this.#inTransactions((n) => {
      const [t, s, l] = [title[n] as number, shortText[n] as number, longText[n] as number];
      event.run(n, service[n], id[n], start[n], duration[n], genre[n], texts[t], texts[s], texts[l]);
      index.run(n, this.#folded[t], this.#folded[s], this.#folded[l]);
    });
    this.#db.exec("INSERT INTO trigram_all(trigram_all) VALUES ('optimize')");
    const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
      Number(this.#db.pragma(name, { simple: true })),
    ) as [number, number, number];
    return { milliseconds, bytes: (pages - free) * size };
  }

  /** Adds an index of the titles alone, for title searches, and the folded texts, for one or two characters. */
  addTitleIndexAndTexts(): void {
    this.#db.exec(`
      CREATE VIRTUAL TABLE trigram_title USING fts5(title, content='', tokenize='trigram case_sensitive 1');
      CREATE TABLE folded(id INTEGER PRIMARY KEY, title TEXT, texts TEXT);`);
    const index = this.#db.prepare('INSERT INTO trigram_title(rowid, title) VALUES (?, ?)');
    const folded = this.#db.prepare('INSERT INTO folded VALUES (?, ?, ?)');
    const { title, shortText, longText } = this.#corpus;
    this.#inTransactions((n) => {
      const [t, s, l] = [title, shortText, longText].map((column) => this.#folded[column[n] as number] as string);
      index.run(n, t);
      folded.run(n, t, `${t}\n${s}\n${l}`);
    });
    this.#db.exec("INSERT INTO trigram_title(trigram_title) VALUES ('optimize')");
  }

  /** Adds indexes of whole words. `separate` puts blanks around characters that are words by themselves. */
  addWordIndexes(separate: (text: string) => string): void {
    this.#db.exec(`
      CREATE VIRTUAL TABLE unicode61_title USING fts5(title, content='', tokenize='unicode61 remove_diacritics 0');
      CREATE VIRTUAL TABLE unicode61_all USING fts5(title, short, long, content='', tokenize='unicode61 remove_diacritics 0');`);
    const words = this.#folded.map(separate);
    const titles = this.#db.prepare('INSERT INTO unicode61_title(rowid, title) VALUES (?, ?)');
    const all = this.#db.prepare('INSERT INTO unicode61_all(rowid, title, short, long) VALUES (?, ?, ?, ?)');
    const { title, shortText, longText } = this.#corpus;
    this.#inTransactions((n) => {
      const [t, s, l] = [title, shortText, longText].map((column) => words[column[n] as number] as string);
      titles.run(n, t);
      all.run(n, t, s, l);
    });
    this.#db.exec("INSERT INTO unicode61_title(unicode61_title) VALUES ('optimize')");
    this.#db.exec("INSERT INTO unicode61_all(unicode61_all) VALUES ('optimize')");
  }

  /** Adds the distinct titles with their counts, for completion. */
  addSuggestions(separate: (text: string) => string): void {
    this.#db.exec(`
      CREATE TABLE titles(id INTEGER PRIMARY KEY, title TEXT, folded TEXT, count INTEGER, start INTEGER);
      CREATE VIRTUAL TABLE title_words USING fts5(title, content='', tokenize='unicode61 remove_diacritics 0', prefix='1 2 3 4');`);
    const { title, start, texts, count } = this.#corpus;
    const known = new Map<number, { count: number; start: number }>();
    for (let n = 0; n < count; n++) {
      const entry = known.get(title[n] as number);
      if (entry) entry.count++;
      else known.set(title[n] as number, { count: 1, start: start[n] as number });
    }
    const row = this.#db.prepare('INSERT INTO titles VALUES (?, ?, ?, ?, ?)');
    const index = this.#db.prepare('INSERT INTO title_words(rowid, title) VALUES (?, ?)');
    this.#db.exec('BEGIN');
    for (const [number, entry] of known) {
      row.run(number, texts[number], this.#folded[number], entry.count, entry.start);
      index.run(number, separate(this.#folded[number] as string));
    }
    this.#db.exec("COMMIT; INSERT INTO title_words(title_words) VALUES ('optimize')");
    this.#suggest = this.#db
      .prepare(
        `SELECT t.title, t.count, t.start FROM title_words f JOIN titles t ON t.id = f.rowid WHERE title_words MATCH ?
         ORDER BY substr(t.folded, 1, length(?)) <> ?, t.count DESC, t.folded LIMIT 10`,
      )
      .raw();
  }

  /** Searches the index of all texts; a title search uses one column of it. `wanted` is folded. */
  trigram(scope: Scope, wanted: string): Found {
    if ([...wanted].length < 3) return this.#scan(scope, wanted, false);
    return this.#find('rowid', 'FROM trigram_all WHERE trigram_all MATCH ?', columnOf(scope) + quoted(wanted), false);
  }

  /** SQLite at its best: a separate index of the titles, and rows in order of time. */
  trigramAtItsBest(scope: Scope, wanted: string): Found {
    return [...wanted].length < 3 ? this.#scan(scope, wanted, true) : this.#match(`trigram_${scope}`, wanted, true);
  }

  /** Searches for adjacent words; `wanted` is folded. */
  words(scope: Scope, wanted: string, byTime = false): Found {
    return this.#match(`unicode61_${scope}`, wanted, byTime);
  }

  /** `typed` is folded and without quotes. */
  suggest(typed: string): unknown[] {
    return this.#suggest?.all(`"${typed}" *`, typed, typed) ?? [];
  }

  #match(table: string, wanted: string, byTime: boolean): Found {
    return this.#find('rowid', `FROM ${table} WHERE ${table} MATCH ?`, quoted(wanted), byTime);
  }

  #scan(scope: Scope, wanted: string, byTime: boolean): Found {
    const column = scope === 'title' ? 'title' : 'texts';
    return this.#find('id', `FROM folded WHERE instr(${column}, ?) > 0`, wanted, byTime);
  }

  #find(id: string, from: string, wanted: string, byTime: boolean): Found {
    if (byTime) {
      const first = this.#prepared(
        `SELECT e.start, e.service, e.event FROM (SELECT ${id} AS hit ${from} ORDER BY ${id} LIMIT 100)
         JOIN events e ON e.id = hit ORDER BY e.id`,
      ).all(wanted) as number[][];
      const [[total] = []] = this.#prepared(`SELECT count(*) ${from}`).all(wanted) as number[][];
      return { total: total ?? 0, first: first.map((event) => event.join(' ')) };
    }
    const rows = this.#prepared(
      `SELECT e.start, e.service, e.event, count(*) OVER () FROM (SELECT ${id} AS hit ${from})
       JOIN events e ON e.id = hit ORDER BY e.start, e.service, e.event LIMIT 100`,
    ).all(wanted) as number[][];
    return { total: rows[0]?.[3] ?? 0, first: rows.map((event) => event.slice(0, 3).join(' ')) };
  }

  #prepared(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql).raw();
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #inTransactions(insert: (event: number) => void): number {
    const begin = performance.now();
    for (let n = 0; n < this.#corpus.count; n++) {
      if (n % 1000 === 0) this.#db.exec(n === 0 ? 'BEGIN' : 'COMMIT; BEGIN');
      insert(n);
    }
    this.#db.exec('COMMIT');
    return performance.now() - begin;
  }
}
