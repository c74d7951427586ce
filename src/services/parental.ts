/**
 * Parental lists: `blacklist` (what is locked) and, of older images, `whitelist` (only this is free). One reference a line, a
 * whole bouquet by the bouquet's reference; lines that begin with "-" count for nothing.
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
          text: `no service reference: ${JSON.stringify(text.slice(0, 80))}`,
        });
    }
    this.kind = kind;
    this.references = references;
    this.problems = problems;
    this.#identities = new Set(references.map((reference) => reference.identity));
  }

  /** True if the list names this very service or bouquet. */
  has(reference: ServiceReference): boolean {
    return this.#identities.has(reference.identity);
  }
}
