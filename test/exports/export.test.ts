/** Recordings as MKV and MP4, judged by ffprobe. */
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ExportOptions, type ExportParts, exportRecording } from '../../src/exports/export.ts';
import { metadataOf } from '../../src/exports/metadata.ts';
import { exportedChapters } from '../../src/exports/plan.ts';
import type { Recording } from '../../src/recordings/files/recording.ts';
import { haveFfmpeg } from '../dvb/captures.ts';
import { noMount, smallDisk } from '../fixtures/small-disk.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { type MadeMark, madePicture, maxGapSeconds, openMade, probe } from './made.ts';

const title = 'A=B; #1 \\ -y';
const made: readonly MadeMark[] = [
  ['out', 5],
  ['in', 10],
  ['chapter', 15],
  ['out', 20],
  ['in', 25],
];

function exportWith(
  { folders, recording }: { readonly folders: ExportParts['folders']; readonly recording: Recording },
  options: ExportOptions,
  { folder, name = `Ships.${options.format}` }: { readonly folder: string; readonly name?: string },
  {
    signal = new AbortController().signal,
    onProgress,
    ffmpeg = 'ffmpeg',
  }: {
    readonly signal?: AbortSignal;
    readonly onProgress?: (part: number) => void;
    readonly ffmpeg?: string;
  } = {},
) {
  const parts = { folders, ffmpeg, timeZone: () => 'UTC' };
  const progress = { signal, ...(onProgress && { onProgress }) };
  return exportRecording(parts, recording, options, { folder: `${folder}/`, name }, progress);
}

describe.skipIf(!haveFfmpeg)('an export', () => {
  it.each(['mkv', 'mp4'] as const)('as %s has streams, texts, picture, and no breaks', async (format) => {
    const opened = await openMade(title, made);
    madePicture(join(opened.movie, 'Ships.jpg'));
    const folder = temporaryFolder();
    const parts: number[] = [];
    await exportWith(opened, { format, isCut: true }, { folder }, { onProgress: (part) => parts.push(part) });
    const path = join(folder, `Ships.${format}`);
    expect(readdirSync(folder)).toEqual([`Ships.${format}`]);
    const { format: file, streams, chapters } = probe(path);
    expect(Math.abs(Number(file.duration) - 20)).toBeLessThan(1);
    expect(maxGapSeconds(path)).toBeLessThan(0.5);
    const played = streams.filter(({ codec_type }) => codec_type !== 'data');
    // MP4 has one code for Layer II and Layer III.
    expect(played.map(({ codec_name }) => codec_name)).toEqual([
      ...['mpeg2video', format === 'mkv' ? 'mp2' : 'mp3', 'mjpeg'],
    ]);
    expect(played[2]?.disposition?.attached_pic).toBe(1);
    const tags = Object.fromEntries(Object.entries(file.tags).map(([key, value]) => [key.toLowerCase(), value]));
    expect(tags).toMatchObject({ title, description: 'S2 E5: Storm', network: 'Alpha HD' });
    expect(tags).toMatchObject({ season_number: '2', episode_sort: '5' });
    expect(chapters.map((one) => [Math.round(Number(one.start_time)), one.tags.title])).toEqual([
      [0, 'Chapter 1'],
      [5, 'Chapter 2'],
      [10, 'Chapter 3'],
      [15, 'Chapter 4'],
    ]);
    expect(parts.at(-1)).toBeGreaterThan(0.9);
  });

  it('keeps the breaks as chapters without the option', async () => {
    const opened = await openMade(title, made);
    const folder = temporaryFolder();
    await exportWith(opened, { format: 'mkv', isCut: false }, { folder });
    const { format, chapters } = probe(join(folder, 'Ships.mkv'));
    expect(Math.abs(Number(format.duration) - 30)).toBeLessThan(1);
    expect(chapters.map(({ tags }) => tags.title)).toEqual([
      ...['Chapter 1', 'Advertisement', 'Chapter 2', 'Chapter 3', 'Advertisement', 'Chapter 4'],
    ]);
  });

  it('reads all parts of a recording that was split', async () => {
    const opened = await openMade(title, []);
    renameSync(opened.path, `${opened.path}.001`);
    renameSync((await openMade(title, [])).path, opened.path);
    const folder = temporaryFolder();
    const split = { ...opened, recording: await opened.library.find(opened.path) };
    await exportWith(split, { format: 'mkv', isCut: false }, { folder });
    expect(Number(probe(join(folder, 'Ships.mkv')).format.duration)).toBeGreaterThan(50);
  });

  it('opens no other file that a piece names', async () => {
    const opened = await openMade('Other', []);
    const list = `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:30\n#EXTINF:30.0,\nfile:${opened.path}\n#EXT-X-ENDLIST\n`;
    const path = join(opened.movie, 'List.ts');
    writeFileSync(path, list.padEnd(20 * 188, '#\n'));
    writeFileSync(`${path}.meta`, `1:0:1:1:1:1:1:0:0:0::X\nList\n\n1796027791\n\n${60 * 90_000}\n3760\n\n188\n0\n`);
    const mark = Buffer.alloc(12);
    mark.writeBigUInt64BE(30n * 90_000n);
    mark.writeUInt32BE(1, 8);
    writeFileSync(`${path}.cuts`, mark);
    const recording = await opened.library.find(path);
    const folder = temporaryFolder();
    const exported = exportWith({ ...opened, recording }, { format: 'mkv', isCut: true }, { folder });
    await expect(exported).rejects.toThrow('without pictures and sound');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('never replaces a file', async () => {
    const opened = await openMade(title, []);
    writeFileSync(join(opened.movie, 'Ships.mkv'), 'mine');
    const folder = opened.movie;
    await expect(exportWith(opened, { format: 'mkv', isCut: false }, { folder })).rejects.toMatchObject({
      code: 'file-exists',
    });
  });

  it('leaves nothing behind when it is cancelled', async () => {
    const opened = await openMade(title, []);
    const folder = temporaryFolder();
    const cancelling = new AbortController();
    const onProgress = () => cancelling.abort();
    const options = { format: 'mkv', isCut: false } as const;
    await expect(
      exportWith(opened, options, { folder }, { signal: cancelling.signal, onProgress }),
    ).rejects.toMatchObject({ code: 'cancelled' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('checks the space first', async ({ skip }) => {
    const disk = smallDisk(1 << 20);
    if (disk === undefined) return skip(noMount);
    const opened = await openMade(title, []);
    await expect(exportWith(opened, { format: 'mkv', isCut: false }, { folder: disk })).rejects.toMatchObject({
      code: 'disk-full',
    });
    expect(readdirSync(disk)).toEqual([]);
  });

  it.each([
    ['that is not playable', (path: string) => writeFileSync(path, new Uint8Array(188_000)), 'unsupported'],
    ['that is gone', (path: string) => rmSync(path), 'not-found'],
  ])('of a recording %s fails', async (_, damage, code) => {
    const opened = await openMade(title, []);
    damage(opened.path);
    const folder = temporaryFolder();
    await expect(exportWith(opened, { format: 'mp4', isCut: false }, { folder })).rejects.toMatchObject({ code });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('whose marks leave nothing is refused', async () => {
    const opened = await openMade(title, [['out', 0]]);
    const folder = temporaryFolder();
    await expect(exportWith(opened, { format: 'mkv', isCut: true }, { folder })).rejects.toMatchObject({
      code: 'unsupported',
    });
  });

  it('needs ffmpeg', async () => {
    const opened = await openMade(title, []);
    const folder = temporaryFolder();
    const run = exportWith(opened, { format: 'mkv', isCut: false }, { folder }, { ffmpeg: '/nowhere/ffmpeg' });
    await expect(run).rejects.toMatchObject({ code: 'unsupported' });
    expect(existsSync(join(folder, 'Ships.mkv'))).toBe(false);
  });
});

describe('metadata', () => {
  it('cannot be mistaken for sections, comments or other keys', () => {
    const recording = { title: 'X\n[CHAPTER]\nSTART=1\r;a\0b', description: '', extendedText: '', serviceName: 'A' };
    const text = metadataOf({ ...recording, begin: 1767290220 } as Recording, [], 'UTC');
    expect(text).toContain('title=X\\\n[CHAPTER]\\\nSTART\\=1\\\n\\;a b\n');
    expect(text.match(/(?<!\\)\n\[CHAPTER\]/)).toBe(null);
  });
});

describe('chapters', () => {
  it('move with what is cut out before them', () => {
    const kept = [
      { begin: 10, end: 20 },
      { begin: 30, end: 40 },
    ];
    expect(exportedChapters([5, 15, 30.5, 35], [], kept)).toEqual([
      { begin: 0, end: 5, title: 'Chapter 1' },
      { begin: 5, end: 10, title: 'Chapter 2' },
      { begin: 10, end: 15, title: 'Chapter 3' },
      { begin: 15, end: 20, title: 'Chapter 4' },
    ]);
  });

  it('are none in a recording without marks', () => {
    expect(exportedChapters([], [], [{ begin: 0, end: 60 }])).toEqual([]);
  });
});
