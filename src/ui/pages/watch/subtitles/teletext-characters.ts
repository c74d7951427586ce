/** Characters of teletext: Latin G0 with national options, and G2 (EN 300 706 §15). */

/** Codes of G0 that national options replace. */
const places = [0x23, 0x24, 0x40, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x7b, 0x7c, 0x7d, 0x7e];
/** National options by the control bits C12 to C14 of a page header; C12 is bit 0. */
const national: Readonly<Record<number, string>> = {
  0: '£$@←½→↑#—¼‖¾÷', // English
  4: '#$§ÄÖÜ^_°äöüß', // German
  2: '#¤ÉÄÖÅÜ_éäöåü', // Swedish, Finnish, Hungarian
  6: '£$é°ç→↑#ùàòèì', // Italian
  1: 'éïàëêùî#èâôûç', // French
  5: 'ç$¡áéíóú¿üñèà', // Portuguese, Spanish
  3: '#ůčťžýířéáěúš', // Czech, Slovak
};

export function toNational(code: number, alphabet: number): string {
  const place = places.indexOf(code);
  if (place >= 0) return [...(national[alphabet] ?? national[0] ?? '')][place] ?? ' ';
  return code === 0x7f ? '■' : String.fromCharCode(code);
}

/** The G2 set, from 0x20. */
export const symbols: readonly string[] = [
  ...' ¡¢£$¥#§¤‘“«←↑→↓°±²³×µ¶·÷’”»¼½¾¿',
  ...' `´ˆ˜¯˘˙¨.˚¸_˝˛ˇ—¹®©™♪₠‰α   ⅛⅜⅝⅞',
  ...'ΩÆĐªĦ ĲĿŁØŒºÞŦŊŉĸæđðħıĳŀłøœßþŧŋ■',
];

/** Combining characters by accent number: 1 is grave, 15 caron. */
const accents = '\0\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0323\u030a\u0327\u0332\u030b\u0328\u030c';

/** A letter with an accent; accent 0 is none. */
export function accented(code: number, accent: number): string {
  const letter = code === 0x2a && accent === 0 ? '@' : String.fromCharCode(code);
  return accent === 0 ? letter : `${letter}${accents[accent] ?? ''}`.normalize('NFC');
}
