/** `receiverd epg import | export | search`, on a folder without a receiver and through one that runs. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Program, receiverd, removeFolder, root, startProgram, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
const guide = join(folder, 'guide.xml');
let program: Program | undefined;

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

async function epg(...words: readonly string[]): Promise<Ended> {
  const command = [...receiverd, 'epg', ...words, '--data-dir', folder];
  try {
    return { ...(await promisify(execFile)(process.execPath, command, { cwd: root })), code: 0 };
  } catch (error) {
    return error as Ended;
  }
}

/** The full hour after so many hours, as XMLTV and as the search shows it. */
function hour(ahead: number): { readonly xmltv: string; readonly shown: string } {
  const text = new Date((Math.ceil(Date.now() / 3_600_000) + ahead) * 3_600_000).toISOString();
  return {
    xmltv: `${text.slice(0, 19).replace(/[-:T]/g, '')} +0000`,
    shown: `${text.slice(0, 10)} ${text.slice(11, 16)}`,
  };
}

const programme = (channel: string, ahead: number, title: string) =>
  `<programme channel="${channel}" start="${hour(ahead).xmltv}" stop="${hour(ahead + 1).xmltv}"><title>${title}</title><desc>All of it</desc></programme>`;
const document = (...programmes: readonly string[]) =>
  `<tv><channel id="a"><display-name>Alpha HD</display-name></channel><channel id="x"><display-name>Nowhere</display-name></channel>${programmes.join('\n')}</tv>`;

const lamedb = [
  'eDVB services /4/',
  'transponders',
  '00c00000:03f3:0001',
  '\ts 11836000:27500000:0:3:192:2:0',
  '/',
  'end',
  'services',
  '2b66:00c00000:03f3:0001:25:0:0',
  'Alpha HD',
  'p:Demo',
  'end',
  '',
].join('\n');

beforeAll(() => {
  process.env.RECEIVERD_TIME_ZONE = 'UTC';
  mkdirSync(join(folder, 'enigma2'));
  writeFileSync(join(folder, 'enigma2', 'lamedb'), lamedb);
  writeFileSync(
    guide,
    document(programme('a', 0, 'Harbour lights'), programme('a', 1, 'Other'), programme('x', 0, 'Harbour')),
  );
});
afterAll(async () => {
  delete process.env.RECEIVERD_TIME_ZONE;
  await program?.stop();
  removeFolder(folder);
});

/** What holds with and without a receiver. */
function commands(): void {
  test('imports, and says what had no place', async () => {
    const { stdout, stderr, code } = await epg('import', guide);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout.trim().split('\n')).toEqual([
      '2 of 3 programmes imported, for 1 channels',
      '1 belong to 1 channels that are in no service list:',
      '  Nowhere (x)',
    ]);
  });

  test('finds', async () => {
    const { stdout, code } = await epg('search', 'bour li');
    expect(code).toBe(0);
    expect(stdout).toBe(`${hour(0).shown}   60 min  Alpha HD  Harbour lights\n`);
    const nothing = await epg('search', 'no such thing', '--in', 'all');
    expect({ stdout: nothing.stdout, stderr: nothing.stderr }).toEqual({ stdout: '', stderr: '0 found\n' });
    expect((await epg('search', 'all of', '--in', 'text', '--limit', '1')).stdout).toContain('Harbour lights');
  });

  test('exports what it imports again', async () => {
    for (const name of ['out.xml', 'out.xml.gz', 'out.dat']) {
      const file = join(folder, name);
      expect(await epg('export', file)).toMatchObject({ code: 0 });
      expect(existsSync(`${file}.writing`)).toBe(false);
      const bytes = readFileSync(file);
      const text = (name.endsWith('gz') ? gunzipSync(bytes) : bytes).toString('latin1');
      expect(text).toContain('Harbour lights');
      expect(await epg('import', file)).toMatchObject({ code: 0, stderr: '' });
    }
    const { stdout } = await epg('search', 'harbour lights');
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });

  test('tells what is wrong, and keeps what came before it', async () => {
    const damaged = join(folder, 'damaged.xml');
    writeFileSync(damaged, document(programme('a', 5, 'Before the damage'), '<programme oops<').slice(0, -5));
    const { stderr, code } = await epg('import', damaged);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^receiverd: the guide file is damaged in line 2, column \d+: .*; 1 programmes from before are in the guide\n$/,
    );
    expect((await epg('search', 'before the')).stdout).toContain('Before the damage');
    expect((await epg('import', join(folder, 'nothing.xml'))).stderr).toContain('nothing.xml');
    expect((await epg('export', join(folder, 'guide.txt'))).stderr).toContain('has to end in .xml, .xml.gz or .dat');
  });
}

describe('on a folder', commands);

describe('through the receiver that has the folder', () => {
  beforeAll(async () => {
    program = await startProgram(folder, '--tuner', 'demo');
    await program.get('/api/clearepg');
  });
  commands();
});
