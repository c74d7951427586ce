/** Exports a recording as MKV or MP4, by the machine's ffmpeg. Streams are copied, not encoded again. */
import { constants, type FileHandle, open, rename, rm, statfs } from 'node:fs/promises';
import { lastLine } from '../base/child-process.ts';
import { fail, ReceiverError } from '../base/errors.ts';
import { createTemporary, exists, syncFolder } from '../base/files.ts';
import { isFull } from '../recordings/files/disk-trouble.ts';
import { isIndexable, type Recording } from '../recordings/files/recording.ts';
import type { RecordingFolders } from '../recordings/library/folders.ts';
import { fileUrl, pipeUrl, runFfmpeg } from './ffmpeg.ts';
import { metadataOf } from './metadata.ts';
import { closeAll, type ExportPlan, planExport } from './plan.ts';

export const exportFormats = ['mkv', 'mp4'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportOptions {
  readonly format: ExportFormat;
  /** Leaves out what the marks cut out. */
  readonly isCut: boolean;
}

export interface ExportParts {
  readonly folders: RecordingFolders;
  /** Name or path of ffmpeg. */
  readonly ffmpeg: string;
  readonly timeZone: () => string;
  /** The path of a picture of the recording; undefined if there is none. */
  readonly pictureOf?: (recording: Recording) => Promise<string | undefined>;
}

export interface ExportTarget {
  /** Path of an existing folder, with a trailing slash. */
  readonly folder: string;
  readonly name: string;
}

export interface ExportProgress {
  readonly signal: AbortSignal;
  /** Called with the exported part, 0 to 1. */
  readonly onProgress?: (part: number) => void;
}

/** Bytes that stay free beside an export. */
const minSpareBytes = 64 << 20;
const maxPictureBytes = 4 << 20;
/** The limit of common file systems. */
const maxNameBytes = 255;

/**
 * Writes the export under its name, which must be free; nothing is left behind if that fails.
 * @throws ReceiverError `unsupported` (not a transport stream, nothing to export, or no ffmpeg), `disk-full`, `file-exists`,
 * `cancelled`, `command-failed`, `not-found`, `bad-name`
 */
export async function exportRecording(
  parts: ExportParts,
  recording: Recording,
  options: ExportOptions,
  { folder, name }: ExportTarget,
  progress: ExportProgress,
): Promise<void> {
  if (!isIndexable(recording.path)) throw fail('unsupported', 'exporting anything but a transport stream (.ts, .trp)');
  if (recording.scrambled) throw fail('unsupported', 'exporting a scrambled recording');
  if (Buffer.byteLength(name) > maxNameBytes) throw fail('bad-name', name);
  if (await exists(folder + name)) throw fail('file-exists', name);
  const plan = await planExport(parts.folders, recording, options.isCut);
  try {
    if (plan.bytes === 0) throw fail('unsupported', 'exporting a recording whose marks leave nothing');
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < plan.bytes + minSpareBytes) throw fail('disk-full', folder);
    const temporary = await createTemporary(folder);
    try {
      try {
        await write(parts, recording, { ...options, plan, output: temporary.file }, progress);
        await temporary.file.sync();
      } finally {
        await temporary.file.close();
      }
      progress.signal.throwIfAborted();
      // `rename` would replace a file that has appeared in the meantime.
      if (await exists(folder + name)) throw fail('file-exists', name);
      await rename(temporary.path, folder + name);
    } catch (error) {
      await rm(temporary.path, { force: true });
      throw error;
    }
    await syncFolder(folder);
  } catch (error) {
    if (progress.signal.aborted) throw fail('cancelled', recording.path);
    if (isFull(error as NodeJS.ErrnoException)) throw fail('disk-full', folder);
    throw error instanceof ReceiverError ? error : fail('file-unwritable', name, (error as Error).message);
  } finally {
    await closeAll(plan.files);
  }
}

interface Work extends ExportOptions {
  readonly plan: ExportPlan;
  /** Where ffmpeg writes to. */
  readonly output: FileHandle;
}

async function write(parts: ExportParts, recording: Recording, work: Work, progress: ExportProgress): Promise<void> {
  const picture = await openPicture(parts, recording);
  try {
    const streams = await findStreams(parts.ffmpeg, work.plan, progress.signal);
    const run = (wanted: readonly Stream[]) =>
      convert(parts, recording, { ...work, picture, streams: wanted }, progress);
    const failed = await run(streams);
    if (failed === undefined) return;
    // Not every ffmpeg can read teletext.
    const others = streams.filter(({ codec }) => codec !== teletext);
    const failure = others.length < streams.length ? await run(others) : failed;
    if (failure !== undefined) throw failure;
  } finally {
    await picture?.close();
  }
}

/** A JPEG: the one beside the recording, else the one that the receiver has made. */
async function openPicture({ folders, pictureOf }: ExportParts, recording: Recording): Promise<FileHandle | undefined> {
  const beside = recording.path.replace(/\.[^./]*$/, '.jpg');
  const own = await folders.open(beside).catch(() => undefined);
  const made = own ? undefined : await pictureOf?.(recording).catch(() => undefined);
  const file = own ?? (made === undefined ? undefined : await open(made, constants.O_RDONLY).catch(() => undefined));
  if (file === undefined) return undefined;
  const start = await file.read(Buffer.alloc(3), 0, 3, 0);
  const isJpeg = start.buffer.equals(Buffer.from([0xff, 0xd8, 0xff])) && (await file.stat()).size <= maxPictureBytes;
  if (isJpeg) return file;
  await file.close();
  return undefined;
}

interface Stream {
  readonly index: number;
  readonly kind: string;
  readonly codec: string;
}

const teletext = 'dvb_teletext';
const streamLine = /^ {2,6}Stream #0:(\d{1,4})[^:\n]*: (Video|Audio|Subtitle): (\w+)/gm;

/** The streams of an export as ffmpeg numbers them. @throws ReceiverError `unsupported` if there are none */
async function findStreams(program: string, plan: ExportPlan, signal: AbortSignal): Promise<readonly Stream[]> {
  const { args, texts } = inputOf(plan, plan.files.length);
  const { errors } = await runFfmpeg({ program, args, files: plan.files, texts, signal });
  const streams = [...errors.matchAll(streamLine)].map(([, index, kind = '', codec = '']) => ({
    ...{ index: Number(index), kind, codec },
  }));
  if (streams.length === 0) throw fail('unsupported', 'exporting a recording without pictures and sound');
  return streams;
}

/**
 * The input of ffmpeg. Pieces are joined by ffmpeg's `concat`: their lengths keep pictures and sound together where they
 * meet. PAT and PMT precede each piece. `files`: number of descriptors before the texts.
 */
function inputOf({ pieces, tables, urlOf }: ExportPlan, files: number) {
  const protocols = ['-protocol_whitelist', 'file,subfile,concat,pipe'];
  if (pieces === undefined) {
    const args = ['-probesize', '20M', '-analyzeduration', '10M', '-fflags', '+genpts', ...protocols];
    return { args: [...args, '-f', 'mpegts', '-i', urlOf(0, Number.MAX_SAFE_INTEGER, fileUrl)], texts: [] };
  }
  const urlWithTables = (from: number, until: number) =>
    [...(from === 0 ? [] : tables), [from, until] as const]
      .map(([start, end], n) => urlOf(start, end, fileUrl).slice(n === 0 ? 0 : 'concat:'.length))
      .join('|');
  const lines = pieces.map(
    ({ from, until, seconds }) => `file '${urlWithTables(from, until)}'\nduration ${seconds.toFixed(6)}\n`,
  );
  // A piece that is a playlist would lead to other files.
  const formats = ['-format_whitelist', 'concat,mpegts'];
  const args = ['-fflags', '+genpts', ...protocols, ...formats, '-f', 'concat', '-safe', '0', '-i', pipeUrl(files, 0)];
  return { args, texts: [`ffconcat version 1.0\n${lines.join('')}`] };
}

interface Conversion extends Work {
  readonly streams: readonly Stream[];
  readonly picture: FileHandle | undefined;
}

/** Sound that MP4 and MKV take as it is. Other sound, which is rare, becomes AAC. */
const copiedSound = /^(?:aac|ac3|eac3|mp2|mp3|opus|dts|flac)$/;

/** Returns the error if ffmpeg fails. @throws ReceiverError `disk-full` */
async function convert(
  { ffmpeg: program, timeZone }: ExportParts,
  recording: Recording,
  { plan, format, picture, streams, output }: Conversion,
  { signal, onProgress }: ExportProgress,
): Promise<Error | undefined> {
  const files = [...plan.files, output, ...(picture ? [picture] : [])];
  const pictureUrl = fileUrl(plan.files.length + 1);
  const input = inputOf(plan, files.length);
  const isMp4 = format === 'mp4';
  // MP4 cannot contain subtitles that are pictures.
  const kept = streams.filter(({ codec, kind }) => !isMp4 || kind !== 'Subtitle' || codec === teletext);
  const ofKind = (wanted: string) => kept.filter(({ kind }) => kind === wanted);
  const readsTeletext = kept.some(({ codec }) => codec === teletext);
  const videos = ofKind('Video');
  const args = [
    ...['-y', '-loglevel', 'error', '-progress', 'pipe:1'],
    ...(readsTeletext ? ['-fix_sub_duration', '-txt_page', 'subtitle', '-txt_format', 'text'] : []),
    ...input.args,
    ...['-f', 'ffmetadata', '-protocol_whitelist', 'pipe', '-i', pipeUrl(files.length, input.texts.length)],
    ...(isMp4 && picture ? ['-f', 'mjpeg', '-protocol_whitelist', 'file', '-i', pictureUrl] : []),
    ...kept.flatMap(({ index }) => ['-map', `0:${index}`]),
    ...(isMp4 && picture ? ['-map', '2:v', `-disposition:v:${videos.length}`, 'attached_pic'] : []),
    ...['-map_metadata', '1', '-map_chapters', '1', '-c', 'copy'],
    ...ofKind('Audio').flatMap(({ codec }, n) => (copiedSound.test(codec) ? [] : [`-c:a:${n}`, 'aac'])),
    ...ofKind('Subtitle').flatMap(({ codec }, n) =>
      codec === teletext ? [`-c:s:${n}`, isMp4 ? 'mov_text' : 'subrip'] : [],
    ),
    ...(isMp4 ? videos.flatMap(({ codec }, n) => (codec === 'hevc' ? [`-tag:v:${n}`, 'hvc1'] : [])) : []),
    ...(!isMp4 && picture
      ? ['-attach', pictureUrl, '-metadata:s:t', 'mimetype=image/jpeg', '-metadata:s:t', 'filename=cover.jpg']
      : []),
    ...(isMp4 ? ['-movflags', '+faststart', '-f', 'mp4'] : ['-f', 'matroska']),
    fileUrl(plan.files.length),
  ];
  const texts = [...input.texts, metadataOf(recording, plan.chapters, timeZone())];
  const onOutput = (text: string) => {
    const done = Number(/out_time_us=(\d{1,15})/.exec(text)?.[1]) / 1e6;
    if (done > 0 && plan.seconds > 0) onProgress?.(Math.min(1, done / plan.seconds));
  };
  const { why, errors } = await runFfmpeg({ program, args, files, texts, signal, onOutput });
  signal.throwIfAborted();
  if (why === '') return undefined;
  if (/No space left on device|Disk quota exceeded/.test(errors)) throw fail('disk-full', 'the folder of the export');
  return fail('command-failed', 'ffmpeg', lastLine(errors).slice(0, 300) || why);
}
