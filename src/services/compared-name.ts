/** UTF-16 units of a name that count. Lists may contain longer ones, and to normalise a text takes quadratic time. */
export const maxNameLength = 255;

/** A name without case, accents, blanks and marks: names of one channel in different lists mostly differ in these. */
export function comparedName(name: string): string {
  return name
    .slice(0, maxNameLength)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('&', 'and')
    .replaceAll('+', 'plus')
    .replace(/[^\p{L}\p{N}]/gu, '');
}
