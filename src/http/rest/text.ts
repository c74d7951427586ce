/** The names by which clients of this family look for pictures. */
import { cleaned } from '../write/cleaned-text.ts';

/** Used if no letter or digit is left of a name. */
const noPiconName = '--------';

/**
 * The picon-style name of a service: decomposed (NFKD), with `&`, `+` and `*` spelt out, in lower case, reduced to
 * ASCII letters and digits.
 */
export function piconStyleName(name: string): string {
  const words = cleaned(name).normalize('NFKD').replaceAll('&', 'and').replaceAll('+', 'plus').replaceAll('*', 'star');
  return words.toLowerCase().replace(/[^a-z0-9]/g, '') || noPiconName;
}
