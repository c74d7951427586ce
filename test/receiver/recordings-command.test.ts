/** `receiverd recordings list | export`, on a folder without a receiver. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { haveFfmpeg } from '../dvb/captures.ts';
import { madeStream, probe } from '../exports/made.ts';
import { type Ended, removeFolder, runProgram, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
const movie = join(folder, 'movie');
const path = join(movie, 'Ships.ts');

const recordings = (...words: readonly string[]): Promise<Ended> =>
  runProgram('recordings', ...words, '--data-dir', folder);

describe.skipIf(!haveFfmpeg)('receiverd recordings', () => {
  beforeAll(() => {
    mkdirSync(movie, { recursive: true });
    madeStream(path);
    writeFileSync(`${path}.meta`, '1:0:1:7:1:1:0:0:0:0::Alpha HD\nShips\nS2 E5: Storm\n1767290220\n\n');
  });

  afterAll(() => removeFolder(folder));

  /** A new folder to export to. */
  const target = (name: string) => {
    const made = join(folder, name);
    mkdirSync(made);
    return made;
  };

  it('lists the recordings', async () => {
    const { code, stdout } = await recordings('list', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ path, title: 'Ships', length: 30 }]);
  });

  it('exports one into a file, and never onto another', async () => {
    const file = join(target('one'), 'Boats.mp4');
    expect(await recordings('export', 'Ships', '--to', file)).toMatchObject({ code: 0 });
    expect(Math.round(Number(probe(file).format.duration))).toBe(30);
    const again = await recordings('export', path, '--to', file);
    expect([again.code === 0, again.stderr]).toEqual([false, expect.stringContaining('Boats.mp4')]);
  });

  it('exports one into a folder, under its name or one for media servers', async () => {
    const made = target('several');
    for (const more of [[], ['--format', 'mp4'], ['--names', 'media']])
      expect(await recordings('export', 'Ships', '--to', made, ...more)).toMatchObject({ code: 0 });
    expect(readdirSync(made).sort()).toEqual(['Ships', 'Ships.mkv', 'Ships.mp4']);
    const season = join(made, 'Ships', 'Season 02');
    expect(readdirSync(season).sort()).toEqual(['Ships - S02E05 - Storm.mkv', 'Ships - S02E05 - Storm.nfo']);
    expect(readFileSync(join(season, 'Ships - S02E05 - Storm.nfo'), 'utf8')).toContain('<title>Storm</title>');
  });

  it('names the file of a recording whose title is given', async () => {
    const titled = join(movie, '20260101 1700 - Alpha HD - Harbour.ts');
    writeFileSync(titled, readFileSync(path));
    writeFileSync(`${titled}.meta`, '1:0:1:7:1:1:0:0:0:0::Alpha HD\nThe harbour\n\n1767290220\n\n');
    const { code, stderr } = await recordings('export', 'The Harbour', '--to', join(folder, 'x.mkv'));
    rmSync(titled);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`the newest with this title is ${titled}`)]);
  });

  it('leaves no folder behind when that fails', async () => {
    const made = target('failing');
    const settings = join(folder, 'failing.yaml');
    writeFileSync(settings, 'conversion:\n  path: /nowhere/ffmpeg\n');
    const failed = await recordings('export', 'Ships', '--to', made, '--names', 'media', '--config', settings);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('without ffmpeg')]);
    expect(readdirSync(made)).toEqual([]);
  });

  it.each([
    [['export', 'Ships', '--to', join(folder, 'nowhere')], 'must end in .mkv or .mp4, or be a folder'],
    [['export', 'Ships', '--to', join(folder, 'x.mkv'), '--format', 'mp4'], 'the name after --to says mkv'],
    [['export', 'Ships', '--to', join(folder, `${'x'.repeat(252)}.mkv`)], 'is not a valid recording name'],
    [
      ['export', 'Boats', '--to', join(folder, 'x.mkv')],
      `no recording file is named 'Boats': give the path or the file name of a recording, as \`receiverd recordings list --data-dir ${folder}\` shows them\n`,
    ],
    [['export', 'Ships', '--to', folder, '--names', 'plex'], "argument 'plex' is invalid"],
  ])('refuses %j', async (words, reason) => {
    const { code, stderr } = await recordings(...words);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(reason)]);
  });
});
