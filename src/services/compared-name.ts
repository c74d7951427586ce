/** UTF-16 units of a name that are compared. Lists may contain longer names, and normalizing takes quadratic time. */
export const maxNameLength = 255;

/** Returns a name without case, accents, blanks and punctuation, in which lists differ in the names of a channel. */
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
