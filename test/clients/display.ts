/** A virtual screen, for programs that need one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { output } from './run.ts';

export interface Display {
  /** For DISPLAY. */
  readonly name: string;
  /** The picture, scaled to this many pixels across and down: red, green and blue of each. */
  picture(width: number, height: number): Promise<Buffer>;
  close(): Promise<void>;
}

const [width, height] = [640, 360];

/** Xvfb takes the first free number and reports it. */
export async function openDisplay(): Promise<Display> {
  const server: ChildProcess = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const [number] = (await once(server.stdio[3] as Readable, 'data')) as [Buffer];
  const name = `:${number.toString().trim()}`;
  return {
    name,
    picture: (across, down) => rgb(['-f', 'x11grab', '-video_size', `${width}x${height}`, '-i', name], across, down),
    async close() {
      const exit = once(server, 'exit');
      server.kill();
      await exit;
    },
  };
}

/** The first picture that ffmpeg reads with these options. */
export function rgb(input: readonly string[], across: number, down: number): Promise<Buffer> {
  const size = ['-frames:v', '1', '-vf', `scale=${across}:${down}`, '-pix_fmt', 'rgb24', '-f', 'rawvideo', 'pipe:1'];
  return output('ffmpeg', ['-v', 'error', ...input, ...size]);
}

/** The difference between two pictures of the same size: 0 to 255, averaged over all pixels. */
export function difference(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((sum, value, i) => sum + Math.abs(value - (other[i] ?? 0)), 0) / one.length;
}
