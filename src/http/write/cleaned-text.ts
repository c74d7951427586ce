/** Removes DVB's control codes from texts of the guide, of recordings and of timers for JSON, as `escapeXml` does for XML. */

/**
 * Control codes of DVB text (EN 300 468 Annex A.1) that may remain in names and guide texts: emphasis on and off, and
 * the line break.
 */
const controlCode = /[\u0086\u0087\u008a]/;
const emphasis = /[\u0086\u0087]/g;
const lineBreak = /\u008a/g;

/** The text for JSON: without emphasis marks, with line breaks as LF. */
export function cleaned(text: string): string {
  return controlCode.test(text) ? text.replace(emphasis, '').replace(lineBreak, '\n') : text;
}
