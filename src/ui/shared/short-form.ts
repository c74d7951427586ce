/** What stands for a channel or a recording without a picture: a short form of its name, and a colour. */

const quality = /^(?:uhd|fhd|hd|sd|4k)$/i;
const number = /^\d{1,2}$/;
const maxWholeLength = 5;

/**
 * A form of a name that fits into a tile: a short name as it is, also with its number (ZDF, 3sat, BBC 2); otherwise the
 * initials of up to three words (DE for Das Erste, N24 for News 24). The picture quality is left out.
 */
export function shortForm(name: string): string {
  const all = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const named = all.filter((word) => !quality.test(word));
  const [first = '?', second = '', ...rest] = named.length > 0 ? named : all;
  const whole = number.test(second) ? `${first} ${second}` : first;
  const isAbbreviation = first === first.toUpperCase() && /\p{L}/u.test(first) && [...first].length > 1;
  if ((second === '' || isAbbreviation) && [...whole].length <= maxWholeLength) return whole;
  const words = second === '' ? [...first].slice(0, 2) : [first, second, ...rest].slice(0, 3);
  return words
    .map((word) => (number.test(word) ? word : [...word][0]))
    .join('')
    .toUpperCase();
}

/** Degrees on the colour wheel, the same for each name at all times. */
export function hueOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 997;
  return (hash * 47) % 360;
}
