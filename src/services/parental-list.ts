/**
 * Parental lists: `blacklist` (locked services) and, in older images, `whitelist` (the only unlocked ones). One
 * reference per line; a bouquet's reference stands for the whole bouquet. Lines that start with "-" are ignored.
 */
import { excerpt } from '../base/errors.ts';
import { decode, encode, Lines, type Problem } from './lines.ts';
import { ServiceReference } from './reference.ts';

export type ParentalListKind = 'blacklist' | 'whitelist';

export class ParentalList {
  readonly kind: ParentalListKind;
  readonly references: readonly ServiceReference[];
  readonly problems: readonly Problem[];
  readonly #identities: ReadonlySet<string>;
  readonly #bytes: Uint8Array;

  constructor(kind: ParentalListKind, bytes: Uint8Array | undefined) {
    const references: ServiceReference[] = [];
    const problems: Problem[] = [];
    this.#bytes = bytes ?? new Uint8Array();
    const lines = new Lines(this.#bytes);
    for (let line = lines.next(); line !== undefined; line = lines.next()) {
      const text = decode(line).trim();
      if (text === '' || text.startsWith('-') || text.startsWith('#')) continue;
      const reference = ServiceReference.tryParse(text);
      if (reference) references.push(reference);
      else
        problems.push({
          file: kind,
          line: lines.number,
          text: `not a service reference: ${JSON.stringify(excerpt(text, 80))}`,
        });
    }
    this.kind = kind;
    this.references = references;
    this.problems = problems;
    this.#identities = new Set(references.map((reference) => reference.identity));
  }

  /** Returns the bytes of the file with one entry added or removed; other lines are unchanged. */
  changed(reference: ServiceReference, isListed: boolean): Buffer {
    const kept: string[] = [];
    const lines = new Lines(this.#bytes);
    for (let line = lines.next(); line !== undefined; line = lines.next()) {
      const listed = ServiceReference.tryParse(decode(line).trim());
      if (listed?.identity !== reference.identity) kept.push(`${line}\n`);
    }
    if (isListed) kept.push(encode(`${reference.withoutName().format()}\n`));
    return Buffer.from(kept.join(''), 'latin1');
  }

  /** True if the list contains this service or bouquet itself. */
  has(reference: ServiceReference): boolean {
    return this.#identities.has(reference.identity);
  }
}
