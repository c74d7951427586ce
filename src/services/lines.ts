/**
 * Reads line-based files of an Enigma2 folder so that they can be written back byte for byte.
 *
 * The bytes are kept as a Latin-1 string: one character per byte, whatever the encoding. `decode` converts a part to
 * text.
 */

/** Something in a file that could not be parsed or found; reading continued without it. */
export interface Problem {
  readonly file: string;
  /** From 1; 0 if it concerns the whole file. */
  readonly line: number;
  readonly text: string;
}

/** Iterates over the lines of a file, ended by LF or CRLF. A byte order mark at the start is skipped. */
export class Lines {
  readonly #text: string;
  #position = 0;
  #taken = 0;
  #next: string | undefined;
  #nextEnd = 0;
  /** Number of the line last returned by `next()`, from 1. */
  number = 0;

  constructor(bytes: Uint8Array) {
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    if (this.#text.startsWith('\u00ef\u00bb\u00bf')) this.#position = 3;
    this.#look();
  }

  /** The next line without its end; undefined at the end of the file. */
  peek(): string | undefined {
    return this.#next;
  }

  /** Advances past the next line and returns it. */
  next(): string | undefined {
    const line = this.#next;
    if (line === undefined) return undefined;
    this.#position = this.#nextEnd;
    this.number++;
    this.#look();
    return line;
  }

  /** Returns the bytes passed since the last call, with line ends and byte order mark. */
  taken(): string {
    const raw = this.#text.slice(this.#taken, this.#position);
    this.#taken = this.#position;
    return raw;
  }

  /** Skips to the end of the file. */
  skipRest(): void {
    this.#position = this.#text.length;
    this.#next = undefined;
  }

  #look(): void {
    if (this.#position >= this.#text.length) {
      this.#next = undefined;
      return;
    }
    const end = this.#text.indexOf('\n', this.#position);
    this.#nextEnd = end < 0 ? this.#text.length : end + 1;
    let last = end < 0 ? this.#text.length : end;
    if (last > this.#position && this.#text[last - 1] === '\r') last--;
    this.#next = this.#text.slice(this.#position, last);
  }
}

/** CRLF if the first line ends with it, otherwise LF. */
export function lineEndOf(raw: string): '\r\n' | '\n' {
  const end = raw.indexOf('\n');
  return end > 0 && raw[end - 1] === '\r' ? '\r\n' : '\n';
}

/** The missing part of the last line's end: nothing, the line feed after a carriage return, or all of `lineEnd`. */
export function missingEnd(raw: string, lineEnd: string): string {
  if (raw === '' || raw.endsWith('\n')) return '';
  return raw.endsWith('\r') ? '\n' : lineEnd;
}

/** Decodes UTF-8 bytes kept as Latin-1; invalid sequences become U+FFFD. */
export function decode(raw: string): string {
  return /[\x80-\xff]/.test(raw) ? Buffer.from(raw, 'latin1').toString('utf8') : raw;
}

/** Encodes a text as UTF-8 bytes kept as Latin-1. */
export function encode(text: string): string {
  return /[^\0-\x7f]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/**
 * Puts a text on one line: line ends become blanks, other control characters are dropped. U+0086 and U+0087 (DVB
 * emphasis) stay.
 */
export function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/\p{Cc}/gu, (c) => (c >= '\u0080' || c === '\t' ? c : ''));
}

/** Strips the marks U+0086 and U+0087 around a short name (EN 300 468 Annex A.1). */
export function withoutEmphasis(name: string): string {
  return /[\u0086\u0087]/.test(name) ? name.replace(/[\u0086\u0087]/g, '') : name;
}
