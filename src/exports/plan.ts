/** What an export contains: bytes of the recording's files, and chapters. */
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { breaksOf, chaptersOf, keptSpans, type Span } from '../recordings/files/breaks.ts';
import { fileSetOf, isPart } from '../recordings/files/file-set.ts';
import { ticksPerSecond } from '../recordings/files/meta-file.ts';
import type { Recording } from '../recordings/files/recording.ts';
import { notFound, type RecordingFolders } from '../recordings/library/folders.ts';
import { accessPointFinder, tablePlaces } from '../recordings/recorded-stream.ts';

/** A piece of the recording without gaps: bytes, and its length in seconds. */
interface Piece {
  readonly from: number;
  readonly until: number;
  readonly seconds: number;
}

export interface Chapter extends Span {
  readonly title: string;
}

export interface ExportPlan {
  /** The recording, and its further parts. The caller closes them. */
  readonly files: readonly FileHandle[];
  /** Undefined: everything. */
  readonly pieces: readonly Piece[] | undefined;
  readonly bytes: number;
  readonly seconds: number;
  readonly chapters: readonly Chapter[];
  /** ffmpeg's address of bytes of the recording. `pathOf`: of the nth file, for ffmpeg. */
  readonly urlOf: (from: number, until: number, pathOf: (file: number) => string) => string;
  /** Where PAT and PMT are, which have to precede each piece. */
  readonly tables: readonly (readonly [from: number, until: number])[];
}

const maxParts = 64;
/** A chapter that would be shorter is part of the one before it. */
const minChapterSeconds = 1;

/** Opens the files of a recording. `isCut`: leaves its breaks out. @throws ReceiverError `not-found` */
export async function planExport(folders: RecordingFolders, recording: Recording, isCut: boolean): Promise<ExportPlan> {
  const { path, length = 0, cuts } = recording;
  const files = await openParts(folders, path);
  try {
    const sizes = await Promise.all(files.map(async (file) => (await file.stat()).size));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const breaks = breaksOf(cuts, length);
    const isWhole = !isCut || breaks.length === 0;
    const kept = isWhole ? [{ begin: 0, end: length }] : keptSpans(breaks, length);
    const pieces = isWhole ? undefined : await piecesOf(folders, recording, kept, bytes);
    return {
      ...{ files, pieces },
      bytes: pieces?.reduce((sum, { from, until }) => sum + until - from, 0) ?? bytes,
      seconds: pieces?.reduce((sum, { seconds }) => sum + seconds, 0) ?? length,
      chapters: exportedChapters(chaptersOf(cuts), isWhole ? breaks : [], kept),
      tables: await tablePlaces(files[0] as FileHandle),
      urlOf: (from, until, pathOf) => `concat:${[...rangesOf(sizes, from, until, pathOf)].join('|')}`,
    };
  } catch (error) {
    await closeAll(files);
    throw error;
  }
}

export const closeAll = (files: readonly FileHandle[]) => Promise.all(files.map((file) => file.close()));

async function openParts(folders: RecordingFolders, path: string): Promise<readonly FileHandle[]> {
  const files = [await folders.open(path)];
  try {
    const { name, files: names } = await fileSetOf(path).catch(notFound(`File '${path}'`));
    const parts = names.filter((one) => isPart(name, one)).slice(0, maxParts);
    for (const part of parts) files.push(await folders.open(`${dirname(path)}/${part}`));
    return files;
  } catch (error) {
    await closeAll(files);
    throw error;
  }
}

async function piecesOf(
  folders: RecordingFolders,
  recording: Recording,
  kept: readonly Span[],
  bytes: number,
): Promise<readonly Piece[]> {
  const at = await accessPointFinder(folders, recording);
  const { length = 0 } = recording;
  const pieces: Piece[] = [];
  for (const { begin, end } of kept) {
    const from = at(begin);
    const until = end >= length ? { offset: bytes, time: length * ticksPerSecond } : at(end);
    if (until.offset <= from.offset) continue;
    pieces.push({ from: from.offset, until: until.offset, seconds: (until.time - from.time) / ticksPerSecond });
  }
  return pieces;
}

/** The bytes from `from` to `until` in the files, by ffmpeg's protocol `subfile`. */
function* rangesOf(sizes: readonly number[], from: number, until: number, pathOf: (file: number) => string) {
  let begin = 0;
  for (const [n, size] of sizes.entries()) {
    const [start, end] = [Math.max(from - begin, 0), Math.min(until - begin, size)];
    if (start < end) yield `subfile,,start,${start},end,${end},,:${pathOf(n)}`;
    begin += size;
  }
}

/** The chapters of an export: at the marks and, if they are kept, at the beginning and end of each break. */
export function exportedChapters(
  marks: readonly number[],
  breaks: readonly Span[],
  kept: readonly Span[],
): readonly Chapter[] {
  const [first] = kept;
  const last = kept.at(-1);
  if (first === undefined || last === undefined) return [];
  const own = breaks.length > 0 ? breaks.flatMap(({ begin, end }) => [begin, end]) : kept.map(({ begin }) => begin);
  const wanted = [...new Set([first.begin, ...marks, ...own])].sort((one, other) => one - other);
  const starts: { at: number; isBreak: boolean }[] = [];
  let offset = 0;
  for (const { begin, end } of kept) {
    for (const one of wanted)
      if (one >= begin && one < end && offset + one - begin >= (starts.at(-1)?.at ?? -1) + minChapterSeconds) {
        const isBreak = breaks.some((other) => one >= other.begin && one < other.end);
        starts.push({ at: offset + one - begin, isBreak });
      }
    offset += end - begin;
  }
  if (starts.length < 2) return [];
  let number = 0;
  return starts.map(({ at, isBreak }, n) => ({
    begin: at,
    end: starts[n + 1]?.at ?? offset,
    title: isBreak ? 'Advertisement' : `Chapter ${++number}`,
  }));
}
