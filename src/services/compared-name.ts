/** A name without case, accents, blanks and marks: names of one channel in different lists mostly differ in these. */
export function comparedName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('&', 'and')
    .replaceAll('+', 'plus')
    .replace(/[^\p{L}\p{N}]/gu, '');
}
