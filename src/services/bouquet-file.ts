/**
 * One bouquet file: a name and a list of references.
 *
 *   #NAME Favourites (TV)
 *   #SERVICE 1:0:19:283D:3FB:1:C00000:0:0:0:
 *   #SERVICE 1:64:1:0:0:0:0:0:0:0::News
 *   #DESCRIPTION News                            overrides the name of the #SERVICE directly before it
 *   #SORT ...                                    any other line stays where it is
 *
 * Old files have a colon after the keyword. As with lamedb, every line keeps its bytes until it is edited, even if its
 * entry is moved. A #DESCRIPTION without a #SERVICE before it is omitted from an edited file: it could end up after
 * another entry, as its name.
 */
import { excerpt } from '../base/errors.ts';
import { EditedFile } from './edited-file.ts';
import { decode, encode, Lines, lineEndOf, missingEnd, oneLine, type Problem } from './lines.ts';
import { ServiceReference } from './reference.ts';

/** A part of the file: an entry, or lines without one. */
interface Part {
  /** Bytes with line ends, as Latin-1; undefined for an entry that was not written yet. */
  readonly raw: string | undefined;
  readonly entry?: BouquetEntry;
  /** A #DESCRIPTION without a #SERVICE. */
  readonly isStray?: true;
}

export interface BouquetEntry {
  /** Includes the name from #DESCRIPTION, if there is one. */
  readonly reference: ServiceReference;
  /** Line of the file it was read from; 0 for a new one. */
  readonly line: number;
}

/** A new entry with its formatted lines, so that a caller can format a long bouquet in time slices. */
export interface WrittenEntry {
  readonly raw: string;
  readonly entry: BouquetEntry;
}

export function writtenEntry(reference: ServiceReference): WrittenEntry {
  return { raw: linesOf(reference, defaultLineEnd), entry: { reference, line: 0 } };
}

/** The line end that current Enigma2 writes. */
const defaultLineEnd = '\r\n';

/** File names of bouquets that were imported from other receivers begin with this. */
export const boxBouquetStart = 'userbouquet.enigma2_';

export class BouquetFile extends EditedFile {
  readonly file: string;
  readonly problems: Problem[] = [];
  /** The byte order mark, which stays at the start when the first entry changes. */
  #byteOrderMark = '';
  #name = '';
  #parts: Part[] = [];
  #lineEnd: string = defaultLineEnd;
  #entries: readonly BouquetEntry[] | undefined;

  private constructor(file: string) {
    super();
    this.file = file;
  }

  /** Creates a new bouquet. */
  static create(file: string, name: string): BouquetFile {
    const bouquet = new BouquetFile(file);
    bouquet.#name = name;
    bouquet.#parts = [{ raw: encode(`#NAME ${oneLine(name)}${defaultLineEnd}`) }];
    bouquet.countChange();
    return bouquet;
  }

  /**
   * Parses a file's bytes; `file` is its name. Never fails: lines that cannot be parsed are reported and kept. `known`
   * caches references by their text, so that files share them: most are in several bouquets.
   */
  static parse(bytes: Uint8Array, file: string, known: Map<string, ServiceReference> = new Map()): BouquetFile {
    const bouquet = new BouquetFile(file);
    bouquet.#read(new Lines(bytes), known);
    return bouquet;
  }

  /** Empty if the file has no #NAME. */
  get name(): string {
    return this.#name;
  }

  get entries(): readonly BouquetEntry[] {
    this.#entries ??= this.#parts.flatMap((part) => part.entry ?? []);
    return this.#entries;
  }

  rename(name: string): void {
    if (name === this.#name) return;
    const part: Part = { raw: encode(`#NAME ${oneLine(name)}${this.#lineEnd}`) };
    const at = this.#parts.findIndex(({ raw = '', entry }) => entry === undefined && nameLine.test(raw));
    if (at < 0) this.#parts.unshift(part);
    else this.#parts[at] = part;
    this.#name = name;
    this.#touch();
  }

  /** Adds entries at the end. */
  append(references: readonly ServiceReference[]): void {
    if (references.length === 0) return;
    const parts = references.map((reference): Part => ({ raw: undefined, entry: { reference, line: 0 } }));
    this.#parts.splice(this.#end(), 0, ...parts);
    this.#touch();
  }

  /** Replaces the entries by exactly these. Entries already there (same name and flags too) keep their lines. */
  replace(references: readonly ServiceReference[]): void {
    const now = this.entries.map(({ reference }) => reference.format());
    const wanted = references.map((reference) => reference.format());
    if (now.length === wanted.length && now.every((text, i) => text === wanted[i])) return;
    const old = new Map<string, Part>();
    for (const part of this.#parts) if (part.entry) old.set(part.entry.reference.format(), part);
    this.#put(
      references.map((reference, i): Part => {
        const kept = old.get(wanted[i] as string);
        old.delete(wanted[i] as string);
        return kept ?? { raw: undefined, entry: { reference, line: 0 } };
      }),
    );
  }

  /** Replaces the entries by these. */
  fill(entries: readonly WrittenEntry[]): void {
    const now = this.#parts.filter(({ entry }) => entry);
    if (now.length === entries.length && now.every(({ raw }, i) => raw === entries[i]?.raw)) return;
    this.#put(entries);
  }

  #put(entries: readonly Part[]): void {
    const first = this.#parts.findIndex((part) => part.entry);
    const at = first < 0 ? this.#end() : first;
    const others = this.#parts.filter((part) => !part.entry);
    this.#parts = [...others.slice(0, at), ...entries, ...others.slice(at)];
    this.#touch();
  }

  /** Returns the bytes of the file: as read, except for edits. */
  format(): Buffer {
    // Joined at the end: reading the last character of a growing string would take quadratic time.
    const texts: string[] = [];
    for (const { raw, entry, isStray } of this.#parts) {
      if (this.revision > 0 && isStray) continue;
      const text = raw ?? linesOf((entry as BouquetEntry).reference, this.#lineEnd);
      if (text === '') continue;
      if (this.revision > 0) texts.push(missingEnd(texts.at(-1) ?? '', this.#lineEnd));
      texts.push(text);
    }
    return Buffer.from(this.#byteOrderMark + texts.join(''), 'latin1');
  }

  /** Index for a new last entry: after the last entry, before blank lines at the end of the file. */
  #end(): number {
    const last = this.#parts.findLastIndex((part) => part.entry !== undefined || nameLine.test(part.raw ?? ''));
    return last + 1;
  }

  #touch(): void {
    this.#entries = undefined;
    this.countChange();
  }

  #read(lines: Lines, known: Map<string, ServiceReference>): void {
    const complain = (text: string) => this.problems.push({ file: this.file, line: lines.number, text });
    this.#byteOrderMark = lines.taken();
    let first = true;
    let named = false;
    for (let line = lines.next(); line !== undefined; line = lines.next()) {
      const { keyword, text } = readKeyword(line);
      if (keyword === 'SERVICE') this.#readEntry(text, lines, known, complain);
      else {
        if (keyword === 'NAME' && !named) {
          this.#name = decode(text).trim();
          named = true;
        }
        const isStray = keyword === 'DESCRIPTION';
        if (isStray) complain('#DESCRIPTION without a #SERVICE directly before it');
        this.#parts.push({ raw: lines.taken(), ...(isStray && { isStray }) });
      }
      if (first) this.#lineEnd = lineEndOf(this.#parts[0]?.raw ?? '');
      first = false;
    }
  }

  #readEntry(text: string, lines: Lines, known: Map<string, ServiceReference>, complain: (text: string) => void): void {
    let reference = known.get(text) ?? ServiceReference.tryParse(decode(text));
    if (reference) known.set(text, reference);
    const line = lines.number;
    if (reference === undefined) complain(`not a service reference: ${JSON.stringify(excerpt(decode(text), 80))}`);
    const next = readKeyword(lines.peek() ?? '');
    if (next.keyword === 'DESCRIPTION') {
      lines.next();
      const name = decode(next.text);
      if (name.trim() !== '') reference = reference?.withName(name);
    }
    const raw = lines.taken();
    this.#parts.push(reference === undefined ? { raw } : { raw, entry: { reference, line } });
  }
}

function linesOf(reference: ServiceReference, lineEnd: string): string {
  let lines = `#SERVICE ${reference.format()}${lineEnd}`;
  if (reference.name !== '' || reference.provider !== '') {
    const provider = reference.provider === '' ? '' : `\u2022${reference.provider}`;
    lines += `#DESCRIPTION ${oneLine(reference.name + provider)}${lineEnd}`;
  }
  return encode(lines);
}

/** One blank separates keyword and text; old files have a colon. */
const keywordLine = /^[ \t]*#(NAME|SERVICE|DESCRIPTION)(?::? (.*)|:(.*)|)$/;
const nameLine = /^[ \t]*#NAME\b/;

function readKeyword(line: string): { readonly keyword?: string; readonly text: string } {
  // Nearly every line has this form, and a start reads thousands of them.
  if (line.startsWith('#SERVICE ') && !line.includes('\r')) return { keyword: 'SERVICE', text: line.slice(9) };
  const [, keyword, text, afterColon] = keywordLine.exec(line) ?? [];
  return keyword === undefined ? { text: '' } : { keyword, text: text ?? afterColon ?? '' };
}

/** File name for a new bouquet: derived from its name, and not one of those `taken`. */
export function newBouquetFileName(name: string, kind: 'tv' | 'radio', taken: (file: string) => boolean): string {
  const base = `userbouquet.${
    name
      .toLowerCase()
      .replace(/[^a-z0-9_]/g, '_')
      .slice(0, 100) || '_'
  }`;
  let file = `${base}.${kind}`;
  for (let number = 2; taken(file); number++) file = `${base}${number}.${kind}`;
  return file;
}
