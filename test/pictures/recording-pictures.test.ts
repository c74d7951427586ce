/** Pictures of recordings, by the machine's ffmpeg. */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { FrameMaker, FrameTimeout } from '../../src/pictures/frame-maker.ts';
import { pictureFormatOf } from '../../src/pictures/picture-format.ts';
import { PictureStore } from '../../src/pictures/picture-store.ts';
import { RecordingPictures } from '../../src/pictures/recording-pictures.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { until } from '../fixtures/waits.ts';
import { broadcast } from './samples.ts';

function open(program = 'ffmpeg') {
  const folder = temporaryFolder();
  const path = join(folder, 'Ships.ts');
  const service = ServiceReference.parse('1:0:19:2B66:3F3:1:C00000:0:0:0:');
  const recording = { path, service, begin: 1, length: 10, size: 1_000_000, scrambled: false, isIndexed: false };
  const kept = temporaryFolder();
  const parts = { folders: new RecordingFolders([dirname(path)]), store: new PictureStore(kept, 1e6) };
  const frames = new FrameMaker(program);
  const pictures = new RecordingPictures({ ...parts, frames, log: pino({ level: 'silent' }) });
  onTestFinished(() => frames.stop());
  return { pictures, recording, path, kept, frames };
}

it('a recording has a picture of its screen shape', async () => {
  const { pictures, recording, path } = open();
  await broadcast(path);
  const made = await until(async () => {
    const picture = (await pictures.find(recording)) ?? '';
    expect(picture).toMatch(/\.jpg$/);
    return picture;
  });
  expect(pictureFormatOf(readFileSync(made))).toEqual({ extension: 'jpg', width: 480, height: 270 });
  expect(await pictures.find({ ...recording, path: `${path}.renamed` })).toBe(made);
  // Another recording at the same path has its own.
  writeFileSync(path, 'no stream');
  expect(await pictures.find(recording)).toBe(made);
  expect(await pictures.find({ ...recording, begin: 2 })).not.toBe(made);
});

it('timeshift has previews of its segments', async () => {
  const { pictures, recording, path } = open();
  await broadcast(path);
  const whole = { path, head: 0, bytes: 0, duration: 10, discontinuity: false, parts: [] };
  const segments = [1, 2].map((sequence) => ({ ...whole, sequence, begin: sequence * 10 }));
  const growing = { ...whole, sequence: 3, begin: 30, path: `${path}.none` };
  const more = () => new Promise<void>(() => undefined);
  const segment = (sequence: number) => segments.find((one) => one.sequence === sequence);
  const timeshift = { reference: recording.service, segments, growing, isClosed: false, segment, more };
  const previewAt = (time: number) =>
    until(async () => {
      const picture = (await pictures.findShifted(timeshift, time)) ?? '';
      expect(picture).toMatch(/\.jpg$/);
      return picture;
    });
  const first = await previewAt(10);
  expect(pictureFormatOf(readFileSync(first))).toEqual({ extension: 'jpg', width: 320, height: 180 });
  expect(await previewAt(19)).toBe(first);
  expect(await previewAt(20)).not.toBe(first);
  expect(await pictures.findShifted(timeshift, 9)).toBeUndefined();
});

it('a recording has previews at steps of ten seconds, each made once', async () => {
  const { pictures, recording, path, kept } = open();
  await broadcast(path);
  const long = { ...recording, length: 25 };
  const previewAt = (time: number, isGrowing = false) =>
    until(async () => {
      const picture = (await pictures.findPreview(long, time, isGrowing)) ?? '';
      expect(picture).toMatch(/\.jpg$/);
      return picture;
    });
  const first = await previewAt(0);
  expect(pictureFormatOf(readFileSync(first))).toEqual({ extension: 'jpg', width: 320, height: 180 });
  expect(await previewAt(9)).toBe(first);
  expect(await previewAt(10)).not.toBe(first);
  expect(readdirSync(kept)).toHaveLength(2);
  expect(await pictures.findPreview(long, 30, false)).toBeUndefined();
  // While a recording is being written, its size changes.
  const early = await previewAt(0, true);
  long.size *= 2;
  expect(await previewAt(0, true)).toBe(early);
  expect(readdirSync(kept)).toHaveLength(3);
});

it.each([
  ['is empty', ''],
  ['is no transport stream', '<html>'.repeat(10_000)],
  ['is a list of other files', 'ffconcat version 1.0\nfile /etc/passwd\n'.repeat(1000)],
])('a file that %s has no picture', async (_, content) => {
  const { pictures, recording, path, kept } = open();
  writeFileSync(path, content);
  await until(async () => expect(await pictures.find(recording)).toBeUndefined());
  expect(readdirSync(kept)).toEqual([]);
});

it.each(['/nonexistent/ffmpeg', '/bin/false', '/bin/cat'])(
  'there is no picture with the program %s',
  async (program) => {
    const { pictures, recording, path } = open(program);
    writeFileSync(path, Buffer.alloc(188 * 100, 0x47));
    await until(async () => expect(await pictures.find(recording)).toBeUndefined());
  },
);

it('a scrambled or missing recording has no picture', async () => {
  const { pictures, recording } = open();
  expect(await pictures.find({ ...recording, scrambled: true })).toBeUndefined();
  await until(async () => expect(await pictures.find(recording)).toBeUndefined());
});

it('a program that takes too long is ended', async () => {
  const program = join(temporaryFolder(), 'slow');
  writeFileSync(program, '#!/bin/sh\nexec sleep 1000\n');
  chmodSync(program, 0o755);
  const shape = { width: 480, height: 270 };
  await expect(new FrameMaker(program, 1).frameOf([Buffer.alloc(188)], shape)).rejects.toThrow(FrameTimeout);
});

it.each([
  ['a timeout', 'again after minutes', new FrameTimeout('too slow'), 2],
  ['another failure', 'not again', new Error('no picture'), 1],
])('after %s, the picture of a recording is made %s', async (_, __, error, attempts) => {
  const { pictures, recording, path, frames } = open();
  writeFileSync(path, Buffer.alloc(188 * 100, 0x47));
  const make = vi.spyOn(frames, 'frameOf').mockRejectedValue(error);
  const untilFailed = () => until(async () => expect(await pictures.find(recording)).toBeUndefined());
  await untilFailed();
  await untilFailed();
  expect(make).toHaveBeenCalledTimes(1);
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_600_000);
  onTestFinished(() => now.mockRestore());
  await untilFailed();
  expect(make).toHaveBeenCalledTimes(attempts);
});
