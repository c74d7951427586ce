/** How similar two names of channels are: by the pairs of letters that they share, in their compared form. */
import { comparedName } from '../compared-name.ts';

/** Returns a function that gives the similarity of other names to this one, from 0 to 1 for equal names. */
export function similarTo(name: string): (other: string) => number {
  const own = pairsOf(name);
  return (other) => {
    const pairs = pairsOf(other);
    let shared = 0;
    for (const pair of pairs) if (own.has(pair)) shared++;
    return own.size + pairs.size === 0 ? 0 : (2 * shared) / (own.size + pairs.size);
  };
}

/** With the beginning as a pair of its own. */
function pairsOf(name: string): ReadonlySet<string> {
  const text = ` ${comparedName(name)}`;
  return new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)));
}
