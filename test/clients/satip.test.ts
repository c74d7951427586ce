/** ffmpeg and VDR as SAT>IP clients of the program. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { address, canIsolate, isolated } from '../fixtures/own-network.ts';
import { untilTrue } from '../fixtures/waits.ts';
import { isWholeRun } from '../fixtures/whole-run.ts';
import { type Program, removeFolder, root, startProgram, temporaryFolder } from '../receiver/program.ts';
import { tuners } from '../receiver/two-receivers.ts';
import { isInstalled, output, run } from './run.ts';

/** What the demo's network says of its transponder. */
const query = '?freq=474&bw=8&msys=dvbt';

describe.skipIf(!isInstalled('ffmpeg', '-version'))('ffmpeg', () => {
  const folder = temporaryFolder();
  let program: Program;
  let port: string;

  beforeAll(async () => {
    const settings = join(folder, 'receiverd.yaml');
    writeFileSync(settings, 'satip:\n  server:\n    enabled: true\n    port: 0\n');
    program = await startProgram(folder, '--tuner', 'demo', '--config', settings);
    const description = () => program.get('/satip/desc.xml');
    port = (await description()).headers.get('x-satip-rtsp-port') ?? '';
    // The transponder of the demo is known.
    await untilTrue(async () => (await (await description()).text()).includes('>DVBT-1<'));
  });

  afterAll(async () => {
    expect(program.log.filter(({ level }) => level > 30)).toEqual([]);
    await program.stop();
    removeFolder(folder);
  });

  it.each([
    ['satip', 'udp'],
    ['satip', 'tcp'],
    ['rtsp', 'udp'],
    ['rtsp', 'tcp'],
  ])('plays %s: by %s', async (scheme, transport) => {
    const address = `${scheme}://127.0.0.1:${port}/${query}&pids=all`;
    const flags = ['-v', 'error', '-rtsp_transport', transport, '-i', address, '-map', '0:v:0', '-frames:v', '50'];
    const { stdout } = await run('ffmpeg', [...flags, '-f', 'framemd5', '-']);
    const frames = stdout.toString().match(/^0,.*$/gm) ?? [];
    expect(frames.length).toBe(50);
    await untilTrue(async () =>
      (await tuners(program)).every(({ users }) => users.every(({ user }) => user !== '127.0.0.1')),
    );
  });
});

const haveVdr =
  isInstalled('vdr', '--version') && /^satip /m.test(spawnSync('vdr', ['-V', '-Psatip']).stdout.toString());

describe.skipIf(!canIsolate || !haveVdr)('VDR', () => {
  const ways: readonly (readonly [what: string, how: string])[] = [
    ['given the server', 'udp'],
    ['given the server', 'tcp'],
    // VDR searches once, at its start: a loaded machine may be too late for it.
    ...(isWholeRun ? [['by search', 'search'] as const] : []),
  ];
  it.each(ways)('%s (%s), tunes, has its guide and records', async (_what, how) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'data'));
    const household = ['--import', 'tsx', join(root, 'test/clients/vdr-household.ts'), folder, how, address];
    const printed = await output('unshare', isolated(process.execPath, ...household));
    const seen = JSON.parse(printed.toString()) as Readonly<Record<string, unknown>>;
    for (const why of seen.restarts as readonly string[]) console.log(`retried: ${why}`);
    expect(seen.event).not.toBe('');
    expect(seen.signal).toMatch(/lock=1 strength=\d+ quality=100 frontend=1/);
    expect(String(seen.signal).includes('(RTP-over-TCP)')).toBe(how === 'tcp');
    // It may use both of its devices.
    expect([...new Set(seen.during as readonly string[])]).toEqual([address]);
    removeFolder(folder);
  });
});
