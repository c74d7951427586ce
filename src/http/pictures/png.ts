/** Writes PNG files (ISO/IEC 15948). zlib compresses them; pngjs would add 70 KB for the little that remains. */
import { bigEndian, pngChunk } from '../../pictures/png-chunk.ts';

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
    pngChunk(
      'IHDR',
      Buffer.concat([bigEndian(width), bigEndian(height), Buffer.from([8, colourTypes[colour], 0, 0, 0])]),
    ),
    pngChunk('IDAT', scanlines),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}
