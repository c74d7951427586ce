/** The bug report of the doctor: complete, and without secrets. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { receiverd, removeFolder, root, runProgram, temporaryFolder } from './program.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

/** Wherever people have them: settings, addresses of streams and their header fields, Enigma2's settings, requests. */
const secrets = {
  proxy: 'swordfish-proxy',
  agent: 'swordfish-agent',
  option: 'swordfish-option',
  command: 'swordfish-command',
  user: 'swordfish-user',
  path: 'swordfish-path',
  query: 'swordfish-query',
  header: 'swordfish-header',
  broken: 'swordfish-broken',
  pin: 'swordfish-pin',
  request: 'swordfish-request',
};

function writeWorld(): string {
  const enigma2Dir = join(folder, 'enigma2');
  mkdirSync(enigma2Dir);
  const stream = `http%3a//me%3a${secrets.user}@tv.example%3a8080/live/${secrets.path}/1.ts?k=${secrets.query}%23Authorization=${secrets.header}`;
  const files = {
    'bouquets.tv': '#NAME Bouquets\n#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.own.tv" ORDER BY bouquet\n',
    'userbouquet.own.tv': [
      '#NAME Own',
      `#SERVICE 4097:0:1:0:0:0:0:0:0:0:${stream}:Film`,
      `#SERVICE nonsense http://me:${secrets.broken}@tv.example/${secrets.broken}`,
      '',
    ].join('\n'),
    settings: `config.ParentalControl.servicepin.0=${secrets.pin}\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(enigma2Dir, name), text);
  const config = join(folder, 'receiverd.yaml');
  const settings = {
    dataDir: folder,
    enigma2Dir,
    name: 'Box for tests',
    bind: '127.0.0.1',
    httpPort: 0,
    streamPort: 0,
    tuners: ['demo'],
    logLevel: 'trace',
    iptv: { userAgent: secrets.agent },
    mpv: {
      options: [
        `--http-proxy=http://me:${secrets.proxy}@proxy.example:3128`,
        `--http-header-fields=X-Me: ${secrets.option}`,
        `--ytdl-raw-options=username=${secrets.option}`,
      ],
    },
    power: {
      shutdown: true,
      shutdownCommand: ['touch', secrets.command],
      rebootCommand: [`touch ${secrets.command}`],
      wakeAlarm: 'none',
    },
  };
  writeFileSync(config, JSON.stringify(settings));
  return config;
}

/** Starts the receiver with its log in a file. */
async function start(config: string) {
  const log = join(folder, 'log');
  const words = [...receiverd, 'start', '--config', config];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', openSync(log, 'w')] });
  const ended = once(child, 'exit');
  const http = await new Promise<string>((resolve) => {
    createInterface(child.stdout as Readable).on('line', (line) => {
      const [, http] = /^receiverd ready http=(\S+)/.exec(line) ?? [];
      if (http !== undefined) resolve(http);
    });
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { http, log, stop };
}

it('has the machine, the settings, the receiver that runs and its log, but no secret', async () => {
  const config = writeWorld();
  const { http, log, stop } = await start(config);
  try {
    await fetch(`${http}api/vol?sessionid=${secrets.request}`, {
      headers: { Authorization: `Bearer ${secrets.request}` },
    });
    expect(readFileSync(log, 'utf8')).toContain(secrets.broken);
    const file = join(folder, 'report.md');
    const { stdout, stderr } = await runProgram('doctor', '--config', config, '--report', file);
    expect(stdout).toContain('ok    Node.js');
    expect(stderr).toContain(`the report is in ${file}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    expect(text).not.toContain('swordfish');
    for (const part of [
      `Node.js ${process.versions.node}`,
      'ok    native addon',
      'name: Box for tests',
      '--http-proxy=http://proxy.example:3128',
      'broadcast services: ',
      'IPTV entries in bouquets: 1',
      'settings: ',
      'userbouquet.own.tv:3',
      '"status":"ready"',
      'receiverd_build_info{',
      '"source": "demo"',
      '"level":30',
    ])
      expect(text).toContain(part);
  } finally {
    await stop();
  }
});

it('goes to standard output, alone, also without a receiver', async () => {
  const config = writeWorld();
  const { stdout, code } = await runProgram('doctor', '--config', config, '--report', '-');
  expect(stdout).toMatch(/^# Report of receiverd\n/);
  expect(stdout).toContain('## Running receiver\n\nNone.');
  expect(stdout).not.toContain('swordfish');
  expect(stdout).toContain('FAIL  command touch … for shutting down: no such program');
  expect(code).toBe(1);
});

it('reports a file that cannot be written', async () => {
  const file = join(folder, 'no', 'such', 'folder');
  const { stderr, code } = await runProgram('doctor', '--config', writeWorld(), '--report', file);
  expect([stderr, code]).toEqual([`receiverd: ${file} cannot be written: no such file or directory\n`, 1]);
});
