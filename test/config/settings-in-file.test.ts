/** Listing and changing settings: what is written to the file, and what is refused. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SettingsInFile } from '../../src/commands/settings-in-file.ts';
import { loadConfiguration } from '../../src/config/config.ts';
import { irreplaceable } from '../fixtures/irreplaceable.ts';
import { noMount } from '../fixtures/small-disk.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

function openEditor(text?: string, flags: object = {}) {
  const dataDir = temporaryFolder();
  const file = join(dataDir, 'receiverd.yaml');
  if (text !== undefined) writeFileSync(file, text);
  const given = { dataDir, ...flags };
  const running = loadConfiguration({ flags: given });
  let reloads = 0;
  const editor = new SettingsInFile({
    config: undefined,
    flags: given,
    running: () => running,
    reload: () => {
      reloads++;
    },
  });
  const one = (name: string) => editor.list().find((setting) => setting.name === name);
  return { editor, one, file, text: () => readFileSync(file, 'utf8'), reloads: () => reloads };
}

describe('the settings', () => {
  it('that name a program or a path can be changed only in the file', async () => {
    const { editor, file } = openEditor();
    const guarded = editor.list().filter(({ guard }) => guard.startsWith('names a '));
    expect(guarded.map(({ name }) => name)).toEqual([
      'enigma2Dir',
      'picons',
      'scanTables',
      'locationRoots',
      'tls.certificate',
      'tls.key',
      'guide.sources',
      'guide.huffman',
      'timeshift.folder',
      'hls.folder',
      'conversion.path',
      'power.shutdownCommand',
      'power.rebootCommand',
      'power.wakeAlarm',
      'hooks.recordingStarted',
      'hooks.recordingEnded',
      'hooks.recordingFailed',
      'hooks.timerAdded',
      'hooks.conflict',
      'advertisements.command',
      'mpv.path',
      'mpv.options',
    ]);
    for (const { name, value } of guarded)
      await expect(editor.change({ [name]: value ?? 'x' })).rejects.toMatchObject({ code: 'setting-refused' });
    expect(existsSync(file)).toBe(false);
  });

  it('are read from the file in the data folder if no other is named', () => {
    const { one } = openEditor('name: Kitchen\n');
    expect(one('name')).toMatchObject({ value: 'Kitchen', source: 'file', default: 'receiverd', isPending: false });
    expect(one('httpPort')).toMatchObject({ value: 8080, source: 'default', minimum: 0, maximum: 65_535 });
    expect(one('dataDir')).toMatchObject({ source: 'flag' });
  });

  it('keep their comments and their order when one changes', async () => {
    const { editor, one, text } = openEditor(
      '# The kitchen\nname: Kitchen # not the cellar\nguide:\n  # history: 60\n  collectEvery: 7200\n',
    );
    const later = await editor.change({ name: 'Cellar', 'guide.history': 60, 'cleaning.deleteAfter': 30 });
    expect(text()).toBe(
      '# The kitchen\nname: Cellar # not the cellar\nguide:\n  # history: 60\n  collectEvery: 7200\n  history: 60\ncleaning:\n  deleteAfter: 30\n',
    );
    expect(later).toEqual(['name', 'guide.history']);
    expect(one('name')).toMatchObject({ value: 'Cellar', isPending: true });
  });

  it('can be reset to their defaults', async () => {
    const { editor, one, text, reloads } = openEditor('# mine\nguide:\n  history: 60\n');
    await editor.change({ 'guide.history': null });
    expect(text()).not.toContain('history');
    expect(one('guide.history')).toMatchObject({ value: 0, source: 'default' });
    expect(reloads()).toBe(1);
  });

  it('are written to a new file that only its owner can read, and into a group whose settings are all commented out', async () => {
    const { editor, file, text } = openEditor();
    await editor.change({ languages: ['deu', 'eng'] });
    expect(text()).toBe('languages:\n  - deu\n  - eng\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const other = openEditor('guide:\n  # history: 60\n');
    await other.editor.change({ 'guide.history': 5 });
    expect(other.one('guide.history')).toMatchObject({ value: 5 });
  });

  it('are checked before they are written', async () => {
    const { editor, file, text, reloads } = openEditor('name: Kitchen\n');
    const movie = join(dirname(file), 'movie');
    mkdirSync(movie);
    const changed = (changes: object) => editor.change({ ...changes });
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
    await expect(changed({ locations: [join(file, 'films')] })).rejects.toMatchObject({ code: 'setting-refused' });
    writeFileSync(join(movie, 'film'), '');
    await expect(changed({ locations: [join(movie, 'film')] })).rejects.toMatchObject({
      code: 'setting-invalid',
      message: expect.stringContaining(`locations: ${movie}/film/ cannot be used`),
    });
    await expect(changed({ locations: [{ toString: 1 }] })).rejects.toMatchObject({ code: 'setting-invalid' });
    await expect(changed({ colour: 'red' })).rejects.toMatchObject({ code: 'setting-unknown' });
    await expect(changed({ guide: {} })).rejects.toMatchObject({ code: 'setting-unknown' });
    await expect(changed({ dataDir: '/x' })).rejects.toMatchObject({ code: 'setting-refused' });
    expect([text(), reloads()]).toEqual(['name: Kitchen\n', 0]);
  });

  it('are never written as a file that the next start cannot read', async () => {
    const comments = `# ${'x'.repeat(2 ** 20 - 100)}\n`;
    const { editor, text } = openEditor(`${comments}name: Kitchen\n`);
    await expect(editor.change({ 'iptv.userAgent': 'x'.repeat(200) })).rejects.toMatchObject({
      code: 'setting-invalid',
      message: expect.stringContaining('is larger than 1048576 bytes'),
    });
    expect(text()).toBe(`${comments}name: Kitchen\n`);
  });

  it('have a backup copy from before the last change, which replaces a file that cannot be read', async () => {
    const { editor, one, file, text } = openEditor('name: Kitchen\n');
    await editor.change({ name: 'Cellar' });
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('name: Kitchen\n');
    expect(editor.trouble).toBe('');
    writeFileSync(file, 'name: [Attic\n');
    expect(one('name')).toMatchObject({ value: 'Kitchen', source: 'file' });
    expect(editor.trouble).toContain(`${file}:2: Flow sequence`);
    await editor.change({ 'guide.history': 60 });
    expect(text()).toBe('name: Kitchen\nguide:\n  history: 60\n');
    expect(readFileSync(`${file}.damaged`, 'utf8')).toBe('name: [Attic\n');
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('name: Kitchen\n');
    expect(editor.trouble).toBe('');
  });

  it('do not show secrets', () => {
    const { one } = openEditor('iptv:\n  userAgent: box-4711\norigins: ["https://user:secret@panel.example"]\n');
    expect(one('iptv.userAgent')).toMatchObject({ value: undefined, isSecret: true });
    expect(one('origins')).toMatchObject({ value: undefined, isSecret: true });
    expect(one('power.shutdownCommand')).toMatchObject({ value: ['systemctl', 'poweroff'], isSecret: false });
  });

  it('make the file unreadable for other users once it contains a secret', async () => {
    const { editor, file } = openEditor('name: Kitchen\n');
    chmodSync(file, 0o644);
    await editor.change({ name: 'Cellar' });
    expect(statSync(file).mode & 0o777).toBe(0o644);
    await editor.change({ 'mqtt.url': 'mqtt://broker.lan', 'mqtt.password': 'horse' });
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('do not send a stored password to another broker', async () => {
    const { editor, text } = openEditor('mqtt:\n  url: mqtts://broker.lan\n  password: horse\n');
    for (const url of ['mqtts://elsewhere.example', 'mqtt://broker.lan', 'mqtts://broker.lan:1'])
      await expect(editor.change({ 'mqtt.url': url })).rejects.toMatchObject({
        code: 'setting-refused',
        message: 'mqtt.url names another broker, which needs mqtt.password once more',
      });
    await editor.change({ 'mqtt.url': 'mqtts://broker.lan/' });
    await editor.change({ 'mqtt.url': 'mqtts://elsewhere.example', 'mqtt.password': 'horse' });
    expect(text()).toContain('elsewhere');
    await editor.change({ 'mqtt.url': '' });
  });

  it('take the login of a box that tuners names, and of no other host', async () => {
    const [attic, cellar] = ['enigma2:attic.lan', 'enigma2:192.0.2.9:8080,stream=8001'];
    const { editor, one, file, text, reloads } = openEditor(
      `tuners: [${attic}, '${cellar}', satip:192.0.2.7]\nenigma2:\n  # mine\n  logins:\n    - {host: elsewhere.lan, password: stable}\n`,
    );
    chmodSync(file, 0o644);
    const before = text();
    const login = { user: 'root', password: 'horse' };
    let checks = 0;
    const accept = async () => void checks++;
    for (const other of ['enigma2:elsewhere.lan', 'enigma2:192.0.2.9', 'satip:192.0.2.7', ''])
      await expect(editor.setBoxLogin(other, login, accept)).rejects.toMatchObject({ code: 'setting-refused' });
    await expect(editor.setBoxLogin(attic, login, () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
    const long = { user: 'root', password: 'x'.repeat(201) };
    await expect(editor.setBoxLogin(attic, long, accept)).rejects.toMatchObject({
      code: 'setting-invalid',
      message: expect.not.stringContaining('xxx'),
    });
    expect([text(), reloads()]).toEqual([before, 0]);
    checks = 0;
    for (const tuner of [attic, cellar]) await editor.setBoxLogin(tuner, login, accept);
    await editor.setBoxLogin(attic, { user: 'anna', password: '' }, accept);
    expect([checks, reloads(), statSync(file).mode & 0o777]).toEqual([3, 3, 0o640]);
    expect(loadConfiguration({ file }).enigma2.logins).toEqual([
      { host: 'elsewhere.lan', user: 'root', password: 'stable' },
      { host: '192.0.2.9', ...login },
      { host: 'attic.lan', user: 'anna', password: '' },
    ]);
    expect(one('enigma2.logins')).toMatchObject({ value: undefined, isSecret: true, needsRestart: false });
    await expect(editor.change({ 'enigma2.logins': [] })).rejects.toMatchObject({ code: 'setting-refused' });
  });

  it('do not send a stored token to another server', async () => {
    const { editor } = openEditor('notifications:\n  service: ntfy\n  url: https://ntfy.sh/topic\n  token: horse\n');
    for (const change of [{ 'notifications.url': 'https://elsewhere.example/' }, { 'notifications.service': 'gotify' }])
      await expect(editor.change(change)).rejects.toMatchObject({
        code: 'setting-refused',
        message: 'notifications.url names another server, which needs notifications.token once more',
      });
    await editor.change({ 'notifications.url': 'https://elsewhere.example/', 'notifications.token': 'stable' });
  });

  it('do not show the arguments of hooks, and addresses of notices', async () => {
    const { one } = openEditor(
      'hooks: {conflict: [/opt/hook, abcdef]}\nnotifications: {url: https://ntfy.sh/topic, webhooks: [http://home/x], user: me}\n',
    );
    for (const name of ['hooks.conflict', 'notifications.url', 'notifications.webhooks', 'notifications.user'])
      expect(one(name), name).toMatchObject({ value: undefined, isSecret: true });
  });

  it('add recording folders only below existing ones, after resolving links', async () => {
    const root = temporaryFolder();
    const outside = temporaryFolder();
    const { editor, one, file } = openEditor(`locationRoots: [${root}]\n`);
    const before = readFileSync(file, 'utf8');
    const movie = join(dirname(file), 'movie');
    mkdirSync(movie);
    symlinkSync(outside, join(root, 'link'));
    mkdirSync(join(dirname(file), 'tls'));
    for (const folder of [
      outside,
      '/',
      '/x/..',
      `/nowhere/..${outside}`,
      `${root}/../${basename(outside)}`,
      join(root, 'link'),
      join(root, 'link', 'new'),
      join(dirname(file), 'tls'),
      dirname(file),
      'relative',
    ])
      await expect(editor.change({ locations: [movie, folder] })).rejects.toMatchObject({
        code: 'setting-refused',
        message: expect.stringContaining(folder),
      });
    expect(readFileSync(file, 'utf8')).toBe(before);
    await editor.change({ locations: [join(root, 'new', 'films'), `${movie}/`, join(movie, 'series')] });
    expect(one('locations')?.value).toEqual([`${root}/new/films/`, `${movie}/`, `${movie}/series/`]);
    // A folder whose disk is not mounted stays.
    rmSync(movie, { recursive: true });
    await editor.change({ locations: [movie] });
  });

  it('report a file that cannot be written', async ({ skip }) => {
    const { editor, file } = openEditor('name: Kitchen\n');
    if (irreplaceable(file) === undefined) skip(noMount);
    await expect(editor.change({ name: 'Cellar' })).rejects.toMatchObject({ code: 'file-unwritable' });
  });
});
