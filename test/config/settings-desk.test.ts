/** Settings as people see and change them: their file, and what is refused. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SettingsInFile } from '../../src/commands/settings-desk.ts';
import { loadConfiguration } from '../../src/config.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

function openDesk(text?: string, flags: object = {}) {
  const dataDir = temporaryFolder();
  const file = join(dataDir, 'receiverd.yaml');
  if (text !== undefined) writeFileSync(file, text);
  const given = { dataDir, ...flags };
  const running = loadConfiguration({ flags: given });
  let reloads = 0;
  const desk = new SettingsInFile({
    config: undefined,
    flags: given,
    running: () => running,
    reload: () => {
      reloads++;
    },
  });
  const one = (name: string) => desk.list().find((setting) => setting.name === name);
  return { desk, one, file, text: () => readFileSync(file, 'utf8'), reloads: () => reloads };
}

describe('the settings', () => {
  it('are read from the file in the data folder where no other is named', () => {
    const { one } = openDesk('name: Kitchen\n');
    expect(one('name')).toMatchObject({ value: 'Kitchen', source: 'file', preset: 'receiverd', isPending: false });
    expect(one('httpPort')).toMatchObject({ value: 8080, source: 'default', minimum: 0, maximum: 65_535 });
    expect(one('dataDir')).toMatchObject({ source: 'flag' });
  });

  it('keep their comments and their order when one changes', async () => {
    const { desk, one, text } = openDesk(
      '# The kitchen\nname: Kitchen # not the cellar\nguide:\n  # history: 60\n  collectEvery: 7200\n',
    );
    const later = await desk.change({ name: 'Cellar', 'guide.history': 60, 'cleaning.deleteAfter': 30 });
    expect(text()).toBe(
      '# The kitchen\nname: Cellar # not the cellar\nguide:\n  # history: 60\n  collectEvery: 7200\n  history: 60\ncleaning:\n  deleteAfter: 30\n',
    );
    expect(later).toEqual(['name', 'guide.history']);
    expect(one('name')).toMatchObject({ value: 'Cellar', isPending: true });
  });

  it('go back to their defaults', async () => {
    const { desk, one, text, reloads } = openDesk('# mine\nguide:\n  history: 60\n');
    await desk.change({ 'guide.history': null });
    expect(text()).not.toContain('history');
    expect(one('guide.history')).toMatchObject({ value: 0, source: 'default' });
    expect(reloads()).toBe(1);
  });

  it('go into a new file for its owner alone, and into a group whose settings are all commented out', async () => {
    const { desk, file, text } = openDesk();
    await desk.change({ languages: ['deu', 'eng'] });
    expect(text()).toBe('languages:\n  - deu\n  - eng\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const other = openDesk('guide:\n  # history: 60\n');
    await other.desk.change({ 'guide.history': 5 });
    expect(other.one('guide.history')).toMatchObject({ value: 5 });
  });

  it('are checked before they are written', async () => {
    const { desk, text, reloads } = openDesk('name: Kitchen\n');
    const changed = (changes: object) => desk.change({ ...changes });
    await expect(changed({ 'guide.history': 'long', name: 'x' })).rejects.toMatchObject({
      code: 'setting-invalid',
      message: 'guide.history is "long"; it must be a whole number from 0 to 604800',
    });
    await expect(changed({ tuners: ['dvb:x'] })).rejects.toMatchObject({ code: 'setting-invalid' });
    await expect(changed({ colour: 'red' })).rejects.toMatchObject({ code: 'setting-unknown' });
    await expect(changed({ guide: {} })).rejects.toMatchObject({ code: 'setting-unknown' });
    await expect(changed({ dataDir: '/x' })).rejects.toMatchObject({ code: 'setting-refused' });
    expect([text(), reloads()]).toEqual(['name: Kitchen\n', 0]);
  });

  it('do not show secrets', () => {
    const { one } = openDesk('iptv:\n  userAgent: box-4711\norigins: ["https://user:secret@panel.example"]\n');
    expect(one('iptv.userAgent')).toMatchObject({ value: undefined, isSecret: true });
    expect(one('origins')).toMatchObject({ value: undefined, isSecret: true });
    expect(one('power.shutdownCommand')).toMatchObject({ value: ['systemctl', 'poweroff'], isSecret: false });
  });

  it('say that the file cannot be written', async () => {
    const { desk, file } = openDesk('name: Kitchen\n');
    mkdirSync(`${file}.writing`);
    await expect(desk.change({ name: 'Cellar' })).rejects.toMatchObject({ code: 'file-unwritable' });
  });
});
