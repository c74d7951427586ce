/**
 * Streams a recording from any position, as a whole or in pieces. A stream begins with PAT, PMT and a picture at which
 * a decoder can start. It continues while the recording is still being written.
 */
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type AccessPoint, accessPointsOf, maxStepTicks } from './files/access-points-file.ts';
import type { Span } from './files/breaks.ts';
import { ticksPerSecond } from './files/meta-file.ts';
import type { Recording } from './files/recording.ts';
import { readSideFile } from './files/recording-files.ts';
import type { RecordingFolders } from './library/folders.ts';

/** Bytes per read. */
const chunkBytes = 188 * 1024;
const packetSize = 188;
/** Packets at the beginning of a file that are searched for PAT and PMT. */
const maxTablePackets = 64;
/** Milliseconds before the end of a growing file is read again. */
const retryDelayMs = 500;

export interface RecordedStream {
  /** Seconds from the beginning of the recording at which the stream begins: at the requested position or before it. */
  readonly begin: number;
  /** Packets, read on demand. Ending the iteration closes the file. */
  readonly packets: AsyncIterable<Buffer>;
}

/** A range of a recording in seconds from its beginning. Each limit is moved back to the previous access point. */
export interface RecordedRange {
  readonly from: number;
  /** Exclusive; undefined: to the end of the recording. */
  readonly until?: number | undefined;
}

type Recorded = Pick<Recording, 'path' | 'length' | 'size'>;
type Folders = Pick<RecordingFolders, 'open' | 'inFolder'>;

/**
 * Streams a range of a recording. `isGrowing`: whether the file is still being written.
 * @throws ReceiverError like `RecordingFolders.open`
 */
export async function recordedStream(
  folders: Folders,
  recording: Recorded,
  { from, until }: RecordedRange,
  isGrowing: () => boolean,
): Promise<RecordedStream> {
  const at = await accessPointFinder(folders, recording);
  const { offset, time } = at(from);
  const end = until === undefined ? Number.POSITIVE_INFINITY : at(until).offset;
  const open = () => folders.open(recording.path);
  return { begin: time / ticksPerSecond, packets: read(open, { offset, end }, isGrowing) };
}

/** A piece of a recording. */
export interface RecordedPiece extends RecordedRange {
  /** Seconds. */
  readonly duration: number;
}

/** A piece ends at the last access point before a multiple of this many seconds. */
const pieceSeconds = 6;

/**
 * The pieces that make up a recording, without the last, incomplete one while it is being written. Most pieces are 6 s
 * long; none is empty.
 */
export async function recordedPieces(
  folders: Folders,
  recording: Recorded,
  isGrowing: boolean,
): Promise<RecordedPiece[]> {
  const at = await accessPointFinder(folders, recording);
  const length = recording.length ?? 0;
  const pieces: RecordedPiece[] = [];
  let from = { second: 0, ...at(0) };
  for (let second = pieceSeconds; second < length; second += pieceSeconds) {
    const next = { second, ...at(second) };
    if (next.offset <= from.offset) continue;
    pieces.push({ from: from.second, until: second, duration: (next.time - from.time) / ticksPerSecond });
    from = next;
  }
  if (!isGrowing) pieces.push({ from: from.second, duration: Math.max(0, length - from.time / ticksPerSecond) });
  return pieces;
}

/** A piece that is shorter contains no access point of its own. */
const minPieceSeconds = 1;

/** The parts of the pieces within these spans, in order. `isBreak`: something is left out before it. */
export function piecesWithin(
  pieces: readonly RecordedPiece[],
  spans: readonly Span[],
  length: number,
): readonly (RecordedPiece & { readonly isBreak: boolean })[] {
  return spans.flatMap(({ begin, end }, span) =>
    pieces
      .map((piece) => {
        const [from, until] = [Math.max(piece.from, begin), Math.min(piece.until ?? length, end)];
        const isSame = from === piece.from && until === (piece.until ?? length);
        return isSame ? piece : { from, ...(until < length && { until }), duration: until - from };
      })
      .filter(({ duration }) => duration >= minPieceSeconds)
      .map((piece, n) => ({ ...piece, isBreak: span > 0 && n === 0 })),
  );
}

/** Returns a function that finds the last access point at or before a time. It must be called with ascending times. */
export async function accessPointFinder(
  folders: Folders,
  { path, length, size }: Recorded,
): Promise<(seconds: number) => AccessPoint> {
  const read = (at: string) => readSideFile(`${at}${basename(path)}.ap`);
  const bytes = await folders.inFolder(dirname(path), read).catch(() => undefined);
  const points = bytes ? accessPointsOf(bytes) : [];
  let found = 0;
  return (seconds) => {
    const isReached = (point: AccessPoint | undefined) => point !== undefined && point.time <= seconds * ticksPerSecond;
    while (isReached(points[found + 1])) found++;
    const point = points[found];
    const isNear = point !== undefined && seconds * ticksPerSecond - point.time <= maxStepTicks;
    return isNear ? point : estimated(seconds, point, length, size);
  };
}

/** The position of a time after the last access point, assuming a constant bit rate from there to the end. */
function estimated(
  seconds: number,
  { offset, time }: AccessPoint = { offset: 0, time: 0 },
  length: number | undefined,
  size: number,
): AccessPoint {
  const ticks = (length ?? 0) * ticksPerSecond - time;
  const part = ticks > 0 ? Math.min(1, (seconds * ticksPerSecond - time) / ticks) : 0;
  const bytes = Math.max(0, size - offset);
  return {
    offset: offset + Math.floor((part * bytes) / packetSize) * packetSize,
    time: time + part * Math.max(0, ticks),
  };
}

async function* read(
  open: () => Promise<FileHandle>,
  { offset, end }: { readonly offset: number; readonly end: number },
  isGrowing: () => boolean,
): AsyncGenerator<Buffer, void, undefined> {
  const file = await open();
  try {
    if (offset > 0) yield await tables(file);
    for (let position = offset; position < end; ) {
      // Checked before reading: data written until the recording ended must not be missed.
      const continues = isGrowing();
      const wanted = Math.min(chunkBytes, end - position);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
      position += bytesRead;
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      else if (continues) await pause(retryDelayMs);
      else return;
    }
  } finally {
    await file.close();
  }
}

/** The first packets of PAT and PMT in the file, which a decoder needs first; empty if there are none. */
async function tables(file: FileHandle): Promise<Buffer> {
  const { head, places } = await findTables(file);
  return Buffer.concat(places.map(([from, until]) => head.subarray(from, until)));
}

/** Where the first PAT and PMT are in the file, in bytes; empty if there are none. */
export const tablePlaces = async (file: FileHandle) => (await findTables(file)).places;

async function findTables(file: FileHandle) {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(maxTablePackets * packetSize), 0, undefined, 0);
  const packets = Array.from({ length: Math.floor(bytesRead / packetSize) }, (_, n) =>
    buffer.subarray(n * packetSize, (n + 1) * packetSize),
  );
  const pat = packets.findIndex((packet) => pidOf(packet) === 0);
  const pmtPid = pat < 0 ? undefined : pmtPidOf(packets[pat] as Buffer);
  const pmt = packets.findIndex((packet, n) => n > pat && pidOf(packet) === pmtPid);
  // A long PMT takes several packets.
  const other = packets.findIndex((packet, n) => n > pmt && pidOf(packet) !== pmtPid);
  const end = other < 0 ? packets.length : other;
  const places: readonly (readonly [from: number, until: number])[] =
    pmt < 0
      ? []
      : [
          [pat * packetSize, (pat + 1) * packetSize],
          [pmt * packetSize, end * packetSize],
        ];
  return { head: buffer, places };
}

const pidOf = (packet: Buffer) => (packet[0] === 0x47 ? packet.readUInt16BE(1) & 0x1fff : -1);

/** The PID of the first PMT in a PAT of one packet (ISO/IEC 13818-1 §2.4.4.3); undefined if there is none. */
function pmtPidOf(packet: Buffer): number | undefined {
  const section = 5 + (packet[4] ?? 0);
  for (let at = section + 8; at + 4 <= packetSize; at += 4) {
    if (packet.readUInt16BE(at) !== 0) return packet.readUInt16BE(at + 2) & 0x1fff;
  }
  return undefined;
}
