/** The command line: what each command prints, on which stream, and its exit code. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ScriptedDevice } from '../dvb/hdhomerun/scripted-device.ts';
import { descriptor } from '../fixtures/sections.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { transportStream, writeTransportStream } from '../fixtures/transport-stream.ts';
import { until } from '../fixtures/waits.ts';
import { type LogLine, launchCommand, onTerminal, runProgram, startProgram } from './program.ts';

describe('setup', () => {
  test.skipIf(existsSync('/dev/dvb'))('says that there is no front end, and where to look', async () => {
    const folder = temporaryFolder();
    const { stdout, stderr, code } = await runProgram('setup', '--place', 'de', '--data-dir', folder);
    const [about, start, link, ...more] = stdout.split('\n');
    expect({ about, start, code, more }).toEqual({
      about: 'channels from the network need no tuner',
      start: `now run: receiverd start --data-dir ${folder}`,
      code: 1,
      more: [''],
    });
    expect(link).toMatch(/^then set a password at http:\/\/[^/]+\/#\/setup\?code=[A-Z2-9]{4}-[A-Z2-9]{4}$/);
    expect(stderr).toMatch(/^receiverd: no front end was found: .*dmesg.*doctor/);
  });

  test.skipIf(existsSync('/dev/dvb'))('needs no front end if boxes are used as tuners', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'receiverd.yaml'), 'tuners: [enigma2:192.0.2.9]\n');
    const { stdout, stderr, code } = await runProgram('setup', '--place', 'de', '--data-dir', folder);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(/^the boxes in the setting tuners need no scan: .*\nnow run: receiverd start/);
  });

  test('refuses a country that does not exist before it looks for anything', async () => {
    const { stdout, stderr, code } = await runProgram('setup', '--place', 'xx', '--data-dir', temporaryFolder());
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain("contains 'xx', which is neither a country code such as de");
  });

  test('saves nothing if the scan is aborted after its settings were agreed to', async () => {
    const folder = temporaryFolder();
    const device = new ScriptedDevice({});
    await device.start();
    const file = join(folder, 'receiverd.yaml');
    const settings = `tuners: ['hdhomerun:127.0.0.1:${device.port}']\ntimeZone: America/New_York\n`;
    writeFileSync(file, settings);
    const terminal = onTerminal(['setup', '--place', 'de', '--data-dir', folder]);
    await until(() => expect(terminal.output()).toContain('Use these settings? [Y/n]: '));
    terminal.type('\n');
    await until(() => expect(terminal.output()).toMatch(/^scanning \d+ transponders for de$/m));
    terminal.type('\x03');
    await terminal.ended;
    await device.close();
    expect(terminal.output()).toContain('no list or setting was changed');
    expect(readFileSync(file, 'utf8')).toBe(settings);
    expect(existsSync(join(folder, 'enigma2', 'settings'))).toBe(false);
  });

  test('refuses settings that are a pipe', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'enigma2'));
    execFileSync('mkfifo', [join(folder, 'enigma2', 'settings')]);
    const { stderr, code } = await runProgram('setup', '--place', 'de', '--data-dir', folder);
    expect({ stderr, code }).toEqual({ stderr: expect.stringContaining('is not a regular file'), code: 1 });
  });
});

describe('scan', () => {
  test('prints the services of a multiplex', async () => {
    const { stdout, stderr, code } = await runProgram('scan', '--tuner', 'demo');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toBe('Transport stream 3329, original network 65293 receiverd demo');
    expect(lines[1]).toMatch(/^ {2}3345 {2}Aldermoor One +Aldermoor Television +H\.264, AAC eng$/);
    expect(lines.at(-1)).toBe('services: 8 here, 2 named on other multiplexes');
  });

  test('prints JSON', async () => {
    const { stdout, stderr } = await runProgram('scan', '--tuner', 'demo', '--json');
    expect(stderr).toBe('');
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      transportStreamId: 3329,
      originalNetworkId: 65293,
      networkName: 'receiverd demo',
      complete: true,
    });
    expect(document.services).toHaveLength(8);
    expect(document.services[0]).toEqual({
      originalNetworkId: 65293,
      transportStreamId: 3329,
      serviceId: 3345,
      name: 'Aldermoor One',
      provider: 'Aldermoor Television',
      type: 1,
      scrambled: false,
      channelNumber: 1,
      streams: [
        { pid: expect.any(Number), kind: 'video', codec: 'H.264', languages: [] },
        { pid: expect.any(Number), kind: 'audio', codec: 'AAC', languages: ['eng'] },
      ],
    });
    expect(document.otherServices).toHaveLength(2);
  });

  test('fails on a file that is missing or is not a transport stream', async () => {
    const folder = temporaryFolder();
    const missing = join(folder, 'nothing.ts');
    const text = join(folder, 'text.ts');
    const empty = join(folder, 'empty.ts');
    writeFileSync(text, 'No packets in here.\n'.repeat(10_000));
    writeFileSync(empty, '');
    mkdirSync(join(folder, 'folder.ts'));
    for (const [path, why] of [
      [missing, 'No such file or directory'],
      [text, 'this is not a transport stream (no transport packets found)'],
      [empty, 'this is not a transport stream (no transport packets found)'],
      [join(folder, 'folder.ts'), 'is a folder'],
    ] as const) {
      expect(await runProgram('scan', '--tuner', `file:${path}`)).toMatchObject({
        stdout: '',
        stderr: `receiverd: ${path}: ${why}\n`,
        code: 1,
      });
    }
  });

  test('fails on a stream of packets without tables', async () => {
    const file = join(temporaryFolder(), 'null.ts');
    const packet = Buffer.alloc(188, 0xff);
    packet.set([0x47, 0x1f, 0xff, 0x10]);
    writeFileSync(file, Buffer.concat(Array.from({ length: 1000 }, () => packet)));
    const { stdout, stderr, code } = await runProgram('scan', '--tuner', `file:${file}`);
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toMatch(/^receiverd: file:.*null\.ts: 1000 packets were received, but no tables that describe/);
  });

  test('stops on Ctrl-C and says so', async () => {
    const pipe = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { child, ended } = launchCommand('scan', '--tuner', `file:${pipe}`);
    // Waits for the reader.
    const writer = await open(pipe, 'w');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      stdout: '',
      stderr: 'receiverd: interrupted; the scan did not finish, no list was changed\n',
      code: 130,
    });
    await writer.close();
  });
});

describe('start', () => {
  // There, mkdir fails with an error that says nothing.
  test.skipIf(!existsSync('/proc/self'))('names a folder that cannot be made', async () => {
    expect(await runProgram('start', '--data-dir', '/proc/nothing')).toMatchObject({
      stdout: '',
      stderr: "receiverd: '/proc/nothing' cannot be created: '/proc' takes no new folders\n",
      code: 1,
    });
  });

  test('fails on a missing capture that the command line names', async () => {
    const folder = temporaryFolder();
    const capture = join(folder, 'nothing.ts');
    expect(await runProgram('start', '--data-dir', folder, '--tuner', `file:${capture}`)).toMatchObject({
      stdout: '',
      stderr: `receiverd: --tuner file:${capture}: no such file or directory\n`,
      code: 1,
    });
  });

  test('starts without a missing capture that the configuration names', async () => {
    const folder = temporaryFolder();
    const config = join(folder, 'receiverd.yaml');
    writeFileSync(config, 'tuners: [demo, file:nothing.ts]\n');
    const program = await startProgram(folder, '--config', config);
    expect((await program.get('/api/about')).status).toBe(200);
    expect(await program.stop()).toBe(0);
    const lines = program.log.map(({ msg }) => msg);
    expect(lines.slice(0, 2)).toEqual([
      'receiverd: tuner file:nothing.ts: no such file or directory',
      'receiverd: starting without it; it is opened as soon as the file exists and the tuner is needed',
    ]);
  });

  test('ends orderly on a signal that comes while it opens', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'enigma2'));
    const service = (id: number) => `${id.toString(16)}:eeee0000:0002:0003:25:0\nService ${id}\np:Provider\n`;
    const services = Array.from({ length: 60_000 }, (_, id) => service(id + 1)).join('');
    writeFileSync(
      join(folder, 'enigma2', 'lamedb'),
      `eDVB services /4/\ntransponders\nend\nservices\n${services}end\n`,
    );
    const { child, ended } = launchCommand('start', '--data-dir', folder, '--http-port', '0', '--stream-port', '0');
    while (!existsSync(join(folder, 'receiverd.lock')) && child.exitCode === null) await setTimeout(1);
    child.kill('SIGTERM');
    // By the signal itself if the machine is too slow to open before a stop times out.
    expect([0, null]).toContain((await ended).code);
  });

  test('starts without files that are pipes, and names each', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'enigma2'));
    const lists = ['settings', 'lamedb', 'lamedb5', 'bouquets.tv', 'userbouquet.x.tv', 'blacklist', 'whitelist'];
    const others = ['timers.xml', 'movietags', 'encoding.conf'];
    const named = [...lists, ...others].map((name) => join(folder, 'enigma2', name));
    const own = ['autotimers.json', 'instant-timers.xml'].map((name) => join(folder, name));
    const silent = ['state.json', 'satip.json'].map((name) => join(folder, name));
    // A link to one is one.
    const [first = '', ...rest] = [...named, ...own, ...silent];
    execFileSync('mkfifo', [join(folder, 'pipe'), ...rest]);
    symlinkSync(join(folder, 'pipe'), first);
    const program = await startProgram(folder, '--tuner', 'none');
    expect((await program.get('/api/getallservices')).status).toBe(200);
    expect(await program.stop()).toBe(0);
    const lines = program.log.map(({ msg = '' }) => msg);
    for (const file of [...named, ...own])
      expect(lines, file).toContainEqual(expect.stringMatching(new RegExp(`^${file}: is not a regular file`)));
  });

  test('is ready once the lists have what a capture without SDT and NIT sends', async () => {
    const folder = temporaryFolder();
    const shape = { transportStreamId: 7, originalNetworkId: 9, bitRate: 200_000, seconds: 2 };
    const services = [3, 4].map((serviceId) => ({ serviceId, name: '' }));
    const packets = transportStream({ ...shape, services });
    const dvb = new Set([0x10, 0x11]);
    const bare = Array.from({ length: packets.length / 188 }, (_, n) => packets.subarray(n * 188, (n + 1) * 188));
    writeFileSync(
      join(folder, 'bare.ts'),
      Buffer.concat(bare.filter((packet) => !dvb.has(packet.readUInt16BE(1) & 0x1fff))),
    );
    const program = await startProgram(folder, '--tuner', `file:${join(folder, 'bare.ts')}`);
    const { services: listed } = await program.json<{ services: { subservices: { servicename: string }[] }[] }>(
      '/api/getallservices?type=radio',
    );
    expect(listed.flatMap((one) => one.subservices).map((one) => one.servicename)).toEqual(['Service 3', 'Service 4']);
    expect(program.printed.filter((line) => line.includes('scan'))).toEqual([]);
    expect(await program.stop()).toBe(0);
  });

  test('lists two feeds with the same identifiers, and plays each from its own transponder', async () => {
    const folder = temporaryFolder();
    const shape = { transportStreamId: 0x765c, originalNetworkId: 0x7e, bitRate: 200_000, seconds: 2 };
    // 7.0° E, horizontal, DVB-S2, 30 Msymbol/s (EN 300 468 §6.2.13.2).
    const at = (frequency: string) => descriptor(0x43, Buffer.from(`${frequency}0070a503000003`, 'hex'));
    const one = [{ serviceId: 1, name: 'Feed one' }];
    const two = [
      { serviceId: 2, name: 'Other' },
      { serviceId: 1, name: 'Feed two' },
    ];
    writeTransportStream(join(folder, 'a.ts'), { ...shape, services: one, delivery: at('01126200') });
    writeTransportStream(join(folder, 'b.ts'), { ...shape, services: two, delivery: at('01130400') });
    const tuners = ['a.ts', 'b.ts'].flatMap((name) => ['--tuner', `file:${join(folder, name)}`]);
    const program = await startProgram(folder, ...tuners);
    const list = async () => {
      const { services } = await program.json<{
        services: { subservices: { servicename: string; servicereference: string }[] }[];
      }>('/api/getallservices?type=radio');
      return services.flatMap(({ subservices }) => subservices);
    };
    await until(async () => expect((await list()).map((each) => each.servicename)).toHaveLength(3));
    const listed = new Map((await list()).map((each) => [each.servicename, each.servicereference]));
    expect([...listed.keys()].sort()).toEqual(['Feed one', 'Feed two', 'Other']);
    const namespaces = [...listed.values()].map((reference) => reference.split(':')[6]);
    expect(new Set(namespaces).size).toBe(2);
    const audio: Readonly<Record<string, number>> = { 'Feed one': 0x200, 'Feed two': 0x201, Other: 0x200 };
    for (const [name, reference] of listed) {
      const stream = await fetch(`${program.stream}/${reference}?duration=2`);
      const packets = Buffer.from(await stream.arrayBuffer());
      const pids = new Set<number>();
      for (let start = 0; start < packets.length; start += 188) pids.add(packets.readUInt16BE(start + 1) & 0x1fff);
      expect(
        [...pids].filter((pid) => pid >= 0x200 && pid < 0x1fff),
        name,
      ).toEqual([audio[name]]);
    }
    // A recording notes the PIDs of its own (c:01 is MPEG audio).
    await program.json(`/api/zap?sRef=${listed.get('Feed two')}`);
    await program.json('/api/recordnow?recordnow=infinite');
    const metas = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) => /\.meta$/.test(one));
    await until(async () => expect(metas()).toHaveLength(1));
    expect(readFileSync(join(folder, metas()[0] ?? ''), 'utf8')).toContain('c:010201');
    expect(await program.stop()).toBe(0);
  });

  test('is ready before a pipe has sent anything, and says that the scan continues', async () => {
    const folder = temporaryFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const program = await startProgram(folder, '--tuner', `file:${pipe}`);
    expect(program.printed.slice(-2)).toEqual([
      'Channels               none yet; the service scan continues',
      expect.stringMatching(/^receiverd ready http=/),
    ]);
    expect(await program.stop()).toBe(0);
  });

  test.each(['hdhomerun:127.0.0.1:9', 'none'])('says where to set up the channels with the tuner %s', async (tuner) => {
    const program = await startProgram(temporaryFolder(), '--tuner', tuner);
    expect(program.printed.slice(-2)).toEqual([
      `Channels               none yet; scan or import them: ${program.http}/#/setup`,
      expect.stringMatching(/^receiverd ready http=/),
    ]);
    expect(await program.stop()).toBe(0);
  });

  test.each(['/dev/zero', '/dev/urandom'])('ends on request while its tuner reads %s', async (path) => {
    const program = await startProgram(temporaryFolder(), '--tuner', `file:${path}`);
    const isGivenUp = ({ msg = '' }: LogLine) => msg.endsWith(`${path}: no transport packets`);
    await until(() => expect(program.log.filter(isGivenUp)).toHaveLength(1));
    const zap = await program.json<{ message: string }>('/api/zap?sRef=1:0:1:1:1:1:C00000:0:0:0:');
    expect(zap.message).toContain(`${path}: no transport packets`);
    void program.get('/api/zap?sRef=1:0:1:2:1:1:C00000:0:0:0:').catch(() => undefined);
    expect(await program.stop()).toBe(0);
    // The same reason again is not worth a line.
    expect(program.log.filter(isGivenUp)).toHaveLength(1);
  });

  test('refuses a configuration file without end', async () => {
    expect(await runProgram('start', '--config', '/dev/zero')).toMatchObject({
      stdout: '',
      stderr: 'receiverd: /dev/zero: is larger than 1048576 bytes\n',
      code: 1,
    });
  });

  test.skipIf(!existsSync('/usr/bin/script'))(
    'logs JSON if stderr is not a terminal, and readable lines if it is',
    async () => {
      const folder = temporaryFolder();
      const program = await startProgram(folder, '--tuner', 'demo');
      await until(() => expect(program.log.find(({ msg }) => msg === 'services scanned')).toMatchObject({ level: 30 }));
      expect(await program.stop()).toBe(0);
      const terminal = onTerminal([
        'start',
        '--data-dir',
        folder,
        '--http-port',
        '0',
        '--stream-port',
        '0',
        '--tuner',
        'demo',
      ]);
      await until(() => expect(terminal.output()).toMatch(/^receiverd ready/m));
      terminal.type('\x03');
      await terminal.ended;
      expect(terminal.output()).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: Server listening/m);
      expect(terminal.output()).toContain('receiverd: stopping; press Ctrl-C again to stop at once');
      expect(terminal.output()).not.toContain('"level":30');
    },
  );
});
