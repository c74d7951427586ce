/** The files beside a recording: .meta, .cuts and .ap. */
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthByAccessPoints } from '../../src/recordings/files/access-points-file.ts';
import { type Cut, type CutKind, formatCuts, parseCuts } from '../../src/recordings/files/cuts-file.ts';
import { editMeta, formatMeta, oneTag, parseMeta } from '../../src/recordings/files/meta-file.ts';
import { Tags } from '../../src/recordings/files/tags.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { accessPointsFile } from '../fixtures/recordings.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const meta = (...lines: string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));
const whole = meta(
  '1:0:19:2B66:3F3:1:C00000:0:0:0::Alpha HD',
  'Ships',
  'Episode 3',
  '1767290220',
  'EPG GenreId=0x23',
  '286200000',
  '2147483648',
  'f:0,c:000100',
  '188',
  '1',
  'an unknown line',
);

describe('the meta file of a new recording', () => {
  const begun = {
    service: ServiceReference.parse('1:0:19:2B66:3F3:1:C00000:0:0:0::Alpha HD'),
    title: 'Ships',
    description: 'Episode 3\nof 8',
    begin: 1767290220,
    tags: ['EPG', 'two words'],
    serviceData: 'f:0,c:000100',
  };

  it('has ten lines and no length', () => {
    expect(Buffer.from(formatMeta(begun)).toString()).toBe(
      '1:0:19:2B66:3F3:1:C00000:0:0:0::Alpha HD\nShips\nEpisode 3 of 8\n1767290220\nEPG two_words\n0\n0\nf:0,c:000100\n188\n0\n',
    );
    const ended = editMeta(formatMeta(begun), {
      length: { ticks: 286200000, size: 1880 },
      scrambled: true,
      remark: 'receiverd: 188 bytes lost',
    });
    expect(Buffer.from(ended).toString().split('\n').slice(5)).toEqual([
      '286200000',
      '1880',
      'f:0,c:000100',
      '188',
      '1',
      'receiverd: 188 bytes lost',
      '',
    ]);
    expect(parseMeta(ended)).toMatchObject({ length: { seconds: 3180, size: 1880 }, scrambled: true, title: 'Ships' });
  });

  it('is read back as written', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(text),
        fc.integer({ min: 1, max: 2 ** 33 }),
        (title, description, tags, begin) => {
          const meta = parseMeta(formatMeta({ ...begun, title, description, tags, begin }));
          const line = (one: string) =>
            [...one.replace(/[\r\n]+/g, ' ')].filter((c) => (c >= ' ' && c !== '\x7f') || c === '\t').join('');
          expect(meta.begin).toBe(begin);
          expect(meta.title).toBe(line(title));
          expect(meta.description).toBe(line(description));
          expect(meta.tags).toEqual(tags.map((tag) => oneTag(tag)).filter((tag) => tag !== ''));
          expect(meta.service?.format()).toBe(begun.service.format());
        },
      ),
    );
  });
});

describe('a meta file', () => {
  it('describes the recording', () => {
    const { service, ...rest } = parseMeta(whole);
    expect(service?.format()).toBe('1:0:19:2B66:3F3:1:C00000:0:0:0::Alpha HD');
    expect(rest).toEqual({
      title: 'Ships',
      description: 'Episode 3',
      begin: 1767290220,
      tags: ['EPG', 'GenreId=0x23'],
      length: { seconds: 3180, size: 2147483648 },
      scrambled: true,
    });
  });

  it.each([
    ['nothing at all', ''],
    ['five lines', '1:0:1:1:1:1:0:0:0:0:\nTitle\n\n1700000000\nNews\n'],
    ['CRLF', '1:0:1:1:1:1:0:0:0:0:\r\nTitle\r\n\r\n1700000000\r\nNews\r\n'],
    ['no final line end', '1:0:1:1:1:1:0:0:0:0:\nTitle\n\n1700000000\nNews'],
    ['no numbers', '\n\n\n-1\n\nabc\n1e9\n\n\n7\n'],
  ])('may have %s', (name, text) => {
    const read = parseMeta(Buffer.from(text));
    expect(read.length).toBeUndefined();
    expect(read.scrambled).toBe(false);
    expect([read.title, read.begin, read.tags]).toEqual(
      name === 'nothing at all' || name === 'no numbers' ? ['', undefined, []] : ['Title', 1700000000, ['News']],
    );
  });

  it('has no length while the recording is written', () => {
    expect(parseMeta(meta('', '', '', '', '', '0', '2048')).length).toBeUndefined();
    expect(parseMeta(meta('', '', '', '', '', '90000', '0')).length).toBeUndefined();
  });

  it('keeps all unchanged lines', () => {
    const edited = Buffer.from(editMeta(whole, { title: 'Boats\nand more', tags: ['a b', 'EPG'] })).toString();
    expect(edited).toBe(
      whole.toString().replace('\nShips\n', '\nBoats and more\n').replace('EPG GenreId=0x23', 'a_b EPG'),
    );
    const lines = Buffer.from('ref\r\nTitle');
    expect(Buffer.from(editMeta(lines, { tags: ['x'] })).toString()).toBe('ref\r\nTitle\r\n\r\n\r\nx\r\n');
    expect(Buffer.from(editMeta(Buffer.of(), { description: 'é' })).toString()).toBe('\n\né\n');
  });

  it('is read back as written, whatever the content', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.uint8Array(), text, text, fc.array(text), (before, title, description, tags) => {
        const read = parseMeta(editMeta(before, { title, description, tags }));
        const line = (given: string) => parseMeta(editMeta(Buffer.of(), { title: given })).title;
        expect(read.title).toBe(line(title));
        expect(read.description).toBe(line(description));
        expect(read.tags).toEqual(tags.map(oneTag).join(' ').split(' ').filter(Boolean));
        const again = parseMeta(
          editMeta(before, { title: read.title, description: read.description, tags: read.tags }),
        );
        expect(again).toEqual(read);
      }),
    );
  });
});

describe('a cuts file', () => {
  const cuts: readonly Cut[] = [
    { kind: 0, position: 0 },
    { kind: 2, position: 900_000 },
    { kind: 3, position: 81_000_000 },
    { kind: 1, position: 2 ** 40 },
  ];

  it('returns its marks in order, and only the last position where playback stopped', () => {
    const unsorted = Buffer.concat([
      formatCuts([{ kind: 3, position: 5 }]),
      ...[...cuts].reverse().map((cut) => formatCuts([cut])),
    ]);
    expect(parseCuts(unsorted)).toEqual(cuts);
  });

  it('ends before the first invalid entry', () => {
    const bytes = Buffer.from(formatCuts(cuts));
    for (let size = 0; size < bytes.length; size++) {
      expect(parseCuts(bytes.subarray(0, size))).toEqual(cuts.slice(0, Math.floor(size / 12)));
    }
    bytes.writeUInt32BE(4, 8 + 12 * 2);
    expect(parseCuts(bytes)).toEqual(cuts.slice(0, 2));
    expect(parseCuts(Buffer.alloc(12, 0xff))).toEqual([]);
  });

  it('is read back as written', () => {
    const cut = fc.record({
      kind: fc.constantFrom<CutKind>(0, 1, 2),
      position: fc.maxSafeNat(),
    });
    fc.assert(
      fc.property(fc.array(cut), fc.option(fc.maxSafeNat()), (marks, left) => {
        const all = left === null ? marks : [...marks, { kind: 3 as const, position: left }];
        const read = parseCuts(formatCuts(all));
        expect(new Set(read)).toEqual(new Set(all));
        expect(formatCuts(read)).toEqual(formatCuts(all));
      }),
    );
  });
});

describe('access points', () => {
  const seconds = (...entries: [number, number][]) => lengthByAccessPoints(accessPointsFile(entries), 0) / 90_000;
  const pts = (time: number) => Math.round(time * 90_000) % 2 ** 33;

  it('give the time from the first to the last', () => {
    expect(seconds([0, pts(100)], [188, pts(101)], [376, pts(105)])).toBe(5);
    expect(seconds([0, pts(100)])).toBe(0);
    expect(seconds()).toBe(0);
    const toEnd = (size: number) =>
      lengthByAccessPoints(
        accessPointsFile([
          [188, pts(100)],
          [1188, pts(105)],
        ]),
        size,
      ) / 90_000;
    expect(toEnd(1588)).toBe(7);
    // The points do not reach the end.
    expect(toEnd(100_000)).toBe(0);
  });

  it('continue after a clock reset', () => {
    const end = 2 ** 33 / 90_000;
    expect(seconds([0, pts(end - 2)], [188, pts(end - 1)], [376, pts(0)], [564, pts(3)])).toBeCloseTo(5, 1);
    expect(seconds([0, pts(100)], [188, pts(104)], [376, pts(5000)], [564, pts(5003)])).toBe(7);
    expect(seconds([0, pts(100)], [188, pts(104)], [376, pts(98)], [564, pts(101)])).toBe(7);
  });

  it('may be truncated', () => {
    const bytes = accessPointsFile([
      [0, pts(1)],
      [188, pts(3)],
    ]);
    expect(lengthByAccessPoints(bytes.subarray(0, 31), 0)).toBe(0);
  });
});

describe('the list of tags', () => {
  it('is read back as written', async () => {
    const path = join(temporaryFolder(), 'movietags');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 }), async (tags) => {
        await rm(path, { force: true });
        const written = await Tags.read(path);
        await written.change({ add: tags });
        const known = [...new Set(tags.map(oneTag))].filter((tag) => tag !== '');
        expect(written.all.map(bytes)).toEqual(known.map(bytes));
        expect((await Tags.read(path)).all).toEqual(known.map(bytes));
      }),
      { numRuns: 50 },
    );
  });

  it('is neither lost nor changed if its file cannot be read', async () => {
    const path = join(temporaryFolder(), 'movietags');
    execFileSync('mkfifo', [path]);
    const tags = await Tags.read(path);
    expect([tags.all, tags.problem]).toEqual([[], `${path}: is not a regular file`]);
    await expect(tags.change({ add: ['x'] })).rejects.toMatchObject({ code: 'file-unreadable' });
  });
});

/** The UTF-8 bytes of a text as a latin1 string. */
const bytes = (text: string) => Buffer.from(text).toString();
