/**
 * The bouquets of a folder: two roots (bouquets.tv, bouquets.radio), the lists they reference, the lists nested in
 * those, and alternatives.
 *
 * Built once from all files, and rebuilt after an edit. A root lists its lines plus, as on a box, the userbouquet files
 * in the folder that nothing references. Some referenced lists are left out and reported once, with the line that
 * references them: a missing one, one that contains itself, one nested too deep, and one with a folder in its name.
 *
 * Channel numbers run over the television root in order, and separately over radio. Every entry counts that is neither
 * a marker nor a bouquet. A numbered marker counts too; a group of alternatives counts once. The entries of a nested
 * bouquet count in its place. The settings can restart the numbers at 1 in every bouquet. The web interface always uses
 * the continuous count, because clients add up its numbers.
 */
import { type BouquetEntry, BouquetFile } from './bouquet-file.ts';
import type { Problem } from './lines.ts';
import { bouquetFileOf, isPlainFileName, parseQuery } from './query.ts';
import { ServiceReference } from './reference.ts';

export type BouquetKind = 'tv' | 'radio';

export const rootFiles: Readonly<Record<BouquetKind, string>> = { tv: 'bouquets.tv', radio: 'bouquets.radio' };
const kinds: readonly BouquetKind[] = ['tv', 'radio'];

export interface BouquetOptions {
  /** Where a root shows userbouquet files that nothing references (`config.misc.load_unlinked_userbouquets`). */
  readonly unlinked: 'first' | 'last' | 'ignored';
  /** Numbering restarts at 1 in every bouquet (`config.usage.alternative_number_mode`). */
  readonly numberEach: boolean;
}

/** An entry of a bouquet or root, with the list behind it. */
export interface ListedEntry {
  /** A bouquet's path is always `FROM BOUQUET "FILE" ORDER BY bouquet` here, however old the file. */
  readonly reference: ServiceReference;
  /** Channel number, 0 = none. */
  readonly number: number;
  /** Number in the continuous count over the root, 0 = none. Equals `number` unless every bouquet counts from 1. */
  readonly running: number;
  /** The list behind a bouquet or alternatives entry. */
  readonly list: BouquetFile | undefined;
}

/** An entry with a list behind it. */
export type ListedList = ListedEntry & { readonly list: BouquetFile };

/** The last channel number assigned, and the last one in the continuous count over the root. */
interface Counter {
  last: number;
  readonly run: { last: number };
}

const newCounter = (): Counter => ({ last: 0, run: { last: 0 } });

/** Maximum nesting of bouquets; a box recurses without limit. */
const maxDepth = 8;

/** Always listed last if nothing references it. */
const lastScanned = 'userbouquet.LastScanned.tv';

export class Bouquets {
  readonly problems: Problem[] = [];
  readonly #files = new Map<string, BouquetFile>();
  readonly #options: BouquetOptions;
  readonly #entries = new Map<string, ListedEntry[]>();
  readonly #lists = new Map<string, ListedList[]>();
  /** Numbers of the continuous count used before a bouquet. */
  readonly #before = new Map<string, number>();
  readonly #reported = new Set<string>();

  constructor(files: Iterable<BouquetFile>, options: BouquetOptions) {
    this.#options = options;
    for (const file of files) {
      this.#files.set(file.file, file);
      this.problems.push(...file.problems);
    }
    for (const kind of kinds) {
      if (!this.#files.has(rootFiles[kind])) this.#files.set(rootFiles[kind], emptyRoot(kind));
    }
    const unlinked = this.#unlinkedFiles();
    for (const kind of kinds) this.#number(kind, unlinked[kind]);
    for (const file of this.#files.keys()) if (!this.#entries.has(file)) this.#fill(file, [], newCounter());
  }

  get files(): Iterable<BouquetFile> {
    return this.#files.values();
  }

  /** Returns a file by its name, including roots and alternatives. */
  get(file: string): BouquetFile | undefined {
    return this.#files.get(file);
  }

  /** Name of a list to display: the one in its file, otherwise the file's name. */
  static nameOf(file: BouquetFile): string {
    return file.name === '' ? file.file : file.name;
  }

  /** Returns the entries of a file. Entries whose list cannot be shown are left out. */
  entries(file: string): readonly ListedEntry[] {
    return this.#entries.get(file) ?? [];
  }

  /** Returns the entries of a file that have a list behind them. */
  lists(file: string): readonly ListedList[] {
    return this.#lists.get(file) ?? [];
  }

  /** Numbers of the continuous count used by the bouquets before this one. */
  numbersBefore(file: string): number {
    return this.#before.get(file) ?? 0;
  }

  #number(kind: BouquetKind, unlinked: readonly string[]): void {
    const root = rootFiles[kind];
    const extra = unlinked.map((file) => ({ reference: ServiceReference.bouquet(file), line: 0 }));
    const last = ({ reference }: BouquetEntry) => bouquetFileOf(reference.path) === lastScanned;
    const front = this.#options.unlinked === 'first' ? extra.filter((entry) => !last(entry)) : [];
    const back = extra.filter((entry) => !front.includes(entry));
    this.#fill(root, [], newCounter(), [...front, ...(this.#files.get(root) as BouquetFile).entries, ...back]);
  }

  /** Lists and numbers the entries of one file, and descends into the bouquets among them. */
  #fill(
    file: string,
    path: readonly string[],
    counter: Counter,
    lines: readonly BouquetEntry[] = (this.#files.get(file) as BouquetFile).entries,
  ): void {
    const entries: ListedEntry[] = [];
    this.#entries.set(file, entries);
    const lists: ListedList[] = [];
    this.#lists.set(file, lists);
    this.#before.set(file, counter.run.last);
    const inside = [...path, file];
    const next = (counts: boolean) =>
      counts ? { number: ++counter.last, running: ++counter.run.last } : { number: 0, running: 0 };
    for (const { reference, line } of lines) {
      if (!reference.canDescend) {
        const counts = !reference.isMarker || reference.isNumberedMarker;
        entries.push({ reference, ...next(counts), list: undefined });
        continue;
      }
      const query = parseQuery(reference.path);
      if (query?.from !== 'bouquet') {
        entries.push({ reference, ...next(false), list: undefined });
        continue;
      }
      const list = this.#enter(query.file, inside, { file, line });
      if (list === undefined) continue;
      const entry = { reference: withFile(reference, list.file), ...next(reference.isAlternatives), list };
      entries.push(entry);
      lists.push(entry);
      if (!this.#entries.has(list.file)) this.#fill(list.file, inside, this.#counterInside(reference, counter));
    }
  }

  /** The members of a group of alternatives are numbered separately. */
  #counterInside({ isAlternatives }: ServiceReference, counter: Counter): Counter {
    if (isAlternatives) return newCounter();
    return this.#options.numberEach ? { last: 0, run: counter.run } : counter;
  }

  #enter(name: string, path: readonly string[], where: { file: string; line: number }): BouquetFile | undefined {
    const list = this.#files.get(name);
    let fault: string | undefined;
    if (!isPlainFileName(name)) fault = `the bouquet ${JSON.stringify(name)} is outside the folder`;
    else if (list === undefined) fault = `the bouquet ${name} does not exist`;
    else if (path.includes(name)) fault = `the bouquet ${name} contains itself`;
    else if (path.length > maxDepth) fault = `the bouquet ${name} is nested more than ${maxDepth} levels deep`;
    if (fault === undefined) return list;
    if (!this.#reported.has(fault)) this.problems.push({ ...where, text: fault });
    this.#reported.add(fault);
    return undefined;
  }

  /** Userbouquet files referenced neither by a root nor below one, by the root that their extension belongs to. */
  #unlinkedFiles(): Record<BouquetKind, string[]> {
    const mentioned = new Set<string>();
    const visit = (file: string) => {
      if (mentioned.has(file)) return;
      mentioned.add(file);
      for (const { reference } of this.#files.get(file)?.entries ?? []) {
        const next = reference.canDescend ? bouquetFileOf(reference.path) : undefined;
        if (next !== undefined) visit(next);
      }
    };
    for (const kind of kinds) visit(rootFiles[kind]);
    const unlinked = (kind: BouquetKind) =>
      [...this.#files.keys()]
        .filter((file) => file.includes('userbouquet') && file.endsWith(`.${kind}`) && !mentioned.has(file))
        .filter((file) => this.#options.unlinked !== 'ignored' || file === lastScanned)
        .sort();
    return { tv: unlinked('tv'), radio: unlinked('radio') };
  }
}

/** Stands for a missing root file; written only once something is added. */
function emptyRoot(kind: BouquetKind): BouquetFile {
  const root = BouquetFile.create(rootFiles[kind], `Bouquets (${kind === 'tv' ? 'TV' : 'Radio'})`);
  root.saved(root.revision);
  return root;
}

function withFile(reference: ServiceReference, file: string): ServiceReference {
  if (/FROM\s+BOUQUET/i.test(reference.path)) return reference;
  return ServiceReference.of({
    type: reference.type,
    flags: reference.flags,
    fields: reference.fields,
    path: `FROM BOUQUET "${file}" ORDER BY bouquet`,
    name: reference.name,
    provider: reference.provider,
  });
}
