import { native } from '../native.ts';

export interface CaptionSize {
  readonly width: number;
  readonly height: number;
}

/** Points across of the smallest caption that can be read, and of the largest that makes sense. */
const [narrowest, widest] = [160, 1920] as const;

/** The size of a 16:9 caption that is about so many points wide: at least 160, at most 1920, even numbers. */
export function captionSize(width: number): CaptionSize {
  const bounded = Math.min(widest, Math.max(narrowest, Math.round(width)));
  return { width: even(bounded), height: even((bounded * 9) / 16) };
}

const even = (value: number) => Math.round(value / 2) * 2;

/** Characters of a line; it is cut to what fits. */
const longest = 200;

/**
 * A picture of a heading and a text below it: the scanlines of a grey PNG of 8 bits (ISO/IEC 15948 §7.2), not filtered. Drawn by a
 * thread of its own.
 */
export function captionRows({ width, height }: CaptionSize, heading: string, text: string): Promise<Buffer> {
  return drawing.caption(width, height, heading.slice(0, longest), text.slice(0, longest));
}

const drawing = native as {
  caption(width: number, height: number, heading: string, text: string): Promise<Buffer>;
};
