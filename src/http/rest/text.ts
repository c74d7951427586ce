/** Names as the clients of this family look for pictures by. */
import { cleaned } from '../cleaned-text.ts';

/** Stands where no letter or digit is left of a name. */
const noPiconName = '--------';

/**
 * The picon-style name of a service: decomposed (NFKD), without what is not ASCII, `&`, `+` and `*` written out, lower case, and
 * only letters and digits.
 */
export function piconStyleName(name: string): string {
  const words = cleaned(name).normalize('NFKD').replaceAll('&', 'and').replaceAll('+', 'plus').replaceAll('*', 'star');
  return words.toLowerCase().replace(/[^a-z0-9]/g, '') || noPiconName;
}
