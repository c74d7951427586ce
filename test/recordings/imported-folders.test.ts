/** Recording folders taken from the Enigma2 settings. */
import { expect, it } from 'vitest';
import { stringList } from '../../src/config/enigma2-setting-keys.ts';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { recordingFolders } from '../../src/recordings/library/folders.ts';

const folders = (...lines: string[]) =>
  recordingFolders(['/srv/movie', '/srv/more/'], Settings.parse(lines.join('\n')));

it('uses the configured folders if the settings have none', () => {
  const { all, default: first } = folders();
  expect([all, first]).toEqual([['/srv/movie/', '/srv/more/'], '/srv/movie/']);
});

it('adds folders of the settings only if they are in a configured one', () => {
  const { all } = folders(
    `config.movielist.videodirs=['/srv/movie/series/', "/srv/more/it's/", '/media/hdd/movie/kids/', '/etc/', '/srv/movie/../../etc/', 'x', '/srv/more']`,
  );
  expect(all).toEqual(['/srv/movie/', '/srv/more/', '/srv/movie/series/', "/srv/more/it's/", '/srv/movie/kids/']);
});

it.each([
  ['/srv/more/', '/srv/more/'],
  ['/srv/movie/new', '/srv/movie/new/'],
  ['/media/hdd/movie/', '/srv/movie/'],
  ['/etc/', '/srv/movie/'],
  ['<default>', '/srv/movie/'],
  ['', '/srv/movie/'],
])('with the default path %j records into %s', (path, folder) => {
  const made = folders(`config.usage.default_path=${path}`);
  expect([made.default, made.all.includes(folder)]).toEqual([folder, true]);
  // The path of a box still stands for the first folder.
  expect(made.resolve('/media/hdd/movie/a.ts')).toBe('/srv/movie/a.ts');
});

it.each([
  [`['/a/', "/b/"]`, ['/a/', '/b/']],
  [`['it\\'s', "a\\"b", 'a\\\\b', '\\x41\\u00e4\\n']`, ["it's", 'a"b', 'a\\b', 'Aä\n']],
  ['[]', []],
  ['', []],
  [`'/a/'`, []],
  [`[1, None, '/a`, []],
  [`['/a/', '/b]`, ['/a/']],
])('reads the list %s', (literal, texts) => {
  expect(stringList(literal)).toEqual(texts);
});
