import { native } from '../base/native.ts';

export interface CaptionSize {
  readonly width: number;
  readonly height: number;
}

/** Pixels: the smallest width that is readable and the largest that is useful. */
const [minWidth, maxWidth] = [160, 1920] as const;

/** Returns the size of a 16:9 caption about `width` pixels wide: at least 160, at most 1920, even numbers. */
export function captionSize(width: number): CaptionSize {
  const bounded = Math.min(maxWidth, Math.max(minWidth, Math.round(width)));
  return { width: even(bounded), height: even((bounded * 9) / 16) };
}

const even = (value: number) => Math.round(value / 2) * 2;

/** Characters of a heading or text; the drawing clips them to the picture as well. */
const maxTextLength = 200;

/**
 * Draws a heading with a text below it. Returns the unfiltered scanlines of an 8-bit grey PNG (ISO/IEC 15948 §7.2).
 * Runs on a worker thread.
 */
export function captionRows({ width, height }: CaptionSize, heading: string, text: string): Promise<Buffer> {
  return native.caption(width, height, heading.slice(0, maxTextLength), text.slice(0, maxTextLength));
}
