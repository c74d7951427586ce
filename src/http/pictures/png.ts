/** Writes PNG files (ISO/IEC 15948). zlib compresses them; pngjs would add 70 KB for the little that remains. */
import { crc32 } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Colour types with 8 bits per channel. */
const colourTypes = { grey: 0, 'grey-and-opacity': 4 } as const;

export interface PngShape {
  readonly width: number;
  readonly height: number;
  readonly colour: keyof typeof colourTypes;
}

/** Builds a PNG file. `scanlines` are already compressed (zlib), each with its filter byte. */
export function pngFile({ width, height, colour }: PngShape, scanlines: Buffer): Buffer {
  return Buffer.concat([
    signature,
    chunk('IHDR', Buffer.concat([number(width), number(height), Buffer.from([8, colourTypes[colour], 0, 0, 0])])),
    chunk('IDAT', scanlines),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([number(data.length), body, number(crc32(body))]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
