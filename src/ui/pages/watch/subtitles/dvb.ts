/** Decoder for DVB subtitles: bitmaps drawn over the video (EN 300 743). */
import type { Decoder, Picture } from './picture.ts';
import { type Colour, colourOf, defaultColours, drawField, type Field } from './pixels.ts';

/** First byte of a segment. */
const sync = 0x0f;
/** Bytes of a segment's header, including the sync byte. */
const segmentHead = 6;
/** Bytes before the first segment: data_identifier and subtitle_stream_id. */
const payloadHead = 2;
const types = { page: 0x10, region: 0x11, colours: 0x12, object: 0x13, display: 0x14 };
/** page_state that resets regions and CLUTs. */
const modeChange = 2;
/** region_fill_flag. */
const fillFlag = 8;
/** Flags of a CLUT entry, each with the bits per pixel of its CLUT. */
const clutFlags = [
  [0x80, 2],
  [0x40, 4],
  [0x20, 8],
] as const;
/** Limit for all regions of a page together: an HD picture. */
const maxPixels = 2 << 20;

interface Region extends Field {
  /** CLUT_id. */
  readonly colours: number;
  readonly objects: readonly Placed[];
}

interface Placed {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

export class DvbSubtitles implements Decoder {
  readonly #pages: ReadonlySet<number>;
  readonly #regions = new Map<number, Region>();
  /** CLUTs by CLUT_id and bits per pixel. */
  readonly #colours = new Map<string, Colour[]>();
  #places: readonly Placed[] = [];
  #display = { width: 720, height: 576, left: 0, top: 0 };
  #timeOut = 0;

  /** `pages`: the composition page, and the ancillary page with data shared by several subtitles. */
  constructor(...pages: readonly number[]) {
    this.#pages = new Set(pages);
  }

  decode(payload: Uint8Array): Picture | undefined {
    const view = viewOf(payload);
    let isComplete = false;
    for (let at = payloadHead; at + segmentHead <= payload.length && payload[at] === sync; ) {
      const body = at + segmentHead;
      const next = body + view.getUint16(at + 4);
      if (next > payload.length) break;
      if (this.#pages.has(view.getUint16(at + 2))) {
        const type = payload[at + 1] ?? 0;
        // Some broadcasts omit the end of display set segment, but none the page composition.
        isComplete ||= type === types.page;
        this.#take(type, payload.subarray(body, next));
      }
      at = next;
    }
    return isComplete ? this.#picture() : undefined;
  }

  #take(type: number, body: Uint8Array): void {
    try {
      if (type === types.page) this.#takePage(viewOf(body));
      else if (type === types.region) this.#takeRegion(viewOf(body));
      else if (type === types.colours) this.#takeColours(viewOf(body));
      else if (type === types.object) this.#takeObject(viewOf(body), body);
      else if (type === types.display) this.#takeDisplay(viewOf(body));
    } catch (error) {
      // A truncated segment: keeps what was read of it.
      if (!(error instanceof RangeError)) throw error;
    }
  }

  /** §7.2.2 */
  #takePage(view: DataView): void {
    this.#timeOut = view.getUint8(0);
    if (((view.getUint8(1) >> 2) & 3) === modeChange) {
      this.#regions.clear();
      this.#colours.clear();
    }
    const count = Math.floor((view.byteLength - 2) / 6);
    this.#places = Array.from({ length: count }, (_, index) => {
      const at = 2 + 6 * index;
      return { id: view.getUint8(at), x: view.getUint16(at + 2), y: view.getUint16(at + 4) };
    });
  }

  /** §7.2.3 */
  #takeRegion(view: DataView): void {
    const id = view.getUint8(0);
    const [width, height] = [view.getUint16(2), view.getUint16(4)];
    const depth = 1 << ((view.getUint8(6) >> 2) & 7);
    const known = this.#regions.get(id);
    this.#regions.delete(id);
    const taken = [...this.#regions.values()].reduce((sum, { pixels }) => sum + pixels.length, 0);
    if (![2, 4, 8].includes(depth) || taken + width * height > maxPixels) return;
    const isSame = known?.width === width && known.height === height && known.depth === depth;
    const pixels = isSame ? known.pixels : new Uint8Array(width * height);
    const background = depth === 8 ? view.getUint8(8) : view.getUint8(9) >> (depth === 4 ? 4 : 2);
    if (view.getUint8(1) & fillFlag) pixels.fill(background & ((1 << depth) - 1));
    const objects: Placed[] = [];
    for (let at = 10; at + 6 <= view.byteLength; ) {
      objects.push({ id: view.getUint16(at), x: view.getUint16(at + 2) & 0x0fff, y: view.getUint16(at + 4) & 0x0fff });
      // Objects that are characters also have two colours.
      at += view.getUint8(at + 2) >> 6 === 0 ? 6 : 8;
    }
    this.#regions.set(id, { width, height, depth, pixels, colours: view.getUint8(7), objects });
  }

  /** §7.2.4 */
  #takeColours(view: DataView): void {
    const clut = view.getUint8(0);
    for (let at = 2; at + 4 <= view.byteLength; ) {
      const entry = view.getUint8(at);
      const flags = view.getUint8(at + 1);
      const isFull = (flags & 1) !== 0;
      const short = view.getUint16(at + 2);
      const colour = isFull
        ? colourOf(view.getUint8(at + 2), view.getUint8(at + 3), view.getUint8(at + 4), view.getUint8(at + 5))
        : colourOf((short >> 10) << 2, ((short >> 6) & 15) << 4, ((short >> 2) & 15) << 4, (short & 3) * 85);
      for (const [flag, depth] of clutFlags) if (flags & flag) this.#coloursOf(clut, depth)[entry] = colour;
      at += isFull ? 6 : 4;
    }
  }

  #coloursOf(clut: number, depth: number): Colour[] {
    const key = `${clut} ${depth}`;
    const known = this.#colours.get(key) ?? defaultColours(depth);
    this.#colours.set(key, known);
    return known;
  }

  /** §7.2.5. Objects coded as characters are ignored: no broadcast uses them. */
  #takeObject(view: DataView, body: Uint8Array): void {
    const id = view.getUint16(0);
    const flags = view.getUint8(2);
    if (((flags >> 2) & 3) !== 0) return;
    const top = view.getUint16(3);
    const bottom = view.getUint16(5);
    const upper = body.subarray(7, 7 + top);
    const lower = bottom === 0 ? upper : body.subarray(7 + top, 7 + top + bottom);
    for (const region of this.#regions.values()) {
      for (const { x, y } of region.objects.filter((placed) => placed.id === id)) {
        drawField(region, upper, { x, y, keepsOne: (flags & 2) !== 0 });
        drawField(region, lower, { x, y: y + 1, keepsOne: (flags & 2) !== 0 });
      }
    }
  }

  /** §7.2.1 */
  #takeDisplay(view: DataView): void {
    const hasWindow = (view.getUint8(0) & 8) !== 0;
    this.#display = {
      width: view.getUint16(1) + 1,
      height: view.getUint16(3) + 1,
      left: hasWindow ? view.getUint16(5) : 0,
      top: hasWindow ? view.getUint16(9) : 0,
    };
  }

  #picture(): Picture {
    const { width, height, left, top } = this.#display;
    const bitmaps = this.#places.flatMap(({ id, x, y }) => {
      const region = this.#regions.get(id);
      return region ? [{ x: left + x, y: top + y, ...this.#pixelsOf(region) }] : [];
    });
    return { width, height, timeOut: this.#timeOut, bitmaps, cells: [], text: '' };
  }

  #pixelsOf({ width, height, depth, pixels, colours }: Region) {
    const data = new Uint8ClampedArray(4 * pixels.length);
    const table = this.#coloursOf(colours, depth);
    pixels.forEach((code, index) => {
      data.set(table[code] ?? [], 4 * index);
    });
    return { width, height, data };
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength);
