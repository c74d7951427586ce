/** The text without case, accents and ligatures, for comparing it with what somebody types. */
export function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
