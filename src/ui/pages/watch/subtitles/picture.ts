/** The subtitles shown at one time. */
export interface Picture {
  /** Size of the canvas in pixels; it covers the whole video. */
  readonly width: number;
  readonly height: number;
  /** Seconds after which it is removed if no other picture follows. */
  readonly timeOut: number;
  readonly bitmaps: readonly Bitmap[];
  readonly cells: readonly Cell[];
  /** Text for screen readers; empty for bitmaps. */
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

/** A character that fills its rectangle. Colours as `#fff`. */
export interface Cell extends Rectangle {
  readonly text: string;
  readonly colour: string;
  readonly background: string;
}

/** Decodes the payloads of PES packets, in the order of the broadcast. */
export interface Decoder {
  /** Returns the picture to show from the PTS of this packet; undefined if nothing changes. */
  decode(payload: Uint8Array): Picture | undefined;
}
