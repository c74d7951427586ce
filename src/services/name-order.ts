/** How lists that are sorted by name are sorted: numbers in names as numbers, case and accents without weight. */
import { once } from '../once.ts';

const collator = once(() => new Intl.Collator('en', { sensitivity: 'base', numeric: true }));

export function compareNames(a: string, b: string): number {
  return collator().compare(a, b);
}
