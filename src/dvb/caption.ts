import { native } from '../base/native.ts';

export interface CaptionSize {
  readonly width: number;
  readonly height: number;
}

/** Width in pixels of the smallest readable caption and of the largest useful one. */
const [narrowest, widest] = [160, 1920] as const;

/** Returns the size of a 16:9 caption about `width` pixels wide: at least 160, at most 1920, even numbers. */
export function captionSize(width: number): CaptionSize {
  const bounded = Math.min(widest, Math.max(narrowest, Math.round(width)));
  return { width: even(bounded), height: even((bounded * 9) / 16) };
}

const even = (value: number) => Math.round(value / 2) * 2;

/** Bound of a text in characters; the drawing cuts it to what fits. */
const longest = 200;

/**
 * Draws a heading with a text below it: the unfiltered scanlines of an 8-bit grey PNG (ISO/IEC 15948 §7.2). Runs on a
 * thread of its own.
 */
export function captionRows({ width, height }: CaptionSize, heading: string, text: string): Promise<Buffer> {
  return native.caption(width, height, heading.slice(0, longest), text.slice(0, longest));
}
