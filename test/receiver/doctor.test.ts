/** `receiverd doctor` while a receiver runs. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
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

describe('the doctor beside a receiver that runs', () => {
  const folder = temporaryFolder();
  let program: Program;

  beforeAll(async () => {
    program = await startProgram(folder, '--tuner', 'demo');
  });
  afterAll(async () => {
    await program?.stop();
    removeFolder(folder);
  });

  async function ports(httpPort: number, streamPort: number): Promise<readonly Finding[]> {
    const config = join(folder, 'doctor.yaml');
    writeFileSync(
      config,
      JSON.stringify({ dataDir: folder, bind: '127.0.0.1', httpPort, streamPort, tuners: ['demo'] }),
    );
    const { stdout } = await runProgram('doctor', '--config', config, '--json');
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
    return findings.filter(({ kind }) => kind === 'port');
  }

  it('does not count the ports of that receiver as taken', async () => {
    const found = await ports(portOf(program.http), portOf(program.stream));
    expect(found).toHaveLength(2);
    for (const { ok, subject } of found) expect([ok, subject]).toEqual([true, expect.stringContaining('receiver')]);
  });

  it('counts those of other programs', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const found = await ports(portOf(program.http), (other.address() as AddressInfo).port);
    other.close();
    expect(found.map(({ ok }) => ok)).toEqual([true, false]);
  });
});

const portOf = (url: string) => Number(new URL(url).port);
