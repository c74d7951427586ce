/**
 * A folder that other machines can write to (NFS, Samba) is continuously replaced by a link to a foreign folder and
 * back. Nothing in the foreign folder may be read, changed or deleted.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { copyFiles } from '../../src/recordings/files/copying.ts';
import { RecordingActions } from '../../src/recordings/library/actions.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library/library.ts';
import { recordedStream } from '../../src/recordings/recorded-stream.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const maxRounds = 150;
const names = Array.from({ length: maxRounds }, (_, n) => `Ships ${n}.ts`);

function world() {
  const root = temporaryFolder();
  const [movie, foreign] = [join(root, 'movie'), join(root, 'foreign')];
  const inner = join(movie, 'inner');
  for (const [folder, content] of [
    [inner, 'ours'],
    [foreign, 'secret'],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    for (const name of names)
      writeRecording(join(folder, name), { content: Buffer.from(content), meta: ['', `${content} ship`] });
  }
  const folders = new RecordingFolders([movie]);
  const library = new RecordingLibrary(folders, () => null);
  onTestFinished(() => library.stop());
  const actions = new RecordingActions({ folders, library, settings: Settings.parse('') });
  return { root, movie, inner, foreign, folders, library, actions };
}

/** Swaps until the test ends, so that an action can meet the link at any of its steps. */
function keepSwapping(movie: string, foreign: string): void {
  symlinkSync(foreign, join(movie, 'link'));
  const swap = `
    const { existsSync, renameSync, rmSync } = require('node:fs');
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let n = 0; ; n++) {
      try {
        for (const [from, to] of [['inner', 'aside'], ['link', 'inner'], ['inner', 'link'], ['aside', 'inner']])
          renameSync(from, to);
      } catch {
        // An action has created the folder while it was aside, and may do so again.
        while (existsSync('aside')) {
          try {
            rmSync('inner', { recursive: true, force: true });
            renameSync('aside', 'inner');
          } catch {}
        }
      }
      // Pauses now and then, so that an action can succeed.
      if (n % 200 === 0) Atomics.wait(pause, 0, 0, 2);
    }`;
  const child = spawn(process.execPath, ['-e', swap], { cwd: movie, stdio: 'ignore' });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    const ended = child.exitCode;
    child.kill('SIGKILL');
    await exited;
    expect(ended, 'the swapper has ended by itself').toBeNull();
  });
}

const orNothing = <T>(promise: Promise<T>) => promise.catch(() => undefined);

it('lists and reads nothing in the foreign folder', async () => {
  const { movie, inner, foreign, folders, library } = world();
  keepSwapping(movie, foreign);
  const seen = new Set<string | undefined>();
  // Repeats until something has succeeded; how long that takes depends on the machine.
  for (let n = 0; n < maxRounds || !seen.has('ours'); n++) {
    const path = join(inner, names[n % maxRounds] ?? '');
    const recording = await orNothing(library.find(path));
    seen.add(recording?.title);
    if (recording === undefined) continue;
    const stream = await orNothing(recordedStream(folders, recording, { from: 0 }, () => false));
    if (stream !== undefined) seen.add(await orNothing(text(stream.packets)));
    const file = await orNothing(folders.open(path));
    seen.add(await orNothing((async () => file?.readFile('utf8'))()));
    await file?.close();
    for (const { title } of (await orNothing(library.list(inner)))?.recordings ?? []) seen.add(title);
  }
  expect([...seen].filter((one) => one?.includes('secret'))).toEqual([]);
});

it('deletes and changes nothing in the foreign folder', async () => {
  const { movie, inner, foreign, library, actions } = world();
  keepSwapping(movie, foreign);
  let [edited, deleted] = [0, 0];
  for (let n = 0; n < maxRounds || edited === 0 || deleted === 0; n++) {
    const path = join(inner, names[n % maxRounds] ?? '');
    if (await orNothing(library.edit(path, { title: 'changed' }))) edited++;
    if (n % 2 === 0 && (await orNothing(actions.delete(path, { forGood: true })))) deleted++;
    if (n % 2 === 1 && (await orNothing(actions.rename(path, `Boats ${n}`)))) deleted++;
  }
  expect(readdirSync(foreign)).toEqual(expect.arrayContaining(names));
  for (const name of names) expect(readFileSync(join(foreign, `${name}.meta`), 'utf8')).toContain('secret ship');
});

it('creates no folders in the foreign folder', async () => {
  const { movie, inner, foreign, actions } = world();
  keepSwapping(movie, foreign);
  let created = 0;
  for (let n = 0; n < maxRounds || created === 0; n++)
    if (await orNothing(actions.addFolder(join(inner, `new ${n}`, 'deep')))) created++;
  expect(readdirSync(foreign).filter((name) => name.startsWith('new'))).toEqual([]);
});

it('follows a recording that is a link only within the folders', async () => {
  const { inner, foreign, library } = world();
  for (const [name, target] of [
    ['Out.ts', join(foreign, 'Ships 0.ts')],
    ['In.ts', join(inner, 'Ships 0.ts')],
  ] as const)
    symlinkSync(target, join(inner, name));
  await expect(library.find(join(inner, 'Out.ts'))).rejects.toMatchObject({ code: 'outside-locations' });
  expect(await library.find(join(inner, 'In.ts'))).toMatchObject({ size: 4 });
});

it('copies no pipe, which would block a thread forever', async () => {
  const { movie, inner, actions } = world();
  mkdirSync(join(movie, 'other'));
  const meta = join(inner, 'Ships 0.ts.meta');
  const copies = copyFiles(`${inner}/`, `${join(movie, 'other')}/`, ['Ships 0.ts', 'Ships 0.ts.meta'], {
    signal: new AbortController().signal,
    onBytes: () => {
      // After the check.
      if (!existsSync(`${meta}.old`)) {
        renameSync(meta, `${meta}.old`);
        execFileSync('mkfifo', [meta]);
      }
    },
  });
  await expect(copies).rejects.toThrow('is not a regular file');
  expect(readdirSync(join(movie, 'other'))).toEqual([]);
  expect(await orNothing(actions.copy(join(inner, 'Ships 1.ts'), join(movie, 'other')))).toBe(
    join(movie, 'other/Ships 1.ts'),
  );
});

it('keeps using the folder that was checked, even if its name leads elsewhere', async () => {
  const { movie, inner, foreign, folders } = world();
  const read = folders.inFolder(inner, async (at) => {
    renameSync(inner, join(movie, 'aside'));
    symlinkSync(foreign, inner);
    return readFileSync(`${at}${names[0]}`, 'utf8');
  });
  expect(await read).toBe('ours');
  await expect(folders.inFolder(inner, async () => 'reached')).rejects.toMatchObject({ code: 'outside-locations' });
  await expect(folders.open(join(inner, 'Ships 0.ts'))).rejects.toMatchObject({ code: 'outside-locations' });
});
