/**
 * The `.cuts` file beside a recording: its marks. 12 bytes per entry, big endian: position 64 (ticks of 90 kHz from the
 * beginning), kind 32.
 */

/** 0: playback starts here, 1: playback ends here, 2: a mark, 3: where playback stopped. */
export type CutKind = 0 | 1 | 2 | 3;

export interface Cut {
  readonly kind: CutKind;
  /** Ticks of 90 kHz from the beginning of the recording. */
  readonly position: number;
}

const entrySize = 12;

/**
 * Parses a `.cuts` file up to the first invalid entry, sorted by position. Of several kind-3 entries, the last one
 * counts.
 */
export function parseCuts(bytes: Uint8Array): Cut[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cuts: Cut[] = [];
  let stopped: Cut | undefined;
  for (let at = 0; at + entrySize <= view.byteLength; at += entrySize) {
    const position = Number(view.getBigUint64(at));
    const kind = view.getUint32(at + 8);
    if (kind > 3 || !Number.isSafeInteger(position)) break;
    const cut = { kind: kind as CutKind, position };
    if (kind === 3) stopped = cut;
    else cuts.push(cut);
  }
  if (stopped) cuts.push(stopped);
  return cuts.sort((a, b) => a.position - b.position || a.kind - b.kind);
}

/** The bytes of a `.cuts` file with these marks, sorted by position. */
export function formatCuts(cuts: readonly Cut[]): Uint8Array {
  const sorted = [...cuts].sort((a, b) => a.position - b.position || a.kind - b.kind);
  const view = new DataView(new ArrayBuffer(sorted.length * entrySize));
  for (const [n, { position, kind }] of sorted.entries()) {
    view.setBigUint64(n * entrySize, BigInt(position));
    view.setUint32(n * entrySize + 8, kind);
  }
  return new Uint8Array(view.buffer);
}
