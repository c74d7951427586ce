/** Reading a growing timeshift as one stream. */
import { rmSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Segment } from '../../src/timeshift/reading.ts';
import { readSegmentsFrom, type SegmentSource } from '../../src/timeshift/reading.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const packet = 188;
const bytes = (value: number, packets: number) => Buffer.alloc(packets * packet, value);

/** A series of segment files, each with a head of packets of `0xff`. */
class Row implements SegmentSource {
  readonly #folder = temporaryFolder();
  segments: Segment[] = [];
  growing: Segment = this.#segment(1, 0, 0);
  isClosed = false;
  #waiting: (() => void)[] = [];

  /** Appends packets filled with its number to the growing segment, with the head first if it is empty. */
  async write(packets: number, head = 2): Promise<void> {
    const { sequence, path, bytes: before } = this.growing;
    const added = Buffer.concat([bytes(0xff, before === 0 ? head : 0), bytes(sequence, packets)]);
    await appendFile(path, added);
    this.growing = { ...this.growing, bytes: before + added.length, head: head * packet };
    this.#tell();
  }

  next(): void {
    this.segments = [...this.segments, this.growing];
    this.growing = this.#segment(this.growing.sequence + 1, 0, 0);
    this.#tell();
  }

  drop(): void {
    const [first, ...rest] = this.segments;
    if (first) rmSync(first.path);
    this.segments = rest;
    this.#tell();
  }

  close(): void {
    this.isClosed = true;
    this.#tell();
  }

  segment(sequence: number): Segment | undefined {
    const found = [...this.segments, this.growing].find((one) => one.sequence === sequence);
    return found && found.bytes > 0 ? found : undefined;
  }

  /** Resolves after a while even without new data: data that arrived before the call is not reported again. */
  more(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      setTimeout(resolve, 20);
    });
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #segment(sequence: number, head: number, size: number): Segment {
    const path = join(this.#folder, `${sequence}.ts`);
    writeFileSync(path, '');
    return { sequence, path, head, bytes: size, duration: 4, begin: sequence * 4, discontinuity: false, parts: [] };
  }
}

const reader = (row: Row, from: number) => {
  const stream = readSegmentsFrom(row, from);
  onTestFinished(async () => {
    row.close();
    await stream.return();
  });
  return {
    stream,
    /** Reads this many packets. */
    async take(packets: number): Promise<Buffer> {
      const parts: Buffer[] = [];
      for (let have = 0; have < packets * packet; ) {
        const { value, done } = await stream.next();
        if (done || !value) break;
        parts.push(value);
        have += value.length;
      }
      return Buffer.concat(parts);
    },
  };
};

describe('reading from a segment', () => {
  it('begins with the head of the first segment and skips the heads of the others, while they grow', async () => {
    const row = new Row();
    await row.write(10);
    row.next();
    await row.write(5);
    const { take } = reader(row, 1);
    expect(await take(17)).toEqual(Buffer.concat([bytes(0xff, 2), bytes(1, 10), bytes(2, 5)]));
    const further = take(7);
    await row.write(3);
    row.next();
    await row.write(4);
    expect(await further).toEqual(Buffer.concat([bytes(2, 3), bytes(3, 4)]));
  });

  it('continues with the oldest segment, including its head, if the next one was removed', async () => {
    const row = new Row();
    for (let i = 0; i < 5; i++) {
      await row.write(2000);
      row.next();
    }
    await row.write(1);
    const { take } = reader(row, 1);
    expect((await take(1024)).subarray(0, 2 * packet).equals(bytes(0xff, 2))).toBe(true);
    for (let i = 0; i < 3; i++) row.drop();
    // A segment that is being read is read to its end.
    expect((await take(2002 - 1024)).equals(bytes(1, 2002 - 1024))).toBe(true);
    expect((await take(1024)).subarray(0, 3 * packet)).toEqual(Buffer.concat([bytes(0xff, 2), bytes(4, 1)]));
  });

  it('ends with the timeshift, after the stored data', async () => {
    const row = new Row();
    await row.write(10);
    const { stream, take } = reader(row, 1);
    await take(12);
    const end = stream.next();
    await row.write(2);
    expect((await end).value).toEqual(bytes(1, 2));
    const last = stream.next();
    row.close();
    expect(await last).toEqual({ value: undefined, done: true });
  });

  it('serves several readers at different positions independently', async () => {
    const row = new Row();
    for (let i = 0; i < 3; i++) {
      await row.write(20);
      row.next();
    }
    const one = reader(row, 1);
    const other = reader(row, 3);
    expect((await other.take(22)).subarray(2 * packet)).toEqual(bytes(3, 20));
    expect((await one.take(62)).subarray(2 * packet)).toEqual(
      Buffer.concat([bytes(1, 20), bytes(2, 20), bytes(3, 20)]),
    );
  });
});
