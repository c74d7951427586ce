/** The buffers of answers, which are reused by the next response. */
import { describe, expect, it } from 'vitest';
import type { EventPiece } from '../../src/base/native.ts';
import { EventResponse, takeBuffer } from '../../src/epg/event-response.ts';

describe('a response whose client has left', () => {
  it('keeps its buffer until the piece that is being written is complete', async () => {
    const first = takeBuffer();
    let complete: (piece: EventPiece) => void = () => undefined;
    let second: Buffer | undefined;
    const next = (memory: Buffer) => {
      second = memory;
      return new Promise<EventPiece>((resolve) => {
        complete = resolve;
      });
    };
    const response = new EventResponse({ bytes: first, size: 0, total: 0, rows: 0, next }, first);
    const pieces = response.bytes();
    await pieces.next();
    const awaited = pieces.next();
    const ended = response.end();
    expect([first, second]).not.toContain(takeBuffer());
    complete({ bytes: second as unknown as Buffer, size: 0, total: 0, rows: 0 });
    await Promise.all([awaited, ended]);
    expect(new Set([takeBuffer(), takeBuffer()])).toEqual(new Set([first, second]));
  });
});
