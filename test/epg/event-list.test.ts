/** The memory of answers, which one response hands on to the next. */
import { describe, expect, it } from 'vitest';
import type { EventPiece } from '../../src/base/native.ts';
import { EventAnswer, takeMemory } from '../../src/epg/event-list.ts';

describe('an answer whose client has left', () => {
  it('keeps its memory until the piece that is being written is complete', async () => {
    const first = takeMemory();
    let complete: (piece: EventPiece) => void = () => undefined;
    let second: Buffer | undefined;
    const next = (memory: Buffer) => {
      second = memory;
      return new Promise<EventPiece>((resolve) => {
        complete = resolve;
      });
    };
    const answer = new EventAnswer({ bytes: first, size: 0, total: 0, rows: 0, next }, first);
    const pieces = answer.bytes();
    await pieces.next();
    const awaited = pieces.next();
    const ended = answer.end();
    expect([first, second]).not.toContain(takeMemory());
    complete({ bytes: second as unknown as Buffer, size: 0, total: 0, rows: 0 });
    await Promise.all([awaited, ended]);
    expect(new Set([takeMemory(), takeMemory()])).toEqual(new Set([first, second]));
  });
});
