/** Small pictures of each format, what is none, and a video. */
import { deflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { pngFile } from '../../src/http/pictures/png.ts';
import { run } from '../dvb/captures.ts';

/** A PNG of this size, black. The last bytes make it different from others. */
export function png(width = 2, height = 2, tail = ''): Buffer {
  const pixels = Buffer.alloc((width + 1) * height);
  return Buffer.concat([pngFile({ width, height, colour: 'grey' }, deflateSync(pixels)), Buffer.from(tail)]);
}

/** The beginning of a JPEG: fill bytes, a segment APP0, and the frame header. */
export function jpeg(width = 2, height = 2): Buffer {
  const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xff, 0xe0, 0, 4, 0, 0]), frame, Buffer.alloc(20)]);
}

/** The beginning of a WebP in each of its three forms. */
export function webp(form: 'VP8 ' | 'VP8L' | 'VP8X', width = 2, height = 2): Buffer {
  const file = Buffer.alloc(40);
  file.write('RIFF', 0, 'latin1');
  file.write(`WEBP${form}`, 8, 'latin1');
  if (form === 'VP8 ') {
    file.writeUInt16LE(width, 26);
    file.writeUInt16LE(height, 28);
  } else if (form === 'VP8L') file.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  else {
    file.writeUIntLE(width - 1, 24, 3);
    file.writeUIntLE(height - 1, 27, 3);
  }
  return file;
}

const padding = ' '.repeat(40);

/** What servers send instead of a picture. */
export const notPictures: readonly (readonly [what: string, bytes: Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['a page', Buffer.from(`<!doctype html><title>Not found</title>${padding}`)],
  ['an SVG', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>${padding}`)],
  ['a GIF', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(40)])],
  ['the first bytes of a PNG', png().subarray(0, 20)],
  ['a PNG without a header', Buffer.concat([png().subarray(0, 8), Buffer.alloc(40)])],
  ['a JPEG without a frame', Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(60, 0xff)])],
  [
    'a JPEG whose segment is longer than the file',
    Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff]), Buffer.alloc(40)]),
  ],
  [
    'a JPEG whose segment has no length',
    Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]), Buffer.alloc(40)]),
  ],
  ['a RIFF of another kind', Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(40)])],
];

/** Writes some seconds of video as broadcast: MPEG-2, 720 by 576, 16:9, with a sound. */
export async function broadcast(path: string): Promise<void> {
  const sources = ['-f', 'lavfi', '-i', 'testsrc=size=720x576:rate=25:duration=10', '-f', 'lavfi', '-i', 'sine=d=10'];
  const coded = ['-c:v', 'mpeg2video', '-b:v', '2M', '-aspect', '16:9', '-c:a', 'mp2'];
  const { code, errors } = await run('ffmpeg', ['-v', 'error', '-y', ...sources, ...coded, path], []);
  expect([code, errors]).toEqual([0, '']);
}
