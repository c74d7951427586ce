/**
 * Decoder for the closed captions of American pictures (CTA-608), by @svta/cml-608. Captions of CTA-708 are not decoded:
 * broadcasts send the same texts as CTA-608.
 */
import { type CaptionScreen, Cta608Parser, type CueHandler } from '@svta/cml-608';
import type { Cell, Picture } from './picture.ts';

const columns = 32;
/** Size of a character in pixels. */
const cell = { width: 16, height: 20 };
/** Pixels beside and above the text, which has four fifths of the picture. */
const margin = { x: 64, y: 30 };
const rows = 15;
/** Seconds after which text is removed, in case the broadcast does not erase it. */
const timeOut = 60;
/** Seconds between two pictures of a channel. Captions of live programmes grow by two letters in each picture. */
const minInterval = 0.1;
/** First bytes of a pair (CTA-608 §8, §9): those from here to `endOfData` are packets with data about the programme. */
const [firstOfData, endOfData, lastCommand] = [0x01, 0x0f, 0x1f];
const palette: Readonly<Record<string, string>> = {
  ...{ black: '#000', red: '#f00', green: '#0f0', yellow: '#ff0', blue: '#00f', magenta: '#f0f', cyan: '#0ff' },
  transparent: '#0000',
};

export interface Caption {
  /** 1 to 4 for CC1 to CC4. */
  readonly channel: number;
  readonly picture: Picture;
}

/** Decodes both fields, each with two channels. */
export class Captions {
  readonly #fields = [new Field(1), new Field(3)];

  /** Takes the pairs of bytes of a picture, by field, in the order of the pictures. Returns what is to be shown from it. */
  decode(seconds: number, fields: readonly (readonly number[])[]): readonly Caption[] {
    return this.#fields.flatMap((field, index) => field.decode(seconds, fields[index] ?? []));
  }
}

class Field {
  readonly #first: 1 | 3;
  readonly #channels: readonly [Channel, Channel];
  #parser: Cta608Parser;
  #isData = false;

  constructor(first: 1 | 3) {
    this.#first = first;
    this.#channels = [new Channel(first), new Channel(first + 1)];
    this.#parser = new Cta608Parser(first, ...this.#channels);
  }

  decode(seconds: number, bytes: readonly number[]): readonly Caption[] {
    if (bytes.length === 0 && this.#channels.every(({ isComplete }) => isComplete)) return [];
    try {
      this.#parser.addData(seconds, this.#withoutData(bytes));
    } catch {
      // It fails at a style behind a full row, as damaged captions have it.
      this.#parser = new Cta608Parser(this.#first, ...this.#channels);
    }
    for (const channel of this.#channels) channel.screen = undefined;
    // Hands over what is shown now.
    this.#parser.cueSplitAtTime(seconds);
    return this.#channels.flatMap((channel) => channel.change(seconds) ?? []);
  }

  /** Without the packets of data about the programme, which the second field has between captions. */
  #withoutData(bytes: readonly number[]): number[] {
    return bytes.filter((_, at) => {
      if (at % 2) return !this.#isData;
      const code = (bytes[at] ?? 0) & 0x7f;
      if (code >= firstOfData && code <= lastCommand) this.#isData = code <= endOfData;
      return !this.#isData;
    });
  }
}

class Channel implements CueHandler {
  screen: CaptionScreen | undefined;
  /** Whether all that was received has been returned. */
  isComplete = true;
  readonly #number: number;
  #shown = '';
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(number: number) {
    this.#number = number;
  }

  newCue(_start: number, _end: number, screen: CaptionScreen): void {
    this.screen = screen;
  }

  reset(): void {}

  /** The caption, if it is not the one that was returned last. */
  change(seconds: number): Caption | undefined {
    const lines = (this.screen?.rows ?? []).map(({ chars }) => chars.slice(0, columns));
    const texts = lines.map((line) => line.map(({ uchar }) => uchar).join(''));
    const text = texts.join('\n').trimEnd();
    this.isComplete = text === this.#shown || Math.abs(seconds - this.#shownAt) >= minInterval;
    if (text === this.#shown || !this.isComplete) return undefined;
    this.#shown = text;
    this.#shownAt = seconds;
    const cells = lines.flatMap((line, row): readonly Cell[] => {
      const isText = line.map((one) => !one.isEmpty());
      const [begin, end] = [isText.indexOf(true), isText.lastIndexOf(true) + 1];
      return line.slice(Math.max(0, begin), end).map(({ uchar, penState: { foreground, background } }, index) => ({
        ...{ x: margin.x + (begin + index) * cell.width, y: margin.y + row * cell.height, ...cell },
        ...{ text: uchar, colour: palette[foreground] ?? '#fff', background: palette[background] ?? '#fff' },
      }));
    });
    const lasting = texts.map((line) => line.trim()).filter((line) => line !== '');
    return {
      channel: this.#number,
      picture: {
        width: columns * cell.width + 2 * margin.x,
        height: rows * cell.height + 2 * margin.y,
        ...{ timeOut, bitmaps: [], cells, text: lasting.join('\n') },
      },
    };
  }
}
