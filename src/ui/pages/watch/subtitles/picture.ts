/** What is shown over the pictures at one time. */
export interface Picture {
  /** Pixels on which it is drawn; they cover the whole picture. */
  readonly width: number;
  readonly height: number;
  /** Seconds after which it vanishes if nothing follows. */
  readonly timeOut: number;
  readonly bitmaps: readonly Bitmap[];
  readonly cells: readonly Cell[];
  /** For screen readers; empty if the broadcast sends no characters. */
  readonly text: string;
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Bitmap extends Rectangle {
  /** Red, green, blue and opacity of each pixel. */
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** A character that fills its rectangle. Colours: `#fff`. */
export interface Cell extends Rectangle {
  readonly text: string;
  readonly colour: string;
  readonly background: string;
}

/** Reads subtitles out of the payloads of PES packets, in the order of the broadcast. */
export interface Decoder {
  /** Returns what is to be shown from the time of this packet on; undefined if it changes nothing. */
  decode(payload: Uint8Array): Picture | undefined;
}
