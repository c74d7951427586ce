/**
 * Control codes of DVB text (EN 300 468 Annex A.1) that may be left in names and guide texts: emphasis on and off, and
 * the line break.
 */
const controlCode = /[\u0086\u0087\u008a]/;
const emphasis = /[\u0086\u0087]/g;
const lineBreak = /\u008a/g;

/** The text as JSON shows it: without emphasis marks, line breaks as LF. */
export function cleaned(text: string): string {
  return controlCode.test(text) ? text.replace(emphasis, '').replace(lineBreak, '\n') : text;
}

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
