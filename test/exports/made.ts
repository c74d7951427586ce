/** Recordings that ffmpeg makes, and ffprobe's view of what was exported. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { native } from '../../src/base/native.ts';
import { formatCuts } from '../../src/recordings/files/cuts-file.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

export const marks = { in: 0, out: 1, chapter: 2 } as const;
export type MadeMark = readonly [kind: keyof typeof marks, seconds: number];

/** The cuts file with these marks. */
export const cutsOf = (made: readonly MadeMark[]) =>
  formatCuts(made.map(([kind, seconds]) => ({ kind: marks[kind], position: seconds * 90_000 })));

function ffmpeg(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args]);
  if (status !== 0) throw new Error(`${stderr}`);
}

/** Thirty seconds, with an access point each second: MPEG-2 video, and sound in Layer II. */
export function madeStream(path: string): void {
  ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc=size=160x120:rate=25', '-f', 'lavfi', '-i', 'sine=sample_rate=48000'],
    ...['-t', '30', '-c:v', 'mpeg2video', '-g', '25', '-bf', '0', '-c:a', 'mp2', '-b:a', '64k', '-f', 'mpegts', path],
  );
}

export const madePicture = (path: string) =>
  ffmpeg('-f', 'lavfi', '-i', 'testsrc=size=320x180', '-frames:v', '1', '-f', 'mjpeg', path);

/** A recording folder with `Ships.ts`, indexed. */
export async function openMade(title: string, made: readonly MadeMark[]) {
  const movie = join(temporaryFolder(), 'movie');
  mkdirSync(movie);
  const path = join(movie, 'Ships.ts');
  madeStream(path);
  const index = new native.FileIndex();
  const descriptor = openSync(path, 'r');
  while ((await index.step(descriptor)) > 0);
  writeFileSync(`${path}.ap`, index.entries());
  index.close();
  writeFileSync(`${path}.cuts`, cutsOf(made));
  writeFileSync(`${path}.meta`, `1:0:1:7:1:1:0:0:0:0::Alpha HD\n${title}\nS2 E5: Storm\n1767290220\n\n`);
  const folders = new RecordingFolders([movie]);
  const library = new RecordingLibrary(folders, () => null);
  onTestFinished(() => library.stop());
  return { movie, path, folders, library, recording: await library.find(path) };
}

interface Probed {
  readonly format: { readonly duration: string; readonly tags: Readonly<Record<string, string>> };
  readonly streams: readonly {
    readonly codec_name: string;
    readonly codec_type: string;
    readonly disposition?: { readonly attached_pic: number };
    readonly tags?: Readonly<Record<string, string>>;
  }[];
  readonly chapters: readonly {
    readonly start_time: string;
    readonly end_time: string;
    readonly tags: { readonly title: string };
  }[];
}

export function probe(path: string): Probed {
  const args = ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', '-show_chapters', path];
  return JSON.parse(spawnSync('ffprobe', args).stdout.toString()) as Probed;
}

/** The longest time between two pictures. */
export function maxGapSeconds(path: string): number {
  const args = ['-v', 'error', '-of', 'csv=p=0', '-select_streams', 'v:0', '-show_entries', 'packet=pts_time', path];
  const times = spawnSync('ffprobe', args)
    .stdout.toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => Number.parseFloat(line))
    .sort((a, b) => a - b);
  return Math.max(...times.slice(1).map((time, n) => time - (times[n] ?? time)));
}

export const start = (path: string) => readFileSync(path).subarray(0, 4).toString('hex');
