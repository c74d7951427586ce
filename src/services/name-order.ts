/** Order of lists sorted by name: numbers within names sort as numbers; case and accents do not count. */
import { once } from '../base/once.ts';

const collator = once(() => new Intl.Collator('en', { sensitivity: 'base', numeric: true }));

export function compareNames(a: string, b: string): number {
  return collator().compare(a, b);
}
