/** The picture of a service without a picon: a plain screen on a stand. It is drawn by code, so it is always available. */
import { deflateSync } from 'node:zlib';
import { once } from '../../base/once.ts';
import { pngFile } from './png.ts';

const [width, height] = [220, 132] as const;

/** Grey level and opacity. */
const colours = {
  nothing: [0, 0],
  frame: [150, 255],
  screen: [70, 255],
} as const;

function colourAt(x: number, y: number): keyof typeof colours {
  if (inside(x, y, 66, 26, 154, 82)) return 'screen';
  if (inside(x, y, 60, 20, 160, 88)) return 'frame';
  return inside(x, y, 104, 88, 116, 102) || inside(x, y, 84, 102, 136, 108) ? 'frame' : 'nothing';
}

function inside(x: number, y: number, left: number, top: number, right: number, bottom: number): boolean {
  return x >= left && x < right && y >= top && y < bottom;
}

/** A PNG (ISO/IEC 15948) of 220 by 132 pixels, grey with alpha. Built on the first call. */
export const defaultPicture = once(() => pngFile({ width, height, colour: 'grey-and-opacity' }, deflateSync(pixels())));

function pixels(): Buffer {
  const rows: number[] = [];
  for (let y = 0; y < height; y++) {
    rows.push(0);
    for (let x = 0; x < width; x++) rows.push(...colours[colourAt(x, y)]);
  }
  return Buffer.from(rows);
}
