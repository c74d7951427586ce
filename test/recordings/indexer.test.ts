/** Access points of recordings that were made elsewhere. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { accessPointsOf } from '../../src/recordings/files/access-points-file.ts';
import { RecordingActions } from '../../src/recordings/library/actions.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { Indexer, type IndexerPace } from '../../src/recordings/library/indexer.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { recordedPieces, recordedStream } from '../../src/recordings/recorded-stream.ts';
import { streamWithPictures, writeRecording } from '../fixtures/recordings.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { until, untilTrue } from '../fixtures/waits.ts';

/** Forty seconds. The clock wraps after ten of them, and jumps by hours after twenty. */
const times = Array.from({ length: 40 }, (_, n) => 2 ** 33 / 90_000 - 10 + n + (n < 20 ? 0 : 10_000));

interface Given {
  readonly pace?: Partial<IndexerPace>;
  readonly isBusy?: () => boolean;
  readonly isActive?: (path: string) => boolean;
}

function open({ pace, isBusy = () => false, isActive = () => false }: Given = {}) {
  const movie = join(temporaryFolder(), 'movie');
  mkdirSync(movie);
  const folders = new RecordingFolders([movie]);
  const library = new RecordingLibrary(folders, () => null);
  const actions = new RecordingActions({ folders, library, settings: Settings.parse('') });
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const quick = { settleMs: 0, minRestMs: 0, busyMs: 1, ...pace };
  const indexer = new Indexer({ folders, library, actions, log, isActive, isBusy }, quick);
  onTestFinished(async () => {
    await indexer.stop();
    library.stop();
  });
  const add = (name: string, content: Uint8Array = streamWithPictures(times)) => {
    const path = join(movie, name);
    writeRecording(path, { content });
    return path;
  };
  /** The files in the order in which they were indexed. */
  const indexed = () => lines.flatMap((line) => (line.startsWith('indexed ') ? basename(line) : []));
  return { folders, library, indexer, add, lines, indexed };
}

it('makes length, positions and pieces exact across breaks of the clock', async () => {
  const { folders, library, add } = open();
  const path = add('Ships.ts');
  const [before] = await library.all();
  expect(before?.isIndexed).toBe(false);
  const recording = await until(async () => {
    const [now] = await library.all();
    expect(now?.isIndexed).toBe(true);
    return now as NonNullable<typeof now>;
  });
  const points = accessPointsOf(readFileSync(`${path}.ap`));
  expect(points.map(({ offset }) => offset)).toEqual(times.map((_, n) => 188 * (2 + 500 * n)));
  // The jump takes no time.
  const seconds = (n: number) => (n < 20 ? n : n - 1);
  expect(points.map(({ time }) => Math.round(time / 90_000))).toEqual(times.map((_, n) => seconds(n)));
  expect(recording.length).toBe(39);
  const { begin } = await recordedStream(folders, recording, { from: 25 }, () => false);
  expect(begin).toBeCloseTo(25, 3);
  const pieces = await recordedPieces(folders, recording, false);
  expect(pieces.map(({ duration }) => Math.round(duration))).toEqual([6, 6, 6, 6, 6, 6, 3]);
  expect(statSync(`${path}.ap`).mode & 0o777).toBe(0o644);
});

it('indexes the recording first that a client requests', async () => {
  let isBusy = true;
  const { library, add, indexed } = open({ isBusy: () => isBusy });
  const paths = ['A.ts', 'B.ts', 'C.ts', 'D.trp', 'E.mkv'].map((name) => add(name));
  await library.all();
  await library.find(paths[2] as string);
  isBusy = false;
  await untilTrue(() => indexed().length === 4);
  // One of them had begun to wait before.
  expect(indexed().slice(0, 2)).toContain('C.ts');
  expect(existsSync(`${paths[4]}.ap`)).toBe(false);
});

it('waits while a tuner is in use', async () => {
  let looks = 0;
  const { library, add } = open({ isBusy: () => ++looks < 20 });
  const path = add('Ships.ts');
  await library.all();
  await untilTrue(() => {
    if (looks < 20) expect(existsSync(`${path}.ap`)).toBe(false);
    return existsSync(`${path}.ap`);
  });
});

it('leaves what is being recorded alone', async () => {
  const active = new Set<string>();
  const { library, add, indexed } = open({ isActive: (path) => active.has(path), pace: { settleMs: 1 } });
  const path = add('Active.ts');
  active.add(path);
  add('Other.ts');
  await library.all();
  for (let n = 0; n < 3; n++) await library.find(path);
  await untilTrue(() => indexed().length > 0);
  expect(indexed()).toEqual(['Other.ts']);
  active.clear();
  await untilTrue(() => indexed().length === 2);
  // Requested several times while it was recorded, and indexed once.
  const last = add('Last.ts');
  await library.find(last);
  await untilTrue(() => indexed().includes('Last.ts'));
  expect(indexed()).toEqual(['Other.ts', 'Active.ts', 'Last.ts']);
});

it('leaves what another program is writing alone', async () => {
  const { library, add, indexed } = open({ pace: { settleMs: 3_600_000 } });
  const old = new Date(Date.now() - 7_200_000);
  const fresh = add('New.ts');
  const settled = add('Old.ts');
  utimesSync(settled, old, old);
  // One after the other, in this order.
  await library.find(fresh);
  await library.find(settled);
  await untilTrue(() => indexed().length > 0);
  expect(indexed()).toEqual(['Old.ts']);
});

it('begins again when the file has changed meanwhile', async () => {
  let looks = 0;
  let path = '';
  const { library, add } = open({
    isBusy: () => {
      if (++looks === 3) appendFileSync(path, streamWithPictures([1, 2, 3]));
      return false;
    },
  });
  path = add('Ships.ts');
  await library.all();
  await untilTrue(() => existsSync(`${path}.ap`));
  expect(accessPointsOf(readFileSync(`${path}.ap`))).toHaveLength(43);
});

it('tries a recording without access points once, until it changes', async () => {
  const { library, add, lines } = open();
  const path = add('Radio.ts', new Uint8Array(188_000).fill(0x47));
  await library.all();
  await untilTrue(() => existsSync(`${path}.ap`));
  expect(statSync(`${path}.ap`).size).toBe(0);
  await untilTrue(() => lines.length > 0);
  // Another library knows nothing of the first attempt.
  const later = open();
  let count = 0;
  const again = new RecordingLibrary(new RecordingFolders([join(path, '..')]), () => null);
  again.onUnindexed(() => count++);
  await again.all();
  await again.find(path);
  expect(count).toBe(0);
  again.stop();
  await later.indexer.stop();
  writeFileSync(path, streamWithPictures(times));
  const changed = new Date(Date.now() + 10_000);
  utimesSync(path, changed, changed);
  await library.find(path);
  await untilTrue(() => statSync(`${path}.ap`).size > 0);
  expect((await library.find(path)).isIndexed).toBe(true);
});

it('tries a file whose time is in the future once', async () => {
  const { library, add, lines } = open();
  const path = add('Radio.ts', new Uint8Array(188_000).fill(0x47));
  const future = new Date(Date.now() + 86_400_000);
  utimesSync(path, future, future);
  await library.find(path);
  await untilTrue(() => lines.length > 0);
  await library.find(path);
  // Indexed after it, so that a second attempt would be over.
  await library.find(add('Ships.ts'));
  await untilTrue(() => lines.includes(`indexed ${path.replace('Radio', 'Ships')}`));
  expect(lines.filter((line) => line.includes('Radio'))).toHaveLength(1);
});

it('does not follow a link in place of the file that it writes', async () => {
  const { library, add, lines } = open();
  const path = add('Ships.ts');
  const outside = join(path, '..', '..', 'outside');
  writeFileSync(outside, 'unchanged');
  symlinkSync(outside, `${path}.ap`);
  await library.all();
  await untilTrue(() => lines.length > 0);
  expect(readFileSync(outside, 'utf8')).toBe('unchanged');
});

it('ends at once', async () => {
  let looks = 0;
  let stopped: Promise<void> | undefined;
  const { library, indexer, add } = open({
    isBusy: () => {
      if (++looks === 3) stopped = indexer.stop();
      return false;
    },
    pace: { busyMs: 3_600_000 },
  });
  const path = add('Ships.ts');
  await library.all();
  await untilTrue(() => stopped !== undefined);
  await stopped;
  expect(existsSync(`${path}.ap`)).toBe(false);
  expect(looks).toBe(3);
  add('Another.ts');
  await library.all();
  expect(looks).toBe(3);
});
