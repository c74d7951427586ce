/** The Enigma2 settings file: reading, changing and writing. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { plainKey } from '../../src/config/enigma2-setting-keys.ts';
import { Settings, settingsText } from '../../src/config/enigma2-settings.ts';
import { irreplaceable } from '../fixtures/irreplaceable.ts';
import { noMount } from '../fixtures/small-disk.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'settings');
});
const content = () => readFileSync(path, 'utf8');

describe('a settings file', () => {
  it('is read, and missing settings have their defaults', () => {
    writeFileSync(
      path,
      '# remark\nconfig.recording.margin_before = 7 \r\nnonsense\nconfig.usage.movielist_trashcan=off\n',
    );
    const settings = Settings.read(path);
    expect(settings.number('config.recording.margin_before')).toBe(7);
    expect(settings.number('config.recording.margin_after')).toBe(5);
    expect(settings.isOn('config.usage.movielist_trashcan')).toBe(false);
    expect(settings.isOn('config.epg.eit')).toBe(true);
    expect(settings.get('config.unheard.of')).toBe('');
    expect(settings.get('__proto__')).toBe('');
  });

  it('is written in the order of Enigma2, without defaults, and keeps unknown lines', async () => {
    const lines = [
      '# remark',
      'config.Nims.10.dvbs.diseqcA=130',
      'config.zebra=1',
      'config.Nims.2.dvbs.diseqcA=192',
      'config.audio.volume=80',
      'config.recording.margin_after=9',
      'no setting',
    ];
    writeFileSync(path, `${lines.join('\n')}\n`);
    const settings = Settings.read(path);
    const change = await settings.change('config.recording.margin_before', '10');
    expect(change).toEqual({ value: '10', oldValue: '3' });
    expect(await settings.change('config.recording.margin_after', '5')).toEqual({ value: '5', oldValue: '9' });
    expect(content()).toBe(
      [
        '# remark',
        'no setting',
        'config.audio.volume=80',
        'config.Nims.2.dvbs.diseqcA=192',
        'config.Nims.10.dvbs.diseqcA=130',
        'config.recording.margin_before=10',
        'config.zebra=1',
        '',
      ].join('\n'),
    );
    expect(settings.number('config.recording.margin_before')).toBe(10);
    expect(settings.number('config.recording.margin_after')).toBe(5);
    expect(readdirSync(folder)).toEqual(['settings']);
  });

  it('keeps what another program has written meanwhile, and all of several concurrent changes', async () => {
    const settings = Settings.read(path);
    writeFileSync(path, 'config.plugins.other=new\n');
    await Promise.all([
      settings.change('config.recording.margin_before', '1'),
      settings.change('config.recording.margin_after', '2'),
      settings.change('config.epg.mhw', 'true'),
    ]);
    expect(content()).toBe(
      'config.epg.mhw=True\nconfig.plugins.other=new\nconfig.recording.margin_after=2\nconfig.recording.margin_before=1\n',
    );
  });

  it('keeps texts that are not UTF-8 byte for byte', async () => {
    writeFileSync(path, Buffer.from('config.misc.name=B\xfccher\n', 'latin1'));
    await Settings.read(path).change('config.epg.mhw', 'true');
    expect(readFileSync(path, 'latin1')).toBe('config.epg.mhw=True\nconfig.misc.name=B\xfccher\n');
  });

  it('never loses a file that it cannot read', async () => {
    mkdirSync(path);
    const settings = Settings.read(path);
    await expect(settings.change('config.epg.mhw', 'true')).rejects.toMatchObject({ code: 'file-unreadable' });
  });

  it('reports that it cannot be written, and stays unchanged', async ({ skip }) => {
    writeFileSync(path, '');
    if (irreplaceable(path) === undefined) skip(noMount);
    const settings = Settings.read(path);
    await expect(settings.change('config.epg.mhw', 'true')).rejects.toMatchObject({ code: 'file-unwritable' });
    expect(settings.isOn('config.epg.mhw')).toBe(false);
  });

  it('reads back as written', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9_]{1,8}$/);
    const key = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `config.${parts.join('.')}`);
    const value = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, '').trim());
    fc.assert(
      fc.property(fc.array(fc.tuple(key, value)), (pairs) => {
        const stored = new Map(pairs);
        const again = new Map(Settings.parse(settingsText(stored)).stored);
        expect([...again].sort()).toEqual([...stored].sort());
        // Rewriting keeps the order.
        expect(settingsText(again)).toBe(settingsText(stored));
      }),
    );
  });
});

describe('a changed setting', () => {
  it.each([
    ['config.recording.margin_before', '999', '120'],
    ['config.recording.margin_before', '-4', '0'],
    ['config.recording.margin_before', ' 5 ', '5'],
    ['config.epgselection.grid.primetime', '21:05', '21:05'],
    ['config.epgselection.grid.primetime', '9:5', '9:5'],
    ['config.epg.mhw', 'true', 'True'],
    ['config.epg.mhw', 'True', 'False'],
    ['config.epg.mhw', 'yes', 'False'],
    ['config.recording.filename_composition', 'long', 'long'],
  ])('%s: %j is %s', async (key, value, stored) => {
    expect(await Settings.read(path).change(key, value)).toMatchObject({ value: stored });
  });

  it.each([
    ['config.recording.margin_before', 'five', 'setting-refused'],
    ['config.epgselection.grid.primetime', '24:00', 'setting-refused'],
    ['config.recording.margin_before', '', 'parameter-empty'],
    ['config.recording.margin_before', '  ', 'parameter-empty'],
    ['config.recording.filename_composition', 'longest', 'setting-refused'],
    ['config.epg.mhw', 'true\nconfig.evil=1', 'setting-refused'],
    ['config.epg.mhw', 'x'.repeat(1001), 'setting-refused'],
    ['config.usage.default_path', '/etc', 'setting-refused'],
    ['config.OpenWebif.port', '81', 'setting-refused'],
    ['config.ParentalControl.servicepin[0]', '1', 'setting-refused'],
    ['config.nothing.of.the.kind', '1', 'setting-unknown'],
    ['config.__class__', '1', 'setting-unknown'],
    ['__proto__', '1', 'setting-unknown'],
    ['constructor', '1', 'setting-unknown'],
    ['', '1', 'setting-unknown'],
  ])('%s: %j is refused', async (key, value, code) => {
    await expect(Settings.read(path).change(key, value)).rejects.toMatchObject({ code });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('accepts the parts of lists and dictionaries as parts of the name', () => {
    expect(plainKey('config.a[0].b[\'c d\']["e"]')).toBe('config.a.0.b.c d.e');
    expect(plainKey(' config.a.b ')).toBe('config.a.b');
    expect(plainKey('config.a[b]')).toBe('config.a[b]');
  });
});
