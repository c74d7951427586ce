/**
 * Parental lists: `blacklist` (locked services) and, in older images, `whitelist` (the only free ones). One reference a
 * line; a bouquet's reference stands for the whole bouquet. Lines that start with "-" are ignored.
 */
import { decode, Lines, type Problem } from './lines.ts';
import { ServiceReference } from './reference.ts';

export type ParentalListKind = 'blacklist' | 'whitelist';

export class ParentalList {
  readonly kind: ParentalListKind;
  readonly references: readonly ServiceReference[];
  readonly problems: readonly Problem[];
  readonly #identities: ReadonlySet<string>;

  constructor(kind: ParentalListKind, bytes: Uint8Array | undefined) {
    const references: ServiceReference[] = [];
    const problems: Problem[] = [];
    const lines = new Lines(bytes ?? new Uint8Array());
    for (let line = lines.next(); line !== undefined; line = lines.next()) {
      const text = decode(line).trim();
      if (text === '' || text.startsWith('-') || text.startsWith('#')) continue;
      const reference = ServiceReference.tryParse(text);
      if (reference) references.push(reference);
      else
        problems.push({
          file: kind,
          line: lines.number,
          text: `not a service reference: ${JSON.stringify(text.slice(0, 80))}`,
        });
    }
    this.kind = kind;
    this.references = references;
    this.problems = problems;
    this.#identities = new Set(references.map((reference) => reference.identity));
  }

  /** True if the list contains this service or bouquet itself. */
  has(reference: ServiceReference): boolean {
    return this.#identities.has(reference.identity);
  }
}
