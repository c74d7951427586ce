/** Deleting, moving and renaming recordings, and adding folders, with the texts that clients know. */
import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fail } from '../../../src/base/errors.ts';
import { RecordingActions } from '../../../src/recordings/library/actions.ts';
import { writeRecording } from '../../fixtures/recordings.ts';
import { until } from '../../fixtures/waits.ts';
import { openReceiver, type TestReceiver } from '../receiver.ts';
import { all, api, at, get, web } from '../reply.ts';

let receiver: TestReceiver;
let movie: string;
let path: string;
let sRef: string;
beforeEach(async () => {
  receiver = await openReceiver();
  movie = join(receiver.folder, 'movie/');
  path = join(movie, 'Ships.ts');
  sRef = `1:0:0:0:0:0:0:0:0:0:${path}`;
  mkdirSync(join(movie, 'series'));
  writeRecording(path, { meta: ['1:0:19:2B66:3F3:1:C00000:0:0:0::Alpha HD', 'Big Ships', '', '1767290220', 'EPG'] });
});
afterEach(() => receiver.close());

const replyTo = async (name: string, parameters: Record<string, string>) => {
  const root = await web(receiver, name, parameters);
  expect(root.name).toBe('e2simplexmlresult');
  return root.children.map(({ text }) => text);
};

describe('moviedelete', () => {
  it('moves a recording to the trash, from which Kodi restores it', async () => {
    expect(await replyTo('moviedelete', { sRef })).toEqual([
      'True',
      "The movie 'Big Ships' has been deleted successfully",
    ]);
    const trash = await web(receiver, 'movielist', { dirname: join(movie, '.Trash'), recursive: 1 });
    const [deleted] = all(trash, 'e2movie');
    const reference = at(deleted as never, 'e2servicereference').text;
    expect(await replyTo('moviemove', { sRef: reference, dirname: movie })).toEqual([
      'True',
      "The recording 'Big Ships' has been moved successfully",
    ]);
    expect(readdirSync(movie).sort()).toEqual(['.Trash', 'Ships.ts', 'Ships.ts.meta', 'series']);
  });

  it('deletes permanently with force, whatever its value', async () => {
    expect(await api(receiver, 'moviedelete', { sRef, force: '' })).toEqual({
      result: true,
      message: "The movie 'Big Ships' has been deleted successfully",
    });
    expect(readdirSync(movie)).toEqual(['series']);
  });

  it('reports failures', async () => {
    const none = `${sRef}x`;
    expect(await replyTo('moviedelete', { sRef: none })).toEqual([
      'False',
      `Could not delete Movie '${none}' / File not exist`,
    ]);
    const outside = `1:0:0:0:0:0:0:0:0:0:${receiver.folder}/lamedb.ts`;
    expect(await replyTo('moviedelete', { sRef: outside })).toEqual([
      'False',
      `Could not delete Movie '${outside}' / File not exist`,
    ]);
    expect(await replyTo('moviedelete', {})).toEqual(['False', "Missing mandatory parameter 'sRef'"]);
  });
});

describe('moviemove, moviecopy, movierename', () => {
  it('report success', async () => {
    const series = join(movie, 'series');
    expect(await replyTo('moviecopy', { sRef, dirname: series })).toEqual([
      'True',
      "The recording 'Big Ships' has been copied successfully",
    ]);
    expect(await replyTo('movierename', { sRef, newname: 'Boats' })).toEqual([
      'True',
      "The recording 'Big Ships' has been renamed successfully",
    ]);
    expect(readdirSync(movie).sort()).toEqual(['Boats.ts', 'Boats.ts.meta', 'series']);
    const [movies] = [await api<{ movies: { eventname: string; tags: string }[] }>(receiver, 'movielist')];
    expect(movies.movies).toMatchObject([{ eventname: 'Boats', tags: 'EPG' }]);
    expect(readdirSync(series).sort()).toEqual(['Ships.ts', 'Ships.ts.meta']);
  });

  it.each([
    ['move', 'moviemove', { dirname: '.' }, 'Equal Source and Destination Path'],
    ['move', 'moviemove', { dirname: 'nosuch' }, 'Destination Path not exist'],
    ['move', 'moviemove', { dirname: 'taken' }, 'Destination File exist'],
    ['copy', 'moviecopy', { dirname: 'taken' }, 'Destination File exist'],
    ['rename', 'movierename', { newname: 'Other' }, 'New File exist'],
  ])('%s by %s with %j: %s', async (verb, name, given, reason) => {
    writeRecording(join(movie, 'taken/Ships.ts'));
    writeRecording(join(movie, 'Other.ts'));
    const parameters = 'dirname' in given ? { dirname: join(movie, given.dirname) } : given;
    expect(await replyTo(name, { sRef, ...(parameters as Record<string, string>) })).toEqual([
      'False',
      `Could not ${verb} recording 'Big Ships' Err: '${reason}'`,
    ]);
    expect(existsSync(path)).toBe(true);
  });

  it('answers after five seconds if the action takes longer, and reports later failures', async () => {
    const { recordingActions } = receiver.parts;
    let give: (error: Error) => void = () => undefined;
    vi.spyOn(recordingActions, 'move').mockReturnValue(new Promise((_, reject) => (give = reject)));
    const report = vi.spyOn(recordingActions, 'report');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const answer = replyTo('moviemove', { sRef, dirname: join(movie, 'series') });
      await until(() => expect(recordingActions.move).toHaveBeenCalled());
      await vi.advanceTimersByTimeAsync(5000);
      expect(await answer).toEqual(['True', "The recording 'Big Ships' is being moved"]);
    } finally {
      vi.useRealTimers();
    }
    const error = new Error('disk removed');
    give(error);
    await until(() => expect(report.mock.calls).toEqual([[error]]));
  });

  it('a target location becomes the last chosen one', async () => {
    const series = `${join(movie, 'series')}/`;
    await replyTo('addlocation', { dirname: series });
    expect(await api(receiver, 'getcurrlocation')).toEqual({ result: true, location: movie });
    await replyTo('moviemove', { sRef, dirname: series });
    expect(await api(receiver, 'getcurrlocation')).toEqual({ result: true, location: series });
  });
});

describe('addlocation, removelocation', () => {
  it('use the wording that clients know', async () => {
    const dirname = `${movie}news/`;
    const cases: [string, Record<string, string>, string, string][] = [
      ['addlocation', { dirname }, 'False', `Folder '${dirname}' does not exist`],
      ['addlocation', { dirname, createFolder: '1' }, 'True', `Location '${dirname}' added succesfully`],
      ['addlocation', { dirname }, 'False', `Location '${dirname}' is already defined`],
      [
        'removelocation',
        { dirname, removeFolder: '1' },
        'True',
        `Location and Folder '${dirname}' removed succesfully`,
      ],
      ['removelocation', { dirname }, 'False', `Location '${dirname}' is not defined`],
      ['addlocation', { dirname: '/etc/' }, 'False', "'/etc/' is outside the folders of this receiver"],
    ];
    for (const [name, parameters, ...answer] of cases) expect(await replyTo(name, parameters)).toEqual(answer);
    writeFileSync(join(movie, 'file'), 'x');
    const file = join(movie, 'file');
    expect(await replyTo('addlocation', { dirname: file, createFolder: '1' })).toEqual([
      'False',
      `Creation of folder '${file}' failed`,
    ]);
  });
});

describe('DELETE', () => {
  const remove = async (url: string) => {
    const { status, body } = await get(receiver, url, {}, { method: 'DELETE' });
    return { status, ...(JSON.parse(body) as object) };
  };

  it.each(['/recordings', '/recording'])('%s/PATH deletes all files of a recording and lists them', async (route) => {
    expect(await remove(`${route}/Ships.ts`)).toEqual({
      status: 200,
      result: true,
      files: ['Ships.ts', 'Ships.ts.meta'],
    });
    expect(readdirSync(join(movie, '.Trash')).sort()).toEqual(['Ships.ts', 'Ships.ts.meta']);
  });

  it('?trash=0 deletes permanently', async () => {
    expect(await remove('/recordings/Ships.ts?trash=0')).toMatchObject({ status: 200 });
    expect(readdirSync(movie)).toEqual(['series']);
  });

  it('refuses paths that are not recordings', async () => {
    expect(await remove('/recordings/nosuch.ts')).toMatchObject({ status: 404, error: 'not-found' });
    expect(await remove('/recordings/series')).toMatchObject({ status: 400, error: 'bad-path' });
    expect(await remove('/recordings/series/')).toMatchObject({ status: 400 });
    for (const root of ['/recordings', '/recordings/'])
      expect(await remove(root)).toMatchObject({ status: 400, error: 'bad-path' });
    expect(await remove('/recordings/..%2Flamedb')).toMatchObject({ status: 403, error: 'outside-locations' });
    expect(await remove('/recordings/Ships.ts.meta')).toMatchObject({ status: 404 });
    expect(existsSync(path)).toBe(true);
  });

  it('stops a running recording only by force', async () => {
    const { settings, locations: folders, recordings: library } = receiver.parts;
    let isActive = true;
    const stop = async () => {
      isActive = false;
    };
    const active = { isActive: () => isActive, stop };
    const recordingActions = new RecordingActions({ folders, library, settings, active });
    await receiver.app.close();
    const own = receiver.folder;
    receiver = Object.assign(await openReceiver({ locations: folders, recordings: library, recordingActions }), {
      own,
    });
    expect(await remove('/recordings/Ships.ts')).toMatchObject({ status: 409, error: 'recording-active' });
    expect(existsSync(path)).toBe(true);
    expect(await remove('/recordings/Ships.ts?force=1')).toMatchObject({ status: 200 });
    expect([isActive, existsSync(path)]).toEqual([false, false]);
  });
});

describe('/api/transfers', () => {
  it('lists copies in progress and cancels them', async () => {
    truncateSync(path, 512 << 20);
    const copied = api(receiver, 'moviecopy', { sRef, dirname: join(movie, 'series') });
    const list = async () => JSON.parse((await get(receiver, '/api/transfers')).body).transfers;
    while ((await list()).length === 0) await setImmediate();
    expect(await list()).toMatchObject([{ id: 1, kind: 'copy', from: path, to: join(movie, 'series/Ships.ts') }]);
    const { status } = await get(receiver, '/api/transfers/1', {}, { method: 'DELETE' });
    expect(status).toBe(200);
    const message = `Could not copy recording 'Big Ships' Err: '${fail('cancelled', path).message}'`;
    expect(await copied).toEqual({ result: false, message, error: expect.any(String) });
    expect(readdirSync(join(movie, 'series'))).toEqual([]);
    expect((await get(receiver, '/api/transfers/1', {}, { method: 'DELETE' })).status).toBe(404);
  });
});
