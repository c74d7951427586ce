/** The order of lists sorted by name: numbers within names sort numerically; case and accents are ignored. */
import { once } from '../base/once.ts';

const collator = once(() => new Intl.Collator('en', { sensitivity: 'base', numeric: true }));

export function compareNames(a: string, b: string): number {
  return collator().compare(a, b);
}
