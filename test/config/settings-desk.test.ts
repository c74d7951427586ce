/** Settings as people see and change them: their file, and what is refused. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SettingsInFile } from '../../src/commands/settings-desk.ts';
import { loadConfiguration } from '../../src/config.ts';
import { irreplaceable } from '../fixtures/irreplaceable.ts';
import { noMount } from '../fixtures/small-disk.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const anna = { hasLoggedIn: true };
const atHome = { hasLoggedIn: false };

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
  const one = (name: string) => desk.list(anna).find((setting) => setting.name === name);
  return { desk, one, file, text: () => readFileSync(file, 'utf8'), reloads: () => reloads };
}

describe('the settings', () => {
  it('that are texts need a login unless they are known to reach no further than the receiver', () => {
    const { desk } = openDesk();
    const free = desk.list(atHome).filter(({ kind, guard }) => (kind === 'text' || kind === 'list') && guard === '');
    expect(free.map(({ name }) => name)).toEqual([
      'locations',
      'tuners',
      'name',
      'timeZone',
      'languages',
      'satip.server.satellites',
      'iptv.interface',
      'iptv.userAgent',
      'cleaning.keepTag',
    ]);
  });

  it('that open a door need a login', () => {
    const { desk } = openDesk();
    const closed = desk.list(atHome).filter(({ kind, guard }) => kind !== 'text' && kind !== 'list' && guard !== '');
    expect(closed.map(({ name }) => name)).toEqual([
      'access.webLogin',
      'access.streamLogin',
      'access.sessionDays',
      'access.ticketHours',
      'tls.port',
      'tls.streamPort',
      'tls.hsts',
      'power.shutdown',
      'remote.uinput',
      'evil',
    ]);
  });

  it('that name a program are changed by nobody', () => {
    const { desk } = openDesk();
    const programs = desk.list(anna).filter(({ guard }) => guard.startsWith('names a program'));
    expect(programs.map(({ name }) => name).sort()).toEqual([
      'conversion.path',
      'mpv.options',
      'mpv.path',
      'power.rebootCommand',
      'power.shutdownCommand',
    ]);
  });

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
    const later = await desk.change({ name: 'Cellar', 'guide.history': 60, 'cleaning.deleteAfter': 30 }, anna);
    expect(text()).toBe(
      '# The kitchen\nname: Cellar # not the cellar\nguide:\n  # history: 60\n  collectEvery: 7200\n  history: 60\ncleaning:\n  deleteAfter: 30\n',
    );
    expect(later).toEqual(['name', 'guide.history']);
    expect(one('name')).toMatchObject({ value: 'Cellar', isPending: true });
  });

  it('go back to their defaults', async () => {
    const { desk, one, text, reloads } = openDesk('# mine\nguide:\n  history: 60\n');
    await desk.change({ 'guide.history': null }, anna);
    expect(text()).not.toContain('history');
    expect(one('guide.history')).toMatchObject({ value: 0, source: 'default' });
    expect(reloads()).toBe(1);
  });

  it('go into a new file for its owner alone, and into a group whose settings are all commented out', async () => {
    const { desk, file, text } = openDesk();
    await desk.change({ languages: ['deu', 'eng'] }, anna);
    expect(text()).toBe('languages:\n  - deu\n  - eng\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const other = openDesk('guide:\n  # history: 60\n');
    await other.desk.change({ 'guide.history': 5 }, anna);
    expect(other.one('guide.history')).toMatchObject({ value: 5 });
  });

  it('are checked before they are written', async () => {
    const { desk, text, reloads } = openDesk('name: Kitchen\n');
    const changed = (changes: object) => desk.change({ ...changes }, anna);
    await expect(changed({ 'guide.history': 'long', name: 'x' })).rejects.toMatchObject({
      code: 'setting-invalid',
      message: 'guide.history is "long"; it must be a whole number from 0 to 604800',
    });
    await expect(changed({ tuners: ['dvb:x'] })).rejects.toMatchObject({ code: 'setting-invalid' });
    await expect(changed({ tuners: Array(65).fill('demo') })).rejects.toMatchObject({
      code: 'setting-invalid',
      message: 'tuners has 65 entries; at most 64 are allowed',
    });
    await expect(changed({ 'iptv.interface': 'x'.repeat(260_000) })).rejects.toMatchObject({
      code: 'setting-invalid',
      message: 'iptv.interface has 260000 characters; at most 64 are allowed',
    });
    await expect(changed({ locations: ['/proc/recordings'] })).rejects.toMatchObject({
      code: 'setting-invalid',
      message: expect.stringContaining(
        "locations: /proc/recordings/ cannot be used: '/proc/recordings' cannot be created",
      ),
    });
    await expect(changed({ colour: 'red' })).rejects.toMatchObject({ code: 'setting-unknown' });
    await expect(changed({ guide: {} })).rejects.toMatchObject({ code: 'setting-unknown' });
    await expect(changed({ dataDir: '/x' })).rejects.toMatchObject({ code: 'setting-refused' });
    expect([text(), reloads()]).toEqual(['name: Kitchen\n', 0]);
  });

  it('never make a file that the next start cannot read', async () => {
    const comments = `# ${'x'.repeat(2 ** 20 - 100)}\n`;
    const { desk, text } = openDesk(`${comments}name: Kitchen\n`);
    await expect(desk.change({ 'iptv.userAgent': 'x'.repeat(200) }, anna)).rejects.toMatchObject({
      code: 'setting-invalid',
      message: expect.stringContaining('is larger than 1048576 bytes'),
    });
    expect(text()).toBe(`${comments}name: Kitchen\n`);
  });

  it('are kept as they were before a change, which is what a file that cannot be read is replaced with', async () => {
    const { desk, one, file, text } = openDesk('name: Kitchen\n');
    await desk.change({ name: 'Cellar' }, anna);
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('name: Kitchen\n');
    expect(desk.trouble).toBe('');
    writeFileSync(file, 'name: [Attic\n');
    expect(one('name')).toMatchObject({ value: 'Kitchen', source: 'file' });
    expect(desk.trouble).toContain(`${file}:2: Flow sequence`);
    await desk.change({ 'guide.history': 60 }, anna);
    expect(text()).toBe('name: Kitchen\nguide:\n  history: 60\n');
    expect(readFileSync(`${file}.damaged`, 'utf8')).toBe('name: [Attic\n');
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('name: Kitchen\n');
    expect(desk.trouble).toBe('');
  });

  it('do not show secrets', () => {
    const { one } = openDesk('iptv:\n  userAgent: box-4711\norigins: ["https://user:secret@panel.example"]\n');
    expect(one('iptv.userAgent')).toMatchObject({ value: undefined, isSecret: true });
    expect(one('origins')).toMatchObject({ value: undefined, isSecret: true });
    expect(one('power.shutdownCommand')).toMatchObject({ value: ['systemctl', 'poweroff'], isSecret: false });
  });

  it('do not give those at home the rights of the process', async () => {
    const { desk, one, file } = openDesk();
    const folder = temporaryFolder();
    const change = (changes: object, by = atHome) => desk.change({ ...changes }, by);
    const refused = { code: 'setting-refused' };
    for (const by of [atHome, anna])
      await expect(change({ 'power.shutdownCommand': ['sh'] }, by)).rejects.toMatchObject(refused);
    await expect(change({ 'access.allow': ['0.0.0.0/0'] })).rejects.toMatchObject(refused);
    await expect(change({ picons: ['/'] })).rejects.toMatchObject(refused);
    await expect(change({ locations: ['/'] })).rejects.toMatchObject(refused);
    await expect(change({ tuners: ['file:/etc/passwd'] })).rejects.toMatchObject(refused);
    expect(existsSync(file)).toBe(false);
    await change({ locations: [join(folder, 'new'), folder], tuners: ['satip:192.0.2.7'] });
    await change({ picons: [folder] }, anna);
    expect(one('picons')).toMatchObject({ value: [folder], guard: '' });
    expect(desk.list(atHome).find(({ name }) => name === 'mpv.path')?.guard).toContain('program');
  });

  it('say that the file cannot be written', async ({ skip }) => {
    const { desk, file } = openDesk('name: Kitchen\n');
    if (irreplaceable(file) === undefined) skip(noMount);
    await expect(desk.change({ name: 'Cellar' }, anna)).rejects.toMatchObject({ code: 'file-unwritable' });
  });
});
