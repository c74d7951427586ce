/** One recording: a file and the metadata in its side files. */
import type { FileHandle } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { UnixSeconds } from '../../base/clock.ts';
import type { GuideEvent } from '../../epg/event.ts';
import { ServiceReference } from '../../services/reference.ts';
import { lengthByAccessPoints } from './access-points-file.ts';
import { type Cut, parseCuts } from './cuts-file.ts';
import { parseMeta, type RecordingMeta, ticksPerSecond } from './meta-file.ts';
import { readSideFile } from './recording-files.ts';
import { streamLength } from './stream-length.ts';

export interface Recording {
  /** Absolute, in one of the recording folders. */
  readonly path: string;
  /** The reference that plays it. */
  readonly reference: ServiceReference;
  readonly title: string;
  /** Short text. */
  readonly description: string;
  readonly extendedText: string;
  /** The recorded channel; undefined if unknown. */
  readonly service: ServiceReference | undefined;
  /** The channel's name; empty if unknown. */
  readonly serviceName: string;
  readonly begin: UnixSeconds;
  /** Seconds; undefined if unknown. */
  readonly length: number | undefined;
  /** Percent of the length watched so far, 0 to 100. */
  readonly lastSeen: number;
  readonly tags: readonly string[];
  /** Bytes, including all parts of a split recording. */
  readonly size: number;
  readonly scrambled: boolean;
  /** Has a `.meta` file. */
  readonly described: boolean;
  /** Has access points, so that positions are exact. */
  readonly isIndexed: boolean;
  readonly cuts: readonly Cut[];
  /** The broadcast event; null without an `.eit` file. */
  readonly event: GuideEvent | null;
}

/** The existing files of a recording. */
export interface RecordingFiles {
  readonly path: string;
  /** Opens the file for reading. */
  readonly open: () => Promise<FileHandle>;
  readonly size: number;
  /** When the file was created: the begin of a recording without a `.meta` file. */
  readonly created: UnixSeconds;
  readonly meta: string | undefined;
  readonly cuts: string | undefined;
  /** Undefined also if it is empty. */
  readonly accessPoints: string | undefined;
  readonly event: string | undefined;
}

const streamExtensions = new Set(['.ts', '.trp', '.m2ts', '.mts']);
/** Whether a file has packets of 188 bytes, by its name. */
export const isIndexable = (name: string) => /\.(ts|trp)$/i.test(name);

/** Reads a recording from its files. Unreadable files count as missing. */
export async function readRecording(
  files: RecordingFiles,
  eventOfFile: (bytes: Uint8Array) => GuideEvent | null,
): Promise<Recording> {
  const { path, size, created } = files;
  const [metaBytes, cutsBytes, eventBytes] = await Promise.all([
    bytesOf(files.meta),
    bytesOf(files.cuts),
    bytesOf(files.event),
  ]);
  const meta = metaBytes && parseMeta(metaBytes);
  const event = (eventBytes && eventOfFile(eventBytes)) ?? null;
  const cuts = cutsBytes ? parseCuts(cutsBytes) : [];
  const length = await lengthOf(files, meta);
  return {
    path,
    reference: recordingReference(path),
    title: meta?.title || event?.title || basename(path, extname(path)),
    description: meta?.description || (event?.shortText ?? ''),
    extendedText: event?.extendedText ?? '',
    service: meta?.service?.dvb && meta.service,
    serviceName: meta?.service?.name ?? '',
    begin: meta?.begin ?? created,
    length,
    lastSeen: lastSeen(cuts, length),
    tags: meta?.tags ?? [],
    size,
    scrambled: meta?.scrambled ?? false,
    described: meta !== undefined,
    isIndexed: files.accessPoints !== undefined,
    cuts,
    event,
  };
}

/** The reference that plays a file: type 1 for transport streams, that of a media player for all others. */
export function recordingReference(path: string): ServiceReference {
  return ServiceReference.of({ type: streamExtensions.has(extname(path).toLowerCase()) ? 1 : 4097, path });
}

/** Bytes of a side file; undefined if there is none or it cannot be read. */
async function bytesOf(path: string | undefined): Promise<Uint8Array | undefined> {
  if (path === undefined) return undefined;
  return readSideFile(path).catch(() => undefined);
}

/** Seconds: from the `.meta` file if its size is current; else from the access points, else from the PCR. */
async function lengthOf(files: RecordingFiles, meta: RecordingMeta | undefined): Promise<number | undefined> {
  const { path, size } = files;
  if (meta?.length?.size === size) return meta.length.seconds;
  const points = await bytesOf(files.accessPoints);
  const ticks = points ? lengthByAccessPoints(points, size) : 0;
  if (ticks > 0) return Math.round(ticks / ticksPerSecond);
  if (!streamExtensions.has(extname(path).toLowerCase())) return undefined;
  const file = await files.open().catch(() => undefined);
  try {
    return await (file && streamLength(file, size));
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

function lastSeen(cuts: readonly Cut[], length: number | undefined): number {
  const stopped = cuts.find(({ kind }) => kind === 3);
  if (stopped === undefined || !length) return 0;
  return Math.min(100, Math.floor((100 * stopped.position) / (length * ticksPerSecond)));
}
