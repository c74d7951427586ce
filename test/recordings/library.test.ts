/** The recording library: folders, metadata, lists and edits. */
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Guide } from '../../src/epg/guide.ts';
import { addMark, changeMeta } from '../../src/recordings/files/recording-files.ts';
import { streamLength } from '../../src/recordings/files/stream-length.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { recordedPieces, recordedStream } from '../../src/recordings/recorded-stream.ts';
import { accessPointsFile, streamWithClock, writeRecording } from '../fixtures/recordings.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { transportStream } from '../fixtures/transport-stream.ts';
import { until } from '../fixtures/waits.ts';

const guide = new Guide({ clock: { now: () => 0, synchronised: true } });

function open(...names: string[]) {
  const root = temporaryFolder();
  const folders = new RecordingFolders((names.length > 0 ? names : ['movie']).map((name) => join(root, name)));
  for (const folder of folders.all) mkdirSync(folder, { recursive: true });
  return { root, folders, library: new RecordingLibrary(folders, (bytes) => guide.eventOfFile(bytes)) };
}

const meta = (title: string, begin: number, { length = 0, size = 0, tags = '' } = {}) => [
  '1:0:19:2B66:3F3:1:C00000:0:0:0::Alpha HD',
  title,
  'Short text',
  String(begin),
  tags,
  String(length),
  String(size),
];

describe('the recording folders', () => {
  it('are the only ones that can be reached', async () => {
    const { root, folders } = open('movie', 'usb');
    writeFileSync(join(root, 'secret'), '');
    writeFileSync(join(root, 'movie', 'a.ts'), '');
    symlinkSync(join(root, 'secret'), join(root, 'movie', 'link.ts'));
    symlinkSync(join(root, 'movie', 'a.ts'), join(root, 'movie', 'inner.ts'));
    for (const path of [
      '/etc/passwd',
      `${root}/secret`,
      `${root}/movie/../secret`,
      `${root}/movie2/a.ts`,
      '../secret',
      `${root}/movie/a\0.ts`,
      `${root}/movie/link.ts`,
    ]) {
      await expect(folders.resolveExisting(path), path).rejects.toMatchObject({ code: 'outside-locations' });
    }
    await expect(folders.resolveExisting(`${root}/movie/b.ts`)).rejects.toMatchObject({ code: 'not-found' });
    for (const path of [
      `${root}/movie/a.ts`,
      `${root}//movie/./x/../a.ts`,
      'a.ts',
      '/media/hdd/movie/a.ts',
      '//hdd/movie//a.ts',
    ]) {
      expect(await folders.resolveExisting(path), path).toBe(`${root}/movie/a.ts`);
    }
    expect(await folders.resolveExisting(`${root}/movie/inner.ts`)).toBe(`${root}/movie/inner.ts`);
    expect(await folders.resolveExisting('/media/hdd/movie')).toBe(`${root}/movie/`);
    expect(folders.resolve(`${root}/usb`)).toBe(`${root}/usb`);
  });

  it('may be those of a box', () => {
    const folders = new RecordingFolders(['/srv/movie', '/media/hdd/movie']);
    expect(folders.resolve('/media/hdd/movie/a.ts')).toBe('/media/hdd/movie/a.ts');
    expect(folders.resolve('/hdd/movie/a.ts')).toBe('/srv/movie/a.ts');
  });
});

it('reports a name that is not UTF-8 once, before and after the folder is watched', async () => {
  const { root, folders } = open();
  const reported: string[] = [];
  const library = new RecordingLibrary(
    folders,
    () => null,
    (path) => reported.push(path),
  );
  onTestFinished(() => library.stop());
  const inMovie = (name: string) => Buffer.concat([Buffer.from(join(root, 'movie/')), Buffer.from(name, 'latin1')]);
  writeFileSync(inMovie('B\xfcrger.ts'), new Uint8Array(188));
  writeFileSync(join(root, 'movie', 'Bürger.ts'), new Uint8Array(188));
  writeFileSync(join(root, 'movie', 'B\ufffd.ts'), new Uint8Array(188));
  const names = async () => (await library.all()).map(({ title }) => title).sort();
  for (let n = 0; n < 2; n++) expect(await names()).toEqual(['Bürger', 'B\ufffd']);
  expect(reported).toEqual([join(root, 'movie', 'B\ufffdrger.ts')]);
  writeFileSync(inMovie('\xdcber.ts'), new Uint8Array(188));
  await until(async () => {
    await names();
    expect(reported).toHaveLength(2);
  });
  expect(reported[1]).toBe(join(root, 'movie', '\ufffdber.ts'));
});

describe('a recording', () => {
  it('is described by its files', async () => {
    const { root, library } = open();
    const path = join(root, 'movie', 'Ships.ts');
    writeRecording(path, {
      meta: meta('Ships', 1_767_290_220, { length: 286_200_000, size: 188, tags: 'EPG News' }),
      cuts: [
        { kind: 2, position: 900_000 },
        { kind: 3, position: 28_620_000 },
      ],
      event: {
        id: 4711,
        start: 1_767_290_400,
        duration: 2700,
        title: 'Ships & Harbours',
        shortText: 'Episode 3',
        extendedText: 'Pilot boats.',
      },
    });
    const { service, reference, event, ...rest } = await library.find(path);
    expect(service?.serviceId).toBe(0x2b66);
    expect(reference.format()).toBe(`1:0:0:0:0:0:0:0:0:0:${path}`);
    expect(event).toMatchObject({ id: 4711, start: 1_767_290_400, duration: 2700, title: 'Ships & Harbours' });
    expect(rest).toEqual({
      path,
      title: 'Ships',
      description: 'Short text',
      extendedText: 'Pilot boats.',
      serviceName: 'Alpha HD',
      begin: 1_767_290_220,
      length: 3180,
      lastSeen: 10,
      tags: ['EPG', 'News'],
      size: 188,
      scrambled: false,
      described: true,
      isIndexed: false,
      cuts: [
        { kind: 2, position: 900_000 },
        { kind: 3, position: 28_620_000 },
      ],
    });
  });

  it('without side files is named after its file and begins when that was created', async () => {
    const { root, library } = open();
    const path = join(root, 'movie', 'Some film.mkv');
    writeRecording(path);
    const found = await library.find(path);
    expect(found).toMatchObject({ title: 'Some film', described: false, length: undefined, event: null, tags: [] });
    expect(found.reference.format()).toBe(`4097:0:0:0:0:0:0:0:0:0:${path}`);
    expect(found.begin).toBe(Math.floor(statSync(path).ctimeMs / 1000));
  });

  it('has the length of its meta file only while the size matches; else of its access points or its PCR', async () => {
    const { root, library } = open();
    const path = join(root, 'movie', 'a.ts');
    const content = streamWithClock([95_440, 95_443.5, 2]);
    const size = content.length;
    const pts = (time: number) => time * 90_000;
    writeRecording(path, {
      content,
      meta: meta('A', 1, { length: pts(60), size }),
      accessPoints: [
        [0, pts(10)],
        [size - 188, pts(19)],
      ],
    });
    expect((await library.find(path)).length).toBe(60);
    appendFileSync(path, new Uint8Array(188));
    expect((await library.find(path)).length).toBe(9);
    // Half of the recording was indexed.
    writeFileSync(
      `${path}.ap`,
      accessPointsFile([
        [0, pts(10)],
        [188, pts(19)],
      ]),
    );
    expect((await library.find(path)).length).toBe(6);
    rmSync(`${path}.ap`);
    // The 33 bits of the clock wrap after 95,443.7 s.
    expect((await library.find(path)).length).toBe(6);
  });

  describe('without side files, whose clock jumps,', () => {
    const bitRate = 400_000;
    const stream = (seconds: number) =>
      transportStream({
        ...{ transportStreamId: 1, originalNetworkId: 2, services: [{ serviceId: 1, name: 'One' }] },
        ...{ bitRate, seconds },
      });
    const minutes = stream(20 * 60);
    const part = (from: number, to: number) => {
      const at = (second: number) => Math.floor((second * bitRate) / 8 / 188) * 188;
      return minutes.subarray(at(from), at(to));
    };

    it.each([
      ['forwards', [part(0, 31), part(1150, 1180)], 61],
      ['backwards', [part(1000, 1040), part(0, 60)], 100],
      ['often', Array(9).fill(part(0, 20)), 180],
      ['in a short one', [part(0, 4), part(600, 604)], 8],
    ])('%s has the length of what it plays', async (_, parts, seconds) => {
      const { root, folders, library } = open();
      writeRecording(join(root, 'movie', 'a.ts'), { content: Buffer.concat(parts) });
      const recording = await library.find('a.ts');
      expect(Math.abs((recording.length ?? 0) - seconds)).toBeLessThanOrEqual(1);
      const pieces = await recordedPieces(folders, recording, false);
      expect(pieces).toHaveLength(Math.ceil((recording.length ?? 0) / 6));
      expect(pieces.reduce((sum, { duration }) => sum + duration, 0)).toBeCloseTo(recording.length ?? 0);
      const { begin } = await recordedStream(folders, recording, { from: seconds / 2 }, () => false);
      expect(begin).toBeCloseTo(seconds / 2, 0);
    });

    it('is not read as a whole', async () => {
      const size = 188 * 20_000_000;
      const jump = size * 0.37;
      let bytes = 0;
      /** A PCR in each packet, 1000 packets a second, and a day later behind the jump. */
      const read = async (buffer: Buffer, _: number, length: number, position: number) => {
        buffer.fill(0);
        for (let at = (188 - (position % 188)) % 188; at + 188 <= length; at += 188) {
          const base = ((position + at) / 188) * 90 + (position + at < jump ? 0 : 86_400 * 90_000);
          buffer.set([0x47, 0x01, 0x00, 0x20, 183, 0x10], at);
          buffer.writeUInt32BE(Math.floor(base / 2) % 2 ** 32, at + 6);
        }
        bytes += length;
        return { buffer, bytesRead: length };
      };
      expect(await streamLength({ read } as unknown as FileHandle, size)).toBe(20_000);
      expect(bytes).toBeLessThan(16 << 20);
    });
  });

  it.each([
    [
      'no clock',
      streamWithClock([1])
        .subarray(0, 188 * 2)
        .fill(0),
    ],
    ['one packet', streamWithClock([1], { apart: 1 })],
    ['an implausible clock', streamWithClock([0, 90_000], { apart: 10 })],
    ['no packets', new Uint8Array(100_000).fill(7)],
    ['no content', new Uint8Array(0)],
  ])('has an unknown length with %s', async (_, content) => {
    const { root, library } = open();
    writeRecording(join(root, 'movie', 'a.ts'), { content });
    expect([undefined, 0]).toContain((await library.find('a.ts')).length);
  });

  it('counts all parts of a split recording', async () => {
    const { root, library } = open();
    const path = join(root, 'movie', 'a.ts');
    writeRecording(path, { meta: meta('A', 1) });
    for (const part of ['001', '002', '004']) writeFileSync(`${path}.${part}`, new Uint8Array(1000));
    expect((await library.find(path)).size).toBe(2188);
  });

  it('is not found for any other file', async () => {
    const { root, library } = open();
    for (const name of ['a.ts.meta', 'a.txt', '.hidden.ts']) writeFileSync(join(root, 'movie', name), '');
    mkdirSync(join(root, 'movie', 'folder.ts'));
    expect((await library.list('/media/hdd/movie')).recordings).toEqual([]);
    for (const name of ['a.ts.meta', 'a.txt', '.hidden.ts', 'b.ts', 'folder.ts']) {
      await expect(library.find(name)).rejects.toMatchObject({ code: 'not-found' });
    }
  });
});

describe('the list of a folder', () => {
  it('is sorted newest first, folders by name; subfolders and trash on request', async () => {
    const { root, library } = open('movie', 'usb');
    const movie = join(root, 'movie');
    writeRecording(join(movie, 'old.ts'), { meta: meta('Old', 100) });
    writeRecording(join(movie, 'new.ts'), { meta: meta('New', 300) });
    writeRecording(join(movie, 'series', 'a.ts'), { meta: meta('Series', 200) });
    writeRecording(join(movie, '.Trash', 'gone.ts'), { meta: meta('Gone', 50) });
    writeRecording(join(root, 'usb', 'b.ts'), { meta: meta('Usb', 250) });
    const titles = async (...given: Parameters<RecordingLibrary['list']>) =>
      (await library.list(...given)).recordings.map(({ title }) => title);
    expect(await titles(movie)).toEqual(['New', 'Old']);
    expect((await library.list(movie)).folders).toEqual(['series']);
    expect(await titles(movie, { recursive: true })).toEqual(['New', 'Series', 'Old']);
    expect(await titles(movie, { recursive: true, trash: true })).toEqual(['New', 'Series', 'Old', 'Gone']);
    expect(await titles(`${movie}/.Trash`)).toEqual(['Gone']);
    expect((await library.all()).map(({ title }) => title)).toEqual(['New', 'Usb', 'Series', 'Old']);
    expect(await library.list(`${movie}/none`)).toEqual({ recordings: [], folders: [] });
    await expect(library.list('/etc')).rejects.toMatchObject({ code: 'outside-locations' });
  });

  it('does not follow links to folders', async () => {
    const { root, library } = open();
    writeRecording(join(root, 'elsewhere', 'a.ts'));
    symlinkSync(join(root, 'elsewhere'), join(root, 'movie', 'link'));
    symlinkSync(join(root, 'movie'), join(root, 'movie', 'circle'));
    expect((await library.list('/media/hdd/movie', { recursive: true })).recordings).toEqual([]);
  });

  it('reads only files that have changed', async () => {
    const { root, library } = open();
    const path = join(root, 'movie', 'a.ts');
    writeRecording(path, { meta: meta('Before', 1) });
    writeRecording(join(root, 'movie', 'b.ts'), { meta: meta('B', 2) });
    const before = (await library.list('/media/hdd/movie')).recordings;
    writeFileSync(`${path}.meta`, meta('After!', 1).join('\n'));
    utimesSync(`${path}.meta`, 5, 5);
    const after = (await library.list('/media/hdd/movie')).recordings;
    expect(after.map(({ title }) => title)).toEqual(['B', 'After!']);
    expect(after[0]).toBe(before[0]);
  });
});

describe('links that another machine has put into a folder', () => {
  it('beside a recording count as missing: they are neither read nor copied', async () => {
    const { root, library } = open();
    const path = join(root, 'movie', 'a.ts');
    const secret = join(root, 'secret');
    writeFileSync(secret, 'first line\nSecret title\nSecret text\n1700000000\n');
    writeRecording(path, { content: new Uint8Array(1880) });
    for (const name of ['a.ts.meta', 'a.ts.cuts', 'a.ts.ap', 'a.eit']) symlinkSync(secret, join(root, 'movie', name));
    const [listed] = (await library.list('/media/hdd/movie')).recordings;
    expect(listed).toMatchObject({ title: 'a', description: '', described: false, cuts: [], event: null });
    expect(await library.find(path)).toEqual(listed);
    await expect(library.edit(path, { addTags: ['x'] })).rejects.toMatchObject({ code: 'file-unwritable' });
    await changeMeta(path, { tags: ['x'] });
    await expect(addMark(path, 90_000)).rejects.toMatchObject({ code: 'ELOOP' });
    expect(readFileSync(secret, 'utf8')).toMatch(/^first line\n.*\n1700000000\n$/s);
    expect(lstatSync(`${path}.meta`).isSymbolicLink()).toBe(true);
  });

  it('are neither written through nor replaced', async () => {
    const { root, library } = open();
    const path = join(root, 'movie', 'a.ts');
    const victim = join(root, 'victim');
    writeFileSync(victim, 'victim');
    writeRecording(path, { meta: meta('A', 1) });
    // Links with the names that temporary files once had, and with the names of new side files.
    for (const end of ['.meta.writing', '.cuts.writing', '.ap']) symlinkSync(victim, `${path}${end}`);
    symlinkSync(join(root, 'missing'), `${path}.cuts`);
    const cuts = [{ kind: 2, position: 90_000 }] as const;
    expect(await library.edit(path, { addTags: ['x'] })).toMatchObject({ tags: ['x'] });
    for (const changes of [{ cuts }, { accessPoints: new Uint8Array(16) }])
      await expect(library.edit(path, changes)).rejects.toMatchObject({ code: 'file-unwritable' });
    for (const end of ['.cuts', '.ap']) expect(lstatSync(`${path}${end}`).isSymbolicLink()).toBe(true);
    expect(readFileSync(victim, 'utf8')).toBe('victim');
  });

  it('do not lead to recordings by way of a folder outside', async () => {
    const { root, folders } = open();
    writeFileSync(join(root, 'movie', 'a.ts'), '');
    mkdirSync(join(root, 'outside'));
    symlinkSync(join(root, 'movie', 'a.ts'), join(root, 'outside', 'b.ts'));
    symlinkSync(join(root, 'outside'), join(root, 'movie', 'link'));
    await expect(folders.resolveExisting('link/b.ts')).rejects.toMatchObject({ code: 'outside-locations' });
  });
});

describe('changes to a recording', () => {
  it('are written to its files, one after the other', async () => {
    const { root, library } = open();
    const path = join(root, 'movie', 'a.ts');
    writeRecording(path, { meta: [...meta('A', 1, { tags: 'old' }), 'f:0', '188', '0'] });
    await Promise.all(['b', 'c', 'd e'].map((tag) => library.edit(path, { addTags: [tag] })));
    const edited = await library.edit(path, {
      removeTags: ['old'],
      title: 'New title',
      cuts: [{ kind: 3, position: 90_000 }],
    });
    expect(edited).toMatchObject({
      title: 'New title',
      tags: ['b', 'c', 'd_e'],
      cuts: [{ kind: 3, position: 90_000 }],
    });
    expect(await library.find(path)).toEqual(edited);
  });

  it('create a missing meta file, and keep what was known', async () => {
    const { root, library } = open();
    writeRecording(join(root, 'movie', 'a.ts'));
    const before = await library.find('a.ts');
    const after = await library.edit('a.ts', { addTags: ['x'] });
    expect(after).toMatchObject({ described: true, tags: ['x'], title: before.title, begin: before.begin });
  });
});
