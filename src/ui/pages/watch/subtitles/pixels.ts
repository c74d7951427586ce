/** Run-length decoding and colours of DVB subtitles (EN 300 743 §7.2.5, §10). */

/** Reads bits, most significant first. Beyond the end it reads zeros, which terminate every pixel string. */
class Bits {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at * 8;
  }

  take(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit++, this.#at++) {
      value = (value << 1) | (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }

  /** Offset of the next whole byte. */
  get offset(): number {
    return (this.#at + 7) >> 3;
  }
}

/** `length` pixels of one code; a length of 0 ends the string. */
type Run = readonly [length: number, code: number];
const end: Run = [0, 0];

function nextOfTwoBits(bits: Bits): Run {
  const code = bits.take(2);
  if (code !== 0) return [1, code];
  if (bits.take(1)) return [bits.take(3) + 3, bits.take(2)];
  if (bits.take(1)) return [1, 0];
  const kind = bits.take(2);
  if (kind === 1) return [2, 0];
  return kind === 0 ? end : [kind === 2 ? bits.take(4) + 12 : bits.take(8) + 29, bits.take(2)];
}

function nextOfFourBits(bits: Bits): Run {
  const code = bits.take(4);
  if (code !== 0) return [1, code];
  if (!bits.take(1)) {
    const length = bits.take(3);
    return length === 0 ? end : [length + 2, 0];
  }
  if (!bits.take(1)) return [bits.take(2) + 4, bits.take(4)];
  const kind = bits.take(2);
  return kind < 2 ? [kind + 1, 0] : [kind === 2 ? bits.take(4) + 9 : bits.take(8) + 25, bits.take(4)];
}

function nextOfEightBits(bits: Bits): Run {
  const code = bits.take(8);
  if (code !== 0) return [1, code];
  if (bits.take(1)) return [bits.take(7), bits.take(8)];
  return [bits.take(7), 0];
}

/** Pixel strings by data_type: bits per code, and the function that reads a run. */
const strings: Readonly<Record<number, readonly [depth: number, next: (bits: Bits) => Run]>> = {
  16: [2, nextOfTwoBits],
  17: [4, nextOfFourBits],
  18: [8, nextOfEightBits],
};
/** Map tables from codes to those of a deeper region, by data_type: name (`FROM TO` in bits), length, bits of an entry. */
const maps: Readonly<Record<number, readonly [name: string, length: number, bits: number]>> = {
  32: ['2 4', 4, 4],
  33: ['2 8', 4, 8],
  34: ['4 8', 16, 8],
};
const endOfLine = 0xf0;

/** The pixels of a region: codes of `depth` bits, line by line. */
export interface Field {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly pixels: Uint8Array;
}

interface Place {
  readonly x: number;
  readonly y: number;
  /** Code 1 leaves a pixel as it is (non_modifying_colour_flag). */
  readonly keepsOne: boolean;
}

/** Draws one field of an object: every second line, starting at its place. */
export function drawField(into: Field, data: Uint8Array, { x, y, keepsOne }: Place): void {
  const tables = new Map([
    ['2 4', [0, 7, 8, 15]],
    ['2 8', [0, 0x77, 0x88, 0xff]],
    ['4 8', Array.from({ length: 16 }, (_, code) => code * 17)],
  ]);
  let [column, line] = [x, y];
  for (let at = 0; at < data.length; ) {
    const type = data[at] ?? 0;
    const bits = new Bits(data, at + 1);
    const [depth, next] = strings[type] ?? [];
    const [name, length = 0, size = 0] = maps[type] ?? [];
    if (depth && next) {
      const table = tables.get(`${depth} ${into.depth}`);
      for (let run = next(bits); run[0] > 0; run = next(bits)) {
        const code = table?.[run[1]] ?? run[1];
        if (!(keepsOne && run[1] === 1)) fill(into, column, line, run[0], code);
        column += run[0];
      }
    } else if (name) {
      tables.set(
        name,
        Array.from({ length }, () => bits.take(size)),
      );
    } else if (type === endOfLine) {
      [column, line] = [x, line + 2];
    }
    at = bits.offset;
  }
}

function fill({ width, height, pixels }: Field, x: number, y: number, length: number, code: number): void {
  if (y < height && x < width) pixels.fill(code, y * width + x, y * width + Math.min(width, x + length));
}

/** Red, green, blue and opacity, each 0 to 255. */
export type Colour = readonly [number, number, number, number];

/** Default CLUT, by bits per code (§10.1 to §10.3). */
export function defaultColours(depth: number): Colour[] {
  if (depth === 2) return [clear, [255, 255, 255, 255], [0, 0, 0, 255], [127, 127, 127, 255]];
  return Array.from({ length: 1 << depth }, (_, code) => (depth === 4 ? defaultOfFour(code) : defaultOfEight(code)));
}

const clear: Colour = [0, 0, 0, 0];
/** A colour whose red, green and blue follow from bits 0 to 2 of a code. */
const coloured = (level: (bit: number) => number, opacity = 255): Colour => [level(1), level(2), level(4), opacity];

function defaultOfFour(code: number): Colour {
  return code === 0 ? clear : coloured((bit) => (code & bit ? (code < 8 ? 255 : 127) : 0));
}

function defaultOfEight(code: number): Colour {
  if (code === 0) return clear;
  if (code < 8) return coloured((bit) => (code & bit ? 255 : 0), 63);
  const hasEight = (code & 8) !== 0;
  const isDull = (code & 0x80) !== 0;
  const [low, high, base] = isDull ? [43, 85, hasEight ? 0 : 127] : [85, 170, 0];
  const level = (bit: number) => base + (code & bit ? low : 0) + (code & (bit << 4) ? high : 0);
  return coloured(level, hasEight && !isDull ? 127 : 255);
}

/** Converts Y, Cr, Cb (ITU-R BT.601) and transparency. Y = 0 is fully transparent. */
export function colourOf(luma: number, cr: number, cb: number, transparency: number): Colour {
  if (luma === 0) return clear;
  const level = (value: number) => Math.min(255, Math.max(0, Math.round(1.164 * (luma - 16) + value)));
  const [red, blue] = [cr - 128, cb - 128];
  return [level(1.596 * red), level(-0.813 * red - 0.391 * blue), level(2.018 * blue), 255 - transparency];
}
