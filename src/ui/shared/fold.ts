/** Folds a text for search: lower case, without accents, ligatures resolved. */
export function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
