/** `receiverd doctor`: what it reports for different machines and settings. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { examine } from '../../src/commands/doctor.ts';
import { missingFirmware } from '../../src/commands/kernel-messages.ts';
import { uinputPath } from '../../src/device/remote.ts';
import { sourceOf } from '../../src/guide-sources/source.ts';
import { noResult } from '../../src/guide-sources/sources-file.ts';
import { ScriptedDevice } from '../dvb/hdhomerun/scripted-device.ts';
import { timeAndDate } from '../fixtures/sections.ts';
import { noMount, smallDisk } from '../fixtures/small-disk.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';

afterEach(() => vi.restoreAllMocks());

/** What the doctor reports about one subject, and whether the receiver can start with these settings. */
async function findings(folder: string, what: string, settings: object): Promise<[boolean, string]> {
  const file = join(folder, 'receiverd.yaml');
  const own = { dataDir: join(folder, 'data'), bind: '127.0.0.1', httpPort: 0, streamPort: 0 };
  writeFileSync(file, JSON.stringify({ ...own, ...settings }));
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const healthy = await examine({ config: file });
  return [healthy, lines.filter((line) => line.includes(what)).join('\n')];
}

describe('the doctor', () => {
  it.each([
    ['none', '', true, ''],
    ['mpv', '', false, 'ENOENT'],
    ['mpv', 'echo "mpv 0.35.1 Copyright"', true, 'ok    output'],
    ['mpv', 'echo "mpv git-2024-05-01 Copyright"', true, 'ok    output'],
    ['mpv', 'echo "mpv 0.29.1 Copyright"', false, 'older than 0.33'],
    ['mpv', 'echo "ffplay version 5"', false, 'is not mpv'],
    ['mpv', 'exit 3', false, 'Command failed'],
  ])('checks the output %s with "%s"', async (output, program, healthy, said) => {
    const folder = temporaryFolder();
    const path = join(folder, 'player');
    if (program !== '') writeFileSync(path, `#!/bin/sh\n${program}\n`);
    if (program !== '') chmodSync(path, 0o700);
    const [works, text] = await findings(folder, 'output', { output, mpv: { path } });
    expect(text).toContain(said);
    expect(works).toBe(healthy);
  });

  it.each([
    [['demo'], ['0d11:eeee0000:0d01:ff0d:1:0'], true, 'ok    channels'],
    [['demo'], ['0d11:eeee0000:0d01:ff0d:1:0', '0001:00c00000:0001:0001:1:0'], false, 'only tuner: 1'],
    [['none'], ['0001:00c00000:0001:0001:1:0'], true, ''],
  ])('with the tuners %j and the channels %j', async (tuners, listed, healthy, said) => {
    const enigma2Dir = temporaryFolder();
    const services = listed.map((ids) => `${ids}\nChannel\np:\n`).join('');
    writeFileSync(join(enigma2Dir, 'lamedb'), `eDVB services /4/\ntransponders\nend\nservices\n${services}end\n`);
    const [works, text] = await findings(temporaryFolder(), 'channels of the lists', { tuners, enigma2Dir });
    if (said === '') expect(text).toBe('');
    expect(text).toContain(said);
    expect(works).toBe(healthy);
  });

  it.each([
    [false, ['no-such-program'], true, ''],
    [true, [process.execPath, 'off'], true, `ok    command ${process.execPath}`],
    [true, ['touch', 'off'], true, 'ok    command touch'],
    [true, ['no-such-program', 'off'], false, 'FAIL  command no-such-program for shutting down: no such program'],
  ])('checks the shutdown commands if shutting down is allowed: %s %j', async (shutdown, command, healthy, said) => {
    const power = { shutdown, shutdownCommand: command, rebootCommand: command, wakeAlarm: 'none' };
    const [works, text] = await findings(temporaryFolder(), 'command', { power });
    expect(text).toContain(said);
    expect(works).toBe(healthy);
  });

  it('reports a front end that does not exist', async () => {
    const [works, text] = await findings(temporaryFolder(), 'dvb', { tuners: ['dvb:7/1'] });
    expect(text).toContain('FAIL  tuner dvb:7/1: there is no such front end');
    expect(text).toContain('group video');
    expect(works).toBe(false);
  });

  it('names each missing firmware file of tuners once', () => {
    const messages = [
      'usb 1-1: new high-speed USB device number 4 using xhci_hcd',
      'si2168 7-0064: Direct firmware load for dvb-demod-si2168-b40-01.fw failed with error -2',
      'si2168 7-0064: Direct firmware load for dvb-demod-si2168-b40-01.fw failed with error -2',
      "si2168 7-0064: firmware file 'dvb-demod-si2168-02.fw' not found",
      'iwlwifi 0000:02:00.0: Direct firmware load for iwlwifi-8000C-36.ucode failed with error -2',
    ];
    expect(missingFirmware(messages)).toEqual(['dvb-demod-si2168-b40-01.fw', 'dvb-demod-si2168-02.fw']);
  });

  it('examines the data folder given as a flag, not the one in the configuration file', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'receiverd.yaml');
    writeFileSync(file, JSON.stringify({ dataDir: join(folder, 'file'), httpPort: 0, streamPort: 0 }));
    const lines: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
    expect(await examine({ config: file, dataDir: join(folder, 'flag') })).toBe(true);
    expect(lines).toContain(`ok    folder ${join(folder, 'flag')}`);
    expect(existsSync(join(folder, 'file'))).toBe(false);
  });

  it('prints JSON', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'receiverd.yaml');
    const capture = join(folder, 'nothing.ts');
    const settings = { tuners: ['demo', `file:${capture}`], bind: '127.0.0.1', httpPort: 0, streamPort: 0 };
    writeFileSync(file, JSON.stringify(settings));
    const lines: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
    expect(await examine({ config: file, dataDir: folder, json: true })).toBe(false);
    const { healthy, findings } = JSON.parse(lines.join('\n'));
    expect(healthy).toBe(false);
    expect(findings).toContainEqual({
      kind: 'folder',
      subject: `folder ${folder}`,
      ok: true,
      problem: null,
      remedy: null,
    });
    expect(findings).toContainEqual({
      kind: 'tuner',
      subject: `tuner file:${capture}`,
      ok: false,
      problem: 'no such file or directory',
      remedy: 'name another with --tuner (demo needs no hardware)',
    });
  });

  it('reports accounts that cannot be read, because then nobody can log in', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'accounts.json'), '{"broken');
    const [works, text] = await findings(folder, 'accounts', {});
    expect(works).toBe(false);
    expect(text).toMatch(/^FAIL {2}accounts in .*accounts\.json: is not JSON; correct it, or remove it/m);
  });

  it('reports a folder on a full disk', async ({ skip }) => {
    const disk = smallDisk(65_536);
    if (disk === undefined) return skip(noMount);
    const path = join(disk, 'movie');
    mkdirSync(path);
    const settings = { locations: [path] };
    const folder = temporaryFolder();
    expect((await findings(folder, path, settings))[1]).toMatch(/^ok/);
    expect(() => writeFileSync(join(path, 'rest'), Buffer.alloc(1 << 20))).toThrow('ENOSPC');
    expect(await findings(folder, path, settings)).toEqual([
      false,
      expect.stringContaining(`FAIL  folder ${path}/: no space is left`),
    ]);
  });

  it('reports lists that cannot be read, and damaged timers', async () => {
    const folder = temporaryFolder();
    const enigma2Dir = join(folder, 'data', 'enigma2');
    mkdirSync(enigma2Dir, { recursive: true });
    const path = join(enigma2Dir, 'timers.xml');
    expect(await findings(folder, 'timers', {})).toEqual([true, `ok    timers ${path}`]);
    execFileSync('mkfifo', [join(enigma2Dir, 'lamedb')]);
    writeFileSync(path, '<timers><timer begin="1" end="2" serviceref="1:0:1:2:3:4:5:0:0:0:">');
    const [, ofLists] = await findings(folder, 'service lists', {});
    expect(ofLists).toContain(`${join(enigma2Dir, 'lamedb')} is not a regular file`);
    const [works, ofTimers] = await findings(folder, 'timers', {});
    expect(ofTimers).toMatch(/FAIL {2}timers .*timers\.xml: it is damaged in line 1: .*; timers read: 1$/m);
    expect(works).toBe(false);
    expect(existsSync(`${path}.damaged`)).toBe(false);
    writeFileSync(path, '<timers/>');
    writeFileSync(`${path}.damaged`, 'torn');
    expect((await findings(folder, 'timers', {}))[1]).toContain('timers.xml.damaged has timers that could not be read');
  });

  it('says what is wrong with guide sources, and what to do', async () => {
    const folder = temporaryFolder();
    const urls = ['http://127.0.0.1:1/a', 'http://127.0.0.1:1/b'];
    const options = { every: 900, times: [], priority: 0 };
    const [a = '', b = ''] = urls.map((url) => sourceOf('url', url, true, options).id);
    mkdirSync(join(folder, 'data'));
    const results = {
      [a]: { ...noResult, failures: 1, problem: '127.0.0.1 is refused unless iptv.allow contains it' },
      [b]: { ...noResult, problem: 'none of its channels is in the channel lists' },
    };
    writeFileSync(join(folder, 'data/guide-sources.json'), JSON.stringify({ results }));
    const [works, text] = await findings(folder, 'guide source', { guide: { sources: urls.map((url) => ({ url })) } });
    expect(works).toBe(false);
    expect(text).toMatch(
      /^FAIL {2}guide source 127.0.0.1:1: 127.0.0.1 is refused unless iptv.allow contains it\n.*iptv\.allow.* restart, which reads/,
    );
    expect(text).toMatch(
      /\nFAIL {2}guide source 127.0.0.1:1 \(2\): none of its channels is in the channel lists\n.*epg match/,
    );
  });

  it('names the systems of an HDHomeRun, and accepts one that has only channels', async () => {
    const device = new ScriptedDevice({});
    device.features = 'modulation: dvbt dvbt2 dvbc 8vsb\n';
    await device.start();
    const channels = [{ GuideName: 'One', URL: 'http://127.0.0.1/auto/v1' }];
    const web = createServer((_, response) => void response.end(JSON.stringify(channels))).listen(0, '127.0.0.1');
    await once(web, 'listening');
    const { port } = web.address() as AddressInfo;
    const settings = (tuner: string, allow: readonly string[]) => ({ tuners: [tuner], iptv: { allow } });
    const check = (tuner: string, allow: readonly string[]) =>
      findings(temporaryFolder(), 'tuner', settings(tuner, allow));
    const tuner = `hdhomerun:127.0.0.1:${device.port}`;
    expect(await check(tuner, [])).toEqual([true, `ok    tuner ${tuner} HDHR4-2DT (DVB-T2/DVB-C/ATSC)`]);
    const only = `hdhomerun:127.0.0.1:${port}`;
    expect(await check(only, ['127.0.0.1'])).toEqual([true, `ok    tuner ${only} (only channels: 1)`]);
    const [works, text] = await check(only, []);
    expect([works, text]).toEqual([false, expect.stringContaining('refused unless iptv.allow contains it')]);
    web.close();
    await device.close();
  });

  it('says when the clock cannot follow a capture, because it carries no time', async () => {
    const folder = temporaryFolder();
    const services = [{ serviceId: 1, name: 'One' }];
    const shape = { transportStreamId: 1, originalNetworkId: 1, services, bitRate: 200_000, seconds: 2 };
    const [without, withTime] = [join(folder, 'without.ts'), join(folder, 'with.ts')];
    writeTransportStream(without, shape);
    writeTransportStream(withTime, { ...shape, sections: [{ seconds: 1, pid: 0x14, section: timeAndDate }] });
    const check = (path: string, clock: string) =>
      findings(temporaryFolder(), 'tuner', { tuners: [`file:${path}`], clock });
    const [works, text] = await check(without, 'broadcast');
    expect([works, text]).toEqual([false, expect.stringContaining('carries no time (TDT, TOT or STT)')]);
    expect(await check(without, 'system')).toEqual([true, `ok    tuner file:${without}`]);
    expect(await check(withTime, 'broadcast')).toEqual([true, `ok    tuner file:${withTime}`]);
  });

  it('checks the alarm that switches the machine on', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'wakealarm');
    const about = (wakeAlarm: string) => {
      const command = ['touch', 'off'];
      const power = { shutdown: true, shutdownCommand: command, rebootCommand: command, wakeAlarm };
      return findings(folder, 'alarm', { power });
    };
    const [works, text] = await about(file);
    expect(text).toContain(`FAIL  alarm ${file} that switches the machine on for a timer: cannot be written`);
    expect(works).toBe(false);
    writeFileSync(file, '');
    expect((await about(file))[0]).toBe(true);
    expect(await about('none')).toEqual([
      true,
      'ok    no alarm that switches the machine on: pending timers keep it on',
    ]);
  });

  it('checks access to the keys of this machine if they are enabled', async () => {
    expect(await findings(temporaryFolder(), uinputPath, {})).toEqual([true, '']);
    const [works, text] = await findings(temporaryFolder(), uinputPath, { remote: { uinput: true } });
    expect(text).toContain(`${works ? 'ok   ' : 'FAIL '} ${uinputPath} for the keys of the remote control`);
  });
});
