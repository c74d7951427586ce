/** `receiverd doctor` while a receiver runs. */

import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, removeFolder, runProgram, startProgram, temporaryFolder } from './program.ts';

interface Finding {
  readonly kind: string;
  readonly subject: string;
  readonly ok: boolean;
}

describe('doctor while a receiver is running', () => {
  const folder = temporaryFolder();
  let program: Program;

  beforeAll(async () => {
    program = await startProgram(folder, '--tuner', 'demo');
  });
  afterAll(async () => {
    await program?.stop();
    removeFolder(folder);
  });

  async function ports(httpPort: number, streamPort: number, more: object = {}): Promise<readonly Finding[]> {
    const config = join(folder, 'doctor.yaml');
    writeFileSync(
      config,
      JSON.stringify({ dataDir: folder, bind: '127.0.0.1', httpPort, streamPort, tuners: ['demo'], ...more }),
    );
    const { stdout } = await runProgram('doctor', '--config', config, '--json');
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
    return findings.filter(({ kind }) => kind === 'port');
  }

  it('accepts ports held by the running receiver', async () => {
    const found = await ports(portOf(program.http), portOf(program.stream));
    expect(found).toHaveLength(2);
    for (const { ok, subject } of found) expect([ok, subject]).toEqual([true, expect.stringContaining('receiver')]);
  });

  it('reports ports that other programs use as taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const found = await ports(portOf(program.http), (other.address() as AddressInfo).port);
    expect(found.map(({ ok }) => ok)).toEqual([true, false]);
    const taken = { server: true, streamPort: (other.address() as AddressInfo).port, controlPort: 0 };
    const more = await ports(portOf(program.http), portOf(program.stream), { hdhomerun: taken });
    other.close();
    expect(more.map(({ ok }) => ok)).toEqual([true, true, false, true]);
    expect(more[2]?.subject).toBe(`port ${taken.streamPort} for the streams of the HDHomeRun server`);
  });

  it('examines the running receiver, including its flags, and names it', async () => {
    const { stdout, code } = await runProgram('doctor', '--data-dir', folder, '--json');
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({ healthy: true, receiver: `${program.http}/`, dataDir: folder });
    const subjects = document.findings.map(({ subject }: Finding) => subject);
    expect(subjects).toContain('tuner demo');
    expect(subjects).toContain(`port ${portOf(program.http)} for the web interface, in use by the running receiver`);
    expect(code).toBe(0);
    const text = await runProgram('doctor', '--data-dir', folder);
    expect(text.stdout.split('\n', 1)).toEqual([
      `Examined: the receiver at ${program.http}/, which uses the data folder ${folder}`,
    ]);
  });

  it('queries an Enigma2 box (here the running receiver) for its name', async () => {
    const boxes = [portOf(program.stream), 1].map((port) => `enigma2:127.0.0.1:${portOf(program.http)},stream=${port}`);
    const config = join(folder, 'boxes.yaml');
    writeFileSync(config, JSON.stringify({ tuners: boxes, iptv: { allow: ['127.0.0.1'] } }));
    const { stdout } = await runProgram('doctor', '--config', config, '--data-dir', join(folder, 'other'), '--json');
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
    expect(findings.filter(({ subject }) => subject.startsWith('tuner enigma2:'))).toMatchObject([
      { ok: true, subject: `tuner ${boxes[0]} receiverd (tuners: 1)` },
      { ok: false, subject: `tuner ${boxes[1]} receiverd (tuners: 1)` },
    ]);
  });

  it('reports the settings in effect, not those after a restart', async () => {
    const file = join(folder, 'receiverd.yaml');
    writeFileSync(file, 'name: Next\nmqtt:\n  password: swordfish\naccess:\n  sessionDays: 7\n');
    const { stdout } = await runProgram('doctor', '--data-dir', folder, '--report', '-');
    rmSync(file);
    for (const line of [
      'set on the command line: dataDir, enigma2Dir, tuners, bind, httpPort, streamPort',
      'changed in the file, in effect after a restart: access.sessionDays, name, mqtt.password',
      'tuners:\n  - demo',
      'httpPort: 0',
      'name: receiverd',
      '  sessionDays: 30',
    ])
      expect(stdout).toContain(line);
    expect(stdout).not.toContain('swordfish');
  });

  it('examines the file given with --config, or the settings of a start if no receiver is running', async () => {
    const config = join(folder, 'other.yaml');
    writeFileSync(config, JSON.stringify({ dataDir: folder, tuners: ['none'] }));
    const named = await runProgram('doctor', '--config', config);
    expect(named.stdout).toMatch(/^Examined: the settings that a start without flags would use; the receiver at http:/);
    expect(named.stdout).not.toContain('tuner demo');
    const empty = await runProgram('doctor', '--data-dir', join(folder, 'empty'), '--json');
    expect(JSON.parse(empty.stdout)).toMatchObject({ receiver: null, dataDir: join(folder, 'empty') });
  });

  it('reports why an unresponsive receiver could not be queried', async () => {
    program.signal('SIGSTOP');
    try {
      const { stdout } = await runProgram('doctor', '--data-dir', folder);
      expect(stdout).toMatch(
        /^Examined: the settings .*; the receiver on the data folder .* could not be queried \(.*\)\n/,
      );
    } finally {
      program.signal('SIGCONT');
    }
  }, 90_000);
});

const portOf = (url: string) => Number(new URL(url).port);
