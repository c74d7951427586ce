/**
 * The line files of an Enigma2 folder, read so that they can be written back byte for byte.
 *
 * The bytes are held as a Latin-1 string: one character a byte, whatever the encoding. `decode` makes text of a part.
 */

/** Something in a file that could not be understood or found; reading went on without it. */
export interface Problem {
  readonly file: string;
  /** From 1; 0 if it is about the whole file. */
  readonly line: number;
  readonly text: string;
}

/** Walks through the lines of a file; LF and CRLF end one, a byte order mark at the start is passed over. */
export class Lines {
  readonly #text: string;
  #position = 0;
  #taken = 0;
  #next: string | undefined;
  #nextEnd = 0;
  /** Number of the line that `next()` gave last, from 1. */
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

  /** Goes on to the next line and gives the one gone over. */
  next(): string | undefined {
    const line = this.#next;
    if (line === undefined) return undefined;
    this.#position = this.#nextEnd;
    this.number++;
    this.#look();
    return line;
  }

  /** The bytes gone over since the last call, with line ends and byte order mark. */
  taken(): string {
    const raw = this.#text.slice(this.#taken, this.#position);
    this.#taken = this.#position;
    return raw;
  }

  /** Goes to the end of the file. */
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

/** CRLF if the first line ends so, else LF. */
export function lineEndOf(raw: string): '\r\n' | '\n' {
  const end = raw.indexOf('\n');
  return end > 0 && raw[end - 1] === '\r' ? '\r\n' : '\n';
}

/** UTF-8 text of Latin-1-held bytes; what is no UTF-8 becomes U+FFFD. */
export function decode(raw: string): string {
  return /[\x80-\xff]/.test(raw) ? Buffer.from(raw, 'latin1').toString('utf8') : raw;
}

/** Bytes of a text, held as Latin-1. */
export function encode(text: string): string {
  return /[^\0-\x7f]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** On one line: line ends become blanks, other control characters vanish. U+0086 and U+0087 (DVB emphasis) stay. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/\p{Cc}/gu, (c) => (c >= '\u0080' || c === '\t' ? c : ''));
}

/** Without the marks U+0086 and U+0087 around a short name (EN 300 468 Annex A.1). */
export function withoutEmphasis(name: string): string {
  return /[\u0086\u0087]/.test(name) ? name.replace(/[\u0086\u0087]/g, '') : name;
}
