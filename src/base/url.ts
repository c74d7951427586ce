/**
 * Parses a URL, relative to `base` if one is given; undefined if the text is not a URL. Do not use `URL.canParse`:
 * after some thousand calls, that of Node 20 refuses URLs with letters such as ü, because V8 passes their Latin-1 bytes
 * on as UTF-8.
 */
export function urlOf(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
