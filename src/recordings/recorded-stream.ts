/**
 * A recording as one stream from a position on, which begins with PAT and PMT and a picture at which a decoder can start,
 * and follows a recording that is still being written; or as pieces of such a stream.
 */
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type AccessPoint, accessPointsOf } from './access-points-file.ts';
import type { RecordingFolders } from './folders.ts';
import { ticksPerSecond } from './meta-file.ts';
import type { Recording } from './recording.ts';
import { readBeside } from './recording-files.ts';

/** Bytes per read. */
const piece = 188 * 1024;
const packetSize = 188;
/** Packets at the beginning of a file among which PAT and PMT are looked for. */
const mostTables = 64;
/** Milliseconds between looks at a file that grows. */
const pace = 500;

export interface RecordedStream {
  /** Seconds from the beginning of the recording: at the position or before it. */
  readonly begin: number;
  /** The packets, at the pace of the reader. Leaving the loop closes the file. */
  readonly packets: AsyncIterable<Buffer>;
}

/** Seconds from the beginning of the recording. Each of the two stands for the picture at it, or before it. */
export interface Stretch {
  readonly from: number;
  /** Excluded; absent: to the end of the recording. */
  readonly until?: number | undefined;
}

type Recorded = Pick<Recording, 'path' | 'length' | 'size'>;

/**
 * `isGrowing`: asked at the end of the file, whether more is being written.
 * @throws ReceiverError of `folders` if the file cannot be opened
 */
export async function recordedStream(
  folders: Pick<RecordingFolders, 'open'>,
  recording: Recorded,
  { from, until }: Stretch,
  isGrowing: () => boolean,
): Promise<RecordedStream> {
  const at = await placesOf(recording);
  const { offset, time } = at(from);
  const end = until === undefined ? Number.POSITIVE_INFINITY : at(until).offset;
  const open = () => folders.open(recording.path);
  return { begin: time / ticksPerSecond, packets: read(open, { offset, end }, isGrowing) };
}

/** A piece of a recording, and its seconds. */
export interface RecordedPiece extends Stretch {
  readonly duration: number;
}

/** Seconds of a piece: it ends at the picture at the next multiple of these, or before it. */
const pieceLength = 6;

/**
 * The pieces that make up a recording, those of one that is still being written as far as they are complete. Most pieces
 * are 6 s long. None is empty.
 */
export async function recordedPieces(recording: Recorded, isGrowing: boolean): Promise<RecordedPiece[]> {
  const at = await placesOf(recording);
  const length = recording.length ?? 0;
  const pieces: RecordedPiece[] = [];
  let from = { second: 0, ...at(0) };
  for (let second = pieceLength; second < length; second += pieceLength) {
    const next = { second, ...at(second) };
    if (next.offset <= from.offset) continue;
    pieces.push({ from: from.second, until: second, duration: (next.time - from.time) / ticksPerSecond });
    from = next;
  }
  if (!isGrowing) pieces.push({ from: from.second, duration: Math.max(0, length - from.time / ticksPerSecond) });
  return pieces;
}

/** Tells the place of a second in a recording: its last access point before the first later one. For rising seconds. */
async function placesOf({ path, length, size }: Recorded): Promise<(seconds: number) => AccessPoint> {
  const bytes = await readBeside(`${path}.ap`).catch(() => undefined);
  const points = bytes ? accessPointsOf(bytes) : [];
  let found = 0;
  return (seconds) => {
    const isReached = (point: AccessPoint | undefined) => point !== undefined && point.time <= seconds * ticksPerSecond;
    while (isReached(points[found + 1])) found++;
    return points[found] ?? estimated(seconds, length, size);
  };
}

/** Of a recording without access points: as if all its seconds had the same size. */
function estimated(seconds: number, length: number | undefined, size: number): AccessPoint {
  const part = length ? Math.min(1, seconds / length) : 0;
  const offset = Math.floor((part * size) / packetSize) * packetSize;
  return { offset, time: part * (length ?? 0) * ticksPerSecond };
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
      // Asked before the end is found: what was written until then is read.
      const goesOn = isGrowing();
      const wanted = Math.min(piece, end - position);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
      position += bytesRead;
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      else if (goesOn) await pause(pace);
      else return;
    }
  } finally {
    await file.close();
  }
}

/** The first packets of PAT and PMT, which a decoder needs first, and which come again only later; empty without. */
async function tables(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(mostTables * packetSize), 0, undefined, 0);
  const packets = Array.from({ length: Math.floor(bytesRead / packetSize) }, (_, n) =>
    buffer.subarray(n * packetSize, (n + 1) * packetSize),
  );
  const pat = packets.findIndex((packet) => pidOf(packet) === 0);
  const pmtPid = pat < 0 ? undefined : pmtPidOf(packets[pat] as Buffer);
  const pmt = packets.findIndex((packet, n) => n > pat && pidOf(packet) === pmtPid);
  if (pmt < 0) return Buffer.alloc(0);
  // A long PMT takes several packets.
  const last = packets.findIndex((packet, n) => n > pmt && pidOf(packet) !== pmtPid);
  return Buffer.concat([packets[pat] as Buffer, ...packets.slice(pmt, last < 0 ? undefined : last)]);
}

const pidOf = (packet: Buffer) => (packet[0] === 0x47 ? packet.readUInt16BE(1) & 0x1fff : -1);

/** Of the first programme in a PAT of one packet (ISO/IEC 13818-1 §2.4.4.3); undefined if there is none. */
function pmtPidOf(packet: Buffer): number | undefined {
  const section = 5 + (packet[4] ?? 0);
  for (let at = section + 8; at + 4 <= packetSize; at += 4) {
    if (packet.readUInt16BE(at) !== 0) return packet.readUInt16BE(at + 2) & 0x1fff;
  }
  return undefined;
}
