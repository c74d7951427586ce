/**
 * Recognises pictures by their contents: PNG (ISO/IEC 15948), JPEG (ITU-T T.81) and WebP (RFC 9649). Reads only the
 * headers. SVG is left out, because it may contain scripts and entities that expand without end.
 */

export interface PictureFormat {
  /** Extension of its file name, without a dot. */
  readonly extension: 'png' | 'jpg' | 'webp';
  readonly width: number;
  readonly height: number;
}

/** The format of a picture; undefined if the bytes are none. */
export function pictureFormatOf(bytes: Buffer): PictureFormat | undefined {
  if (bytes.length < 32) return undefined;
  return png(bytes) ?? jpeg(bytes) ?? webp(bytes);
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function png(bytes: Buffer): PictureFormat | undefined {
  if (!bytes.subarray(0, 8).equals(pngStart) || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { extension: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Walks over the marker segments to the frame header (SOFn). */
function jpeg(bytes: Buffer): PictureFormat | undefined {
  if (bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] as number;
    // Fill bytes may precede a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (isFrameHeader(marker))
      return { extension: 'jpg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** SOF0 to SOF15 without DHT, JPG and DAC, which lie between them. */
const isFrameHeader = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function webp(bytes: Buffer): PictureFormat | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  const sized = (width: number, height: number) => ({ extension: 'webp', width, height }) as const;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return sized(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const both = bytes.readUInt32LE(21);
      return sized((both & 0x3fff) + 1, ((both >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return sized(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return undefined;
  }
}
