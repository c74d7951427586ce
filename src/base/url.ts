/**
 * The URL of a text, relative to `base` if one is given; undefined if it is none. `URL.canParse` of Node 20 refuses
 * addresses with letters such as ü once it has been called some thousand times: V8 then hands over their Latin-1 bytes
 * as UTF-8.
 */
export function urlOf(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
