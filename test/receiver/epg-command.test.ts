/** `receiverd epg import | export | search`, on a folder without a receiver and through a running one. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isTemporary } from '../../src/base/files.ts';
import { until } from '../fixtures/waits.ts';
import {
  type Ended,
  launchCommand,
  onTerminal,
  type Program,
  removeFolder,
  root,
  runProgram,
  startProgram,
  temporaryFolder,
} from './program.ts';

const testData = process.env.RECEIVERD_TEST_DATA;
const folder = temporaryFolder();
const guide = join(folder, 'guide.xml');
let program: Program | undefined;

function epg(...words: readonly string[]): Promise<Ended> {
  return runProgram('epg', ...words, '--data-dir', folder);
}

/** As `epg`, with an open standard input. */
function launchEpg(...words: readonly string[]) {
  return launchCommand('epg', ...words, '--data-dir', folder);
}

/** The next full hour, fixed once so that the tests may run across it. */
const nextHour = Math.ceil(Date.now() / 3_600_000);

/** The full hour `ahead` hours after it, as XMLTV writes it and as the search shows it. */
function hour(ahead: number): { readonly xmltv: string; readonly shown: string } {
  const iso = new Date((nextHour + ahead) * 3_600_000).toISOString();
  return {
    xmltv: `${iso.slice(0, 19).replace(/[-:T]/g, '')} +0000`,
    shown: `${iso.slice(0, 10)} ${iso.slice(11, 16)}`,
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
    document(programme('a', 0, 'Harbour lights'), programme('a', 1, 'Harbour fish'), programme('x', 0, 'Harbour')),
  );
});
afterAll(async () => {
  delete process.env.RECEIVERD_TIME_ZONE;
  await program?.stop();
  removeFolder(folder);
});

/** Tests that apply with and without a receiver. */
function commands(): void {
  test('imports a file and reports channels without a service', async () => {
    const { stdout, stderr, code } = await epg('import', guide);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout.trim().split('\n')).toEqual([
      'programmes imported: 2 of 3; channels: 1',
      'without a service: 1; channels that no service list has: 1',
      '  Nowhere (x)',
      program === undefined
        ? `guide: data folder ${folder}, on which no receiver runs`
        : `guide: the receiver at ${program.http}/, data folder ${folder}`,
    ]);
  });

  test('finds events', async () => {
    const { stdout, code } = await epg('search', 'bour li');
    expect(code).toBe(0);
    expect(stdout).toBe(`${hour(0).shown}   60 min  Alpha HD  Harbour lights\n`);
    expect((await epg('search', 'all of', '--in', 'text', '--limit', '1')).stdout).toContain('Harbour lights');
    expect((await epg('search', 'harbour', '--limit', '1')).stderr).toBe('1 of 2; --limit shows more\n');
  });

  test('suggests a wider search if nothing was found', async () => {
    expect(await epg('search', 'no such thing', '--in', 'all')).toMatchObject({ stdout: '', stderr: '0 found\n' });
    expect(await epg('search', 'all of')).toMatchObject({
      stdout: '',
      stderr: '0 found in the titles; --in all also searches the texts\n',
      code: 0,
    });
  });

  test('finds events as JSON', async () => {
    const { stdout, stderr } = await epg('search', 'harbour', '--limit', '1', '--json');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      total: 2,
      events: [
        {
          id: expect.any(Number),
          service: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
          channel: 'Alpha HD',
          start: Date.parse(`${hour(0).shown.replace(' ', 'T')}Z`) / 1000,
          duration: 3600,
          title: 'Harbour lights',
          shortText: '',
        },
      ],
    });
  });

  test('exports what it imports again', async () => {
    for (const name of ['out.xml', 'out.xml.gz', 'out.dat']) {
      const file = join(folder, name);
      expect(await epg('export', file)).toMatchObject({ code: 0 });
      expect(readdirSync(folder).filter(isTemporary)).toEqual([]);
      const bytes = readFileSync(file);
      const plain = (name.endsWith('gz') ? gunzipSync(bytes) : bytes).toString('latin1');
      expect(plain).toContain('Harbour lights');
      expect(await epg('import', file)).toMatchObject({ code: 0, stderr: '' });
    }
    const { stdout } = await epg('search', 'harbour lights');
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });

  test('writes to standard output and reads from standard input, in every format', async () => {
    for (const [format, words] of [
      ['xmltv', []],
      ['xmltv.gz', ['--format', 'xmltv.gz']],
      ['epg.dat', ['--format', 'epg.dat']],
    ] as const) {
      const { bytes, stderr, code } = await epg('export', '-', ...words);
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
      const plain = format === 'xmltv.gz' ? gunzipSync(bytes) : bytes;
      expect(plain.subarray(0, 14).toString('latin1')).toMatch(format === 'epg.dat' ? /ENIGMA_EPG/ : /^<\?xml/);
      expect(plain.toString('latin1')).toContain('Harbour lights');
      const { child, ended } = launchEpg('import', '-');
      child.stdin?.end(bytes);
      expect(await ended).toMatchObject({ stdout: expect.stringContaining(' imported'), stderr: '', code: 0 });
    }
  });

  test('prefers --format to the file name', async () => {
    const file = join(folder, 'guide.txt');
    rmSync(file, { force: true });
    expect((await epg('export', file)).stderr).toContain('must end in .xml, .xml.gz or .dat; otherwise use --format');
    expect(existsSync(file)).toBe(false);
    expect(await epg('export', file, '--format', 'xmltv.gz')).toMatchObject({ stderr: '', code: 0 });
    expect(gunzipSync(readFileSync(file)).toString()).toContain('Harbour lights');
  });

  test('ends silently if the reader of the output has closed it', async () => {
    const { child, ended } = launchEpg('export', '-');
    const exit = once(child, 'exit');
    const stderr = child.stderr ? text(child.stderr) : '';
    child.stdout?.destroy();
    await expect(ended).rejects.toThrow('Premature close');
    expect(await Promise.all([exit, stderr])).toEqual([[141, null], '']);
  });

  test('reports a damaged file and keeps the programmes before the damage', async () => {
    const damaged = join(folder, 'damaged.xml');
    writeFileSync(damaged, document(programme('a', 5, 'Before the damage'), '<programme oops<').slice(0, -5));
    const { stderr, code } = await epg('import', damaged);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^receiverd: the guide file is damaged in line 2, column \d+: .*; programmes imported before the damage: 1\n$/,
    );
    expect((await epg('search', 'before the')).stdout).toContain('Before the damage');
    const missing = join(folder, 'nothing.xml');
    expect((await epg('import', missing)).stderr).toBe(`receiverd: ${missing}: no such file or directory\n`);
    expect((await epg('import', folder)).stderr).toBe(`receiverd: ${folder}: is a folder\n`);
    expect((await epg('export', folder, '--format', 'xmltv')).stderr).toContain('it is a folder');
    expect((await epg('export', join(missing, 'guide.xml'))).stderr).toContain('cannot be written: no such file or');
  });

  test('stops an import on Ctrl-C and says what state the guide is in', async () => {
    const { child, ended } = launchEpg('import', '-');
    // More than the pipe holds: once it is written, the command has started reading.
    const begun = document(programme('a', 7, 'Cut off'), ' '.repeat(1_000_000)).slice(0, -5);
    await new Promise((resolve) => child.stdin?.write(begun, resolve));
    child.kill('SIGINT');
    const { stdout, stderr, code } = await ended;
    expect({ stdout, code }).toEqual({ stdout: '', code: 130 });
    expect(stderr).toMatch(/^receiverd: interrupted; stopped at \d+\.\d MB; /);
    if (program) {
      expect(stderr).toContain('the receiver keeps the programmes it has read, import the file again for the rest');
    } else {
      expect(stderr).toContain('nothing was imported, the guide is unchanged');
      expect((await epg('search', 'cut off')).stdout).toBe('');
    }
  });

  test.skipIf(!existsSync('/usr/bin/script'))('shows progress on a terminal', async () => {
    const file = join(folder, 'long.xml.gz');
    writeFileSync(file, gzipSync(document(programme('a', 0, 'Harbour lights'), ' '.repeat(20_000_000))));
    const terminal = onTerminal(['epg', 'import', file, '--data-dir', folder]);
    await terminal.ended;
    // Every redraw starts with a carriage return; the last one clears the line for the result.
    const shown = stripVTControlCharacters(terminal.output()).split('\r');
    expect(shown).toContainEqual(expect.stringMatching(/^.*long\.xml\.gz: 0\.\d of 0\.\d MB \(\d+ %\)/));
    expect(shown.at(-1)).toMatch(/^programmes imported: 1 of 1; channels: 1\n/);
  });
}

test('an interrupted export leaves the old file as it was', async () => {
  const own = temporaryFolder();
  try {
    mkdirSync(join(own, 'enigma2'));
    writeFileSync(join(own, 'enigma2', 'lamedb'), lamedb);
    const many = Array.from({ length: 20_000 }, (_, n) => programme('a', n, `Programme ${n}`));
    writeFileSync(join(own, 'many.xml'), document(...many));
    await runProgram('epg', 'import', join(own, 'many.xml'), '--data-dir', own);
    const file = join(own, 'kept.xml');
    const isWriting = () => readdirSync(own).some(isTemporary);
    const interrupted = async () => {
      writeFileSync(file, 'old');
      const { child, ended } = launchCommand('epg', 'export', file, '--data-dir', own);
      while (!isWriting() && child.exitCode === null) await setTimeout(1);
      child.kill('SIGINT');
      return ended;
    };
    let outcome = await interrupted();
    // It was done before the signal came: another attempt.
    while (outcome.code === 0) outcome = await interrupted();
    expect(outcome).toMatchObject({ stderr: `receiverd: interrupted; ${file} is unchanged\n`, code: 130 });
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(isWriting()).toBe(false);
  } finally {
    removeFolder(own);
  }
});

test('an import that waits for the writer of a pipe can be interrupted', async () => {
  const own = temporaryFolder();
  try {
    const pipe = join(own, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { child, ended } = launchCommand('epg', 'import', pipe, '--data-dir', own);
    // It takes the folder after it has begun to open the file.
    while (!existsSync(join(own, 'receiverd.lock')) && child.exitCode === null) await setTimeout(1);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      stdout: '',
      stderr: 'receiverd: interrupted; stopped at 0.0 MB; nothing was imported, the guide is unchanged\n',
      code: 130,
    });
  } finally {
    removeFolder(own);
  }
});

test.each([
  ['search', 'harbour'],
  ['export', '-'],
])('%s refuses a data folder that does not exist', async (...command) => {
  const missing = '/nonexistent/receiverd';
  const { stdout, stderr, code } = await runProgram('epg', ...command, '--data-dir', missing);
  expect({ stdout, stderr, code }).toEqual({
    stdout: '',
    stderr: `receiverd: there is no folder '${missing}'\n`,
    code: 1,
  });
});

describe('on a folder', commands);

test('channels and match need a receiver', async () => {
  const { stderr, code } = await epg('channels');
  expect([stderr, code]).toEqual([`receiverd: no receiver runs on the data folder ${folder}; start it first\n`, 1]);
});

describe('through the receiver that has the folder', () => {
  beforeAll(async () => {
    program = await startProgram(folder, '--tuner', 'demo');
    await program.get('/api/clearepg');
  });
  commands();

  test('chooses the channel of a service by hand, until it is matched automatically again', async () => {
    const service = '1:0:19:2B66:3F3:1:C00000:0:0:0:';
    expect(await epg('match', service, 'nonesuch')).toMatchObject({
      stderr: "receiverd: channel 'nonesuch' not found\n",
      code: 1,
    });
    expect(await epg('match', 'Nobody', 'x')).toMatchObject({
      stderr: "receiverd: 'Nobody': no channel of the bouquets has this name; give its service reference\n",
      code: 1,
    });
    expect((await epg('match', service, 'x')).code).toBe(0);
    await epg('import', guide);
    expect((await epg('search', 'harbour')).stdout).toContain('Alpha HD  Harbour\n');
    expect((await epg('match', service)).code).toBe(0);
    // By its name, which is in a bouquet, although it has a guide now.
    const own = '#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.own.tv" ORDER BY bouquet\n';
    writeFileSync(join(folder, 'enigma2', 'bouquets.tv'), `#NAME Bouquets (TV)\n${own}`);
    writeFileSync(join(folder, 'enigma2', 'userbouquet.own.tv'), `#NAME Own\n#SERVICE ${service}\n`);
    await program?.get('/api/servicelistreload?mode=0');
    expect(await epg('match', 'Alpha HD', 'x')).toMatchObject({ stderr: '', code: 0 });
    expect(await epg('match', 'Alpha HD')).toMatchObject({ stderr: '', code: 0 });
    expect((await epg('channels')).stderr).toMatch(/^\d+ of \d+; channels of guide files: \d+\n$/);
  });
});

test.skipIf(!testData)('a search goes by the time of the capture that the receiver plays', async () => {
  const own = temporaryFolder();
  const capture = join(testData ?? '', 'ts', 'dtt-italy-rai.ts');
  const playing = await startProgram(own, '--tuner', `file:${capture}`, '--clock', 'broadcast');
  try {
    const search = () => runProgram('epg', 'search', 'messa', '--data-dir', own);
    await until(async () => expect((await search()).stdout).toContain('2022-01-16 09:55   55 min  Rai 1'));
  } finally {
    await playing.stop();
    removeFolder(own);
  }
});

test('the search in the README finds in the demo’s guide what the README shows', async () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, words = '', shown = ''] = /^\$ npm run -s receiverd -- (epg search .*)\n([^`]*)^```/m.exec(readme) ?? [];
  const own = temporaryFolder();
  const demo = await startProgram(own, '--tuner', 'demo');
  try {
    const search = () => runProgram(...words.replaceAll("'", '').split(' '), '--data-dir', own);
    // Times, lengths and episodes depend on the day and the hour.
    const shape = (text: string) =>
      text.replace(/^[-\d]{10} [:\d]{5} +\d+ min|\(.*\)$/gm, '').replace(/ of \d+;/, ' of N;');
    await until(async () => {
      const { stdout, stderr } = await search();
      expect(shape(stdout + stderr)).toBe(shape(shown));
    });
  } finally {
    await demo.stop();
    removeFolder(own);
  }
});
