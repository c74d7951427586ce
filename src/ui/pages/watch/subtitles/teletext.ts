/**
 * Decoder for teletext subtitles (EN 300 706, in PES packets by EN 300 472): rows of boxed characters. Supports Latin
 * alphabets with national options and accents.
 */
import type { Cell, Decoder, Picture } from './picture.ts';
import { accented, symbols, toNational } from './teletext-characters.ts';

/** Data units of 2 + 44 bytes: line and framing code, then 42 bytes, least significant bit first. */
const unitHead = 2;
const unitSize = 44;
const unitTypes = [0x02, 0x03];
const columns = 40;
const lastRow = 24;
/** Size of a character in pixels. */
const cell = { width: 16, height: 20 };
/** Pixels beside the text that make the picture 4:3. */
const margin = 13;
/** Seconds after which text is removed, in case the broadcast sends no empty page. */
const timeOut = 60;
const palette = ['#000', '#f00', '#0f0', '#ff0', '#00f', '#f0f', '#0ff', '#fff'];

export class TeletextSubtitles implements Decoder {
  /** Magazine, 1 to 8. */
  readonly #magazine: number;
  /** Last two digits of the page, as binary-coded decimals. */
  readonly #page: number;
  #isReceiving = false;
  #alphabet = 0;
  #rows = new Map<number, Uint8Array>();
  #enhanced = new Map<number, string>();
  #hasChanged = false;

  /** `page`: 100 to 899. */
  constructor(page: number) {
    this.#magazine = Math.floor(page / 100);
    this.#page = Number.parseInt(String(page % 100), 16);
  }

  decode(payload: Uint8Array): Picture | undefined {
    this.#hasChanged = false;
    for (let at = 1; at + unitHead + unitSize <= payload.length; at += unitHead + (payload[at + 1] ?? 0)) {
      if (!unitTypes.includes(payload[at] ?? 0) || payload[at + 1] !== unitSize) continue;
      this.#take(payload.subarray(at + 4, at + unitHead + unitSize).map((byte) => reversed[byte] ?? 0));
    }
    return this.#hasChanged ? this.#picture() : undefined;
  }

  /** Takes one teletext packet (§9.3). */
  #take(packet: Uint8Array): void {
    const address = hamming(packet, 0) | (hamming(packet, 1) << 4);
    const magazine = address & 7 || 8;
    const row = address >> 3;
    if (row === 0) this.#begin(magazine, packet);
    else if (this.#isReceiving && magazine === this.#magazine) this.#takeRow(row, packet);
  }

  /** Takes a page header (§9.3.1). */
  #begin(magazine: number, packet: Uint8Array): void {
    const page = hamming(packet, 2) | (hamming(packet, 3) << 4);
    const isSerial = (hamming(packet, 9) & 1) !== 0;
    if (magazine !== this.#magazine && !isSerial) return;
    this.#isReceiving = magazine === this.#magazine && page === this.#page;
    if (!this.#isReceiving) return;
    this.#alphabet = hamming(packet, 9) >> 1;
    this.#hasChanged = true;
    const isErased = (hamming(packet, 5) & 8) !== 0;
    if (isErased) this.#rows.clear();
    this.#enhanced.clear();
  }

  #takeRow(row: number, packet: Uint8Array): void {
    this.#hasChanged = true;
    if (row <= lastRow)
      this.#rows.set(
        row,
        packet.subarray(2).map((byte) => byte & 0x7f),
      );
    else if (row === 26) this.#takeEnhancements(packet);
  }

  /** Takes a packet X/26: characters that replace others, in Hamming 24/18 triplets (§12.3.1). */
  #takeEnhancements(packet: Uint8Array): void {
    let row = 0;
    for (let at = 3; at + 3 <= packet.length; at += 3) {
      const [first = 0, second = 0, third = 0] = packet.subarray(at, at + 3);
      const address = ((first >> 2) & 1) | ((first >> 3) & 0x0e) | ((second & 3) << 4);
      const mode = (second >> 2) & 0x1f;
      const data = third & 0x7f;
      if (address >= columns && mode === 4) row = address === columns ? lastRow : address - columns;
      if (address >= columns) continue;
      if (mode === 0x0f) this.#enhanced.set(row * columns + address, symbols[data - 0x20] ?? ' ');
      if (mode & 0x10) this.#enhanced.set(row * columns + address, accented(data, mode & 0x0f));
    }
  }

  #picture(): Picture {
    const rows = [...this.#rows].sort(([one], [other]) => one - other);
    const cells = rows.map(([row, characters]) => this.#cellsOf(row, characters)).filter(({ length }) => length > 0);
    return {
      width: columns * cell.width + 2 * margin,
      height: (lastRow + 1) * cell.height,
      timeOut,
      bitmaps: [],
      cells: cells.flat(),
      text: cells.map(textOf).join('\n'),
    };
  }

  /** The boxed characters of a row, with the spacing attributes before them applied (§12.2). */
  #cellsOf(row: number, codes: Uint8Array): readonly Cell[] {
    let [colour, background, isBoxed, isMosaic] = [7, 0, false, false];
    const height = codes.includes(0x0d) ? 2 * cell.height : cell.height;
    const cells: Cell[] = [];
    codes.forEach((code, column) => {
      // These attributes are set-at: they apply to their own position. The others apply after it.
      if (code === 0x0a) isBoxed = false;
      if (code === 0x1c) background = 0;
      if (code === 0x1d) background = colour;
      const plain = isMosaic || code < 0x20 ? ' ' : toNational(code, this.#alphabet);
      if (isBoxed)
        cells.push({
          ...{ x: margin + column * cell.width, y: row * cell.height, width: cell.width, height },
          text: this.#enhanced.get(row * columns + column) ?? plain,
          colour: palette[colour] ?? '',
          background: palette[background] ?? '',
        });
      if (code < 0x08 || (code >= 0x10 && code < 0x18)) [colour, isMosaic] = [code & 7, code >= 0x10];
      if (code === 0x0b) isBoxed = true;
    });
    return cells;
  }
}

const textOf = (cells: readonly Cell[]) =>
  cells
    .map(({ text }) => text)
    .join('')
    .trim();

const reversed = Uint8Array.from({ length: 256 }, (_, byte) =>
  [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, bit) => sum | (((byte >> bit) & 1) << (7 - bit)), 0),
);

/** Hamming 8/4: the code of each number (§8.2). */
const codes = Array.from({ length: 16 }, (_, number) => {
  const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3].map((bit) => (number >> bit) & 1);
  const [p, q, r] = [1 ^ a ^ c ^ d, 1 ^ a ^ b ^ d, 1 ^ a ^ b ^ c];
  const s = 1 ^ p ^ a ^ q ^ b ^ r ^ c ^ d;
  return [p, a, q, b, r, c, s, d].reduce((sum, bit, index) => sum | (bit << index), 0);
});
/** The number of each byte; corrects one wrong bit. Undecodable bytes count as 0. */
const numbers = Uint8Array.from({ length: 256 }, (_, byte) =>
  Math.max(
    0,
    codes.findIndex((code) => [0, 1, 2, 4, 8, 16, 32, 64, 128].includes(code ^ byte)),
  ),
);
const hamming = (packet: Uint8Array, at: number) => numbers[packet[at] ?? 0] ?? 0;
