/** Advertisements in new recordings, found by a program. */
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { BreakFinder } from '../../src/recordings/break-finder.ts';
import type { Cut } from '../../src/recordings/files/cuts-file.ts';
import { RecordingActions } from '../../src/recordings/library/actions.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import type { Recorder } from '../../src/recordings/recorder.ts';
import { isRunning } from '../fixtures/is-running.ts';
import { streamWithPictures, writeRecording } from '../fixtures/recordings.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { until, untilTrue } from '../fixtures/waits.ts';

const standIn = fileURLToPath(new URL('stand-in-comskip.mjs', import.meta.url));
/** A minute. */
const content = streamWithPictures(
  Array.from({ length: 60 }, (_, n) => n),
  { apart: 20 },
);

interface Given {
  readonly args?: readonly string[];
  readonly program?: readonly string[];
  readonly cuts?: readonly Cut[];
  readonly isBusy?: () => boolean;
  readonly whileReceiving?: boolean;
  readonly dataDir?: string;
}

function open(given: Given) {
  const { args = [], program = [process.execPath, standIn], cuts = [], isBusy, whileReceiving = false } = given;
  const { dataDir = temporaryFolder() } = given;
  const movie = temporaryFolder();
  const path = join(movie, '-Ships; rm.ts');
  const accessPoints = Array.from({ length: 60 }, (_, n) => [188 * (2 + 20 * n), 90_000 * n] as const);
  writeRecording(path, { content, cuts, accessPoints });
  const folders = new RecordingFolders([movie]);
  const library = new RecordingLibrary(folders, () => null);
  const actions = new RecordingActions({ folders, library, settings: Settings.parse('') });
  const lines: string[] = [];
  const log = { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };
  type Listener = Parameters<Recorder['onChange']>[0];
  const listeners: Listener[] = [];
  const onChange = ((listener: Listener) => {
    listeners.push(listener);
    return () => undefined;
  }) as Recorder['onChange'];
  const rules = { command: [...program, ...args], whileReceiving, timeout: 3600 };
  const finder = new BreakFinder(
    { recorder: { onChange }, library, actions, dataDir, log: log as never, isBusy: isBusy ?? (() => false) },
    rules,
    5,
  );
  onTestFinished(async () => {
    await finder.stop();
    library.stop();
  });
  const end = () => {
    for (const listener of listeners) listener({ path, size: content.length } as never, 'stopped');
  };
  const marks = async () => (await library.find(path)).cuts.map(({ kind, position }) => [kind, position / 90_000]);
  return { path, finder, end, lines, marks, listeners };
}

const found = '--find=10-20,40-59';
const expected = [
  [1, 10],
  [0, 20],
  [1, 40],
  [0, 59],
];

it.each([
  ['EDL and text', []],
  ['EDL', ['--only=edl']],
  ['text', ['--only=txt']],
])('marks what the program has written as %s, and keeps other marks', async (_, args) => {
  const cuts: readonly Cut[] = [
    { kind: 2, position: 30 * 90_000 },
    { kind: 3, position: 35 * 90_000 },
  ];
  const { end, marks } = open({ args: [found, ...args], cuts });
  end();
  await until(async () =>
    expect(await marks()).toEqual([...expected.slice(0, 2), [2, 30], [3, 35], ...expected.slice(2)]),
  );
});

it('replaces the places of file and folder in the arguments', async () => {
  const { end, marks } = open({ args: [found, '--output={output}', '{file}'] });
  end();
  await until(async () => expect(await marks()).toEqual(expected));
});

it('leaves a recording alone that a user has cut', async () => {
  const cuts: readonly Cut[] = [{ kind: 1, position: 5 * 90_000 }];
  const { end, marks, lines } = open({ args: [found], cuts });
  end();
  await untilTrue(() => lines.length > 0);
  expect(lines[0]).toContain('are not searched for: it is marked already');
  expect(await marks()).toEqual([[1, 5]]);
});

it('accepts that there are none', async () => {
  const { end, lines, marks } = open({});
  end();
  await untilTrue(() => lines.length > 0);
  expect(lines[0]).toMatch(/^advertisements in .*: 0$/);
  expect(await marks()).toEqual([]);
});

it.each([
  [['--only=fail'], undefined, /not marked: .*status 6: no such format/],
  [[], ['/nowhere/comskip'], /not marked: .*\/nowhere\/comskip/],
])('reports a failure: %j', async (args, program, message) => {
  const { end, lines } = open({ args, ...(program && { program }) });
  end();
  await untilTrue(() => lines.length > 0);
  expect(lines[0]).toMatch(message);
});

it('waits while a tuner records or streams', async () => {
  let isBusy = true;
  let asked = 0;
  const { end, marks, lines, path } = open({
    args: [found],
    isBusy: () => {
      asked++;
      return isBusy;
    },
  });
  end();
  await untilTrue(() => asked > 3);
  expect(await marks()).toEqual([]);
  expect(lines).toEqual([`advertisements in ${path} are searched for once no tuner records or streams`]);
  isBusy = false;
  await until(async () => expect(await marks()).toEqual(expected));
});

it('does not wait if it may run then', async () => {
  const { end, marks } = open({ args: [found], whileReceiving: true, isBusy: () => true });
  end();
  await until(async () => expect(await marks()).toEqual(expected));
});

it('kills the program when the receiver stops, and leaves nothing behind', async () => {
  const own = () => readdirSync(tmpdir()).filter((name) => name.startsWith('receiverd-breaks-'));
  const before = own();
  const { end, finder, marks } = open({ args: ['--only=hang'] });
  end();
  const added = await until(() => {
    const [one] = own().filter((name) => !before.includes(name) && readdirSync(join(tmpdir(), name)).length > 0);
    expect(one).toBeDefined();
    return one as string;
  });
  await finder.stop();
  expect(own()).not.toContain(added);
  expect(await marks()).toEqual([]);
});

it.runIf(process.platform === 'linux')('kills what the program of an earlier run has left', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const leave = async () => {
    mkdirSync(dataDir);
    const file = join(dataDir, 'pid');
    const code = `const { spawn } = require('node:child_process');
      const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
      require('node:fs').writeFileSync('${file}', String(child.pid));
      child.unref();`;
    const { end, lines } = open({ dataDir, program: [process.execPath, '-e', code, '--', '{file}'] });
    end();
    await untilTrue(() => lines.some((line) => line.endsWith(': 0')));
    const pid = Number(readFileSync(file, 'utf8'));
    onTestFinished(() => {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    });
    return pid;
  };
  // Of another receiver, with a folder of the same path, as in a container.
  const other = await leave();
  renameSync(dataDir, `${dataDir}2`);
  const own = await leave();
  expect([isRunning(own), isRunning(other)]).toEqual([true, true]);
  open({ dataDir });
  await untilTrue(() => !isRunning(own));
  expect(isRunning(other)).toBe(true);
});

it('listens to nothing without a program', () => {
  expect(open({ program: [] }).listeners).toEqual([]);
});
