/** Writes BMP files: 24 bits per pixel, uncompressed, bottom row first. Unlike bmp-js, it yields to the event loop. */
import { TimeSlice } from '../../base/time-slice.ts';
import type { RawPicture } from './jpeg.ts';

/** Sizes in bytes of BITMAPFILEHEADER and BITMAPINFOHEADER. */
const [fileHeaderBytes, infoHeaderBytes] = [14, 40] as const;

export async function bmpFile({ width, height, data }: RawPicture): Promise<Buffer> {
  const pixels = fileHeaderBytes + infoHeaderBytes;
  const stride = Math.ceil((width * 3) / 4) * 4;
  const file = Buffer.alloc(pixels + stride * height);
  file.write('BM', 0, 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(pixels, 10);
  file.writeUInt32LE(infoHeaderBytes, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  file.writeUInt32LE(stride * height, 34);
  const slice = new TimeSlice();
  for (let y = 0; y < height; y++) {
    if (slice.isOver) await slice.next();
    let from = y * width * 4;
    let to = pixels + (height - 1 - y) * stride;
    for (let x = 0; x < width; x++, from += 4, to += 3) {
      file[to] = data[from + 2] as number;
      file[to + 1] = data[from + 1] as number;
      file[to + 2] = data[from] as number;
    }
  }
  return file;
}
