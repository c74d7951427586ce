/** The npm package: packed as for the registry, installed in an empty folder without compilers, and used. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package.ts';
import { until } from '../fixtures/waits.ts';
import { isWholeRun } from '../fixtures/whole-run.ts';

const run = promisify(execFile);
const npm = realpathSync(join(process.execPath, '..', 'npm'));
/** Of the installed package. */
const maxInstalledBytes = 8_000_000;
/** Versions of Node that the package promises to run on, besides the one that runs the tests. */
const otherVersions = ['22.23.3', '24.21.0'];

const folder = mkdtempSync(join(tmpdir(), 'receiverd-package-'));
const tools = join(folder, 'bin');
const app = join(folder, 'app');
const installed = join(app, 'node_modules', 'receiverd');
/** A PATH with only Node, npm and a shell. */
const environment = { HOME: folder, PATH: tools, npm_config_update_notifier: 'false' };
const servers = new Set<ChildProcess>();

/** Installs the packed file in an empty folder. */
async function install(into: string, env: NodeJS.ProcessEnv): Promise<void> {
  mkdirSync(into);
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz')) as string;
  const { stdout, stderr } = await run('npm', ['install', '--offline', join(folder, packed)], { cwd: into, env });
  expect(stdout).toMatch(/added 1 package/);
  // No warnings: no EBADENGINE, nothing deprecated.
  expect(stderr).toBe('');
}

beforeAll(async () => {
  mkdirSync(tools);
  symlinkSync(process.execPath, join(tools, 'node'));
  symlinkSync('/bin/sh', join(tools, 'sh'));
  for (const name of ['npm', 'npx']) symlinkSync(join(npm, '..', `${name}-cli.js`), join(tools, name));
  await run(process.execPath, [npm, 'pack', '--silent', '--pack-destination', folder], { cwd: packageRoot });
  await install(app, environment);
});

afterAll(() => {
  for (const child of servers) process.kill(-(child.pid as number), 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it('contains the program, and neither sources nor source maps', () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map(({ parentPath, name }) => join(parentPath, name).slice(installed.length + 1));
  expect(names).toEqual(expect.arrayContaining(['dist/cli.js', 'dist/THIRD-PARTY-NOTICES', 'LICENSE', 'README.md']));
  expect(names.filter((name) => /\.(map|cc|h|gyp)$|^src\/(?!ui\/)|^test/.test(name))).toEqual([]);
  const bytes = names.reduce((sum, name) => sum + readFileSync(join(installed, name)).length, 0);
  expect(bytes).toBeLessThan(maxInstalledBytes);
});

/** Starts the program as a user does; resolves with its base URL. */
async function started(cwd: string, env: NodeJS.ProcessEnv = environment): Promise<URL> {
  const data = join(folder, `data-${servers.size}`);
  const flags = [
    '--data-dir',
    data,
    '--http-port',
    '0',
    '--stream-port',
    '0',
    '--bind',
    '127.0.0.1',
    '--tuner',
    'demo',
  ];
  const child = spawn('npx', ['receiverd', 'start', ...flags], { cwd, env, detached: true, stdio: 'pipe' });
  servers.add(child);
  let said = '';
  child.stderr.on('data', (bytes) => {
    said += bytes;
  });
  for await (const line of createInterface(child.stdout)) {
    const address = /^receiverd ready http=(\S+)/.exec(line)?.[1];
    if (address !== undefined) return new URL(address);
  }
  throw new Error(`it did not start: ${said}`);
}

const textOf = async (url: URL) => (await fetch(url)).text();

it('runs by npx', async () => {
  const url = await started(app);
  expect(await textOf(new URL('/web/getservices', url))).toContain('<e2servicelist>');
  expect(await textOf(new URL('/', url))).toContain('<title>');
  const picture = await fetch(new URL('/grab?format=jpg&r=320', url));
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
});

describe.runIf(isWholeRun).each(otherVersions)('with Node %s', (version) => {
  it('installs without warnings and runs', async () => {
    const node = `node-linux-${process.arch}`;
    const other = join(folder, node, version);
    mkdirSync(other, { recursive: true });
    await run('npm', ['install', '--ignore-scripts', `${node}@${version}`], { cwd: other });
    const env = { ...environment, PATH: `${join(other, 'node_modules', node, 'bin')}:${tools}` };
    await install(join(folder, `app-${version}`), env);
    const url = await started(join(folder, `app-${version}`), env);
    expect(await textOf(new URL('/api/about', url))).toContain('receiverd');
  });
});

/** The expected output of the examples in docs/embedding.md. */
const printed: Readonly<Record<string, RegExp>> = {
  'receiver.mjs': /^open http:\S+, play the services at http:\S+\n\d+ news\n$/,
  'epg.mjs': /^2030-01-01T20:00:00.000Z Au fil des rivières\n$/,
  'dvb.mjs': /^Aldermoor One, .*Talblick 24/,
  'client.mjs': /^(.+ on .+\n)+muted\n$/,
  'm3u.mjs':
    /^#EXTM3U.*\n[\s\S]*tvg-name="Das Erste HD",Das Erste HD\n[\s\S]*http:\/\/box:8001\/1:0:19:2B66:3F3:1:C00000:0:0:0:/,
};

describe('as a library', () => {
  const page = readFileSync(join(packageRoot, 'docs', 'embedding.md'), 'utf8');
  const examples = [...page.matchAll(/```js\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, name = '', code = '']) => ({
    name,
    code,
  }));

  /** A running receiver with a guide, for the client. */
  let receiver: URL;

  beforeAll(async () => {
    for (const { name, code } of examples) writeFileSync(join(app, name), code);
    receiver = await started(app);
    await until(async () => expect(await textOf(new URL('/api/eventsearch?what=news', receiver))).toContain('title'));
  });

  it('every example in the page is tested here', () => {
    expect(examples.map(({ name }) => name).sort()).toEqual(Object.keys(printed).sort());
  });

  it.each(examples)('$name runs as docs/embedding.md shows it', async ({ name }) => {
    const env = { ...environment, RECEIVER: receiver.href };
    expect((await run('node', [name], { cwd: app, env })).stdout).toMatch(printed[name] as RegExp);
  });

  it('has types with which the examples compile', async () => {
    const compilerOptions = {
      ...{ allowJs: true, checkJs: true, strict: true, noEmit: true, module: 'nodenext', target: 'es2023' },
      ...{ types: ['node'], typeRoots: [join(packageRoot, 'node_modules', '@types')] },
    };
    const files = examples.map(({ name }) => name);
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const tsc = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', app]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });
});

it('reports a missing addon in one line', async () => {
  const bare = join(folder, 'bare');
  cpSync(installed, bare, { recursive: true });
  rmSync(join(bare, 'prebuilds'), { recursive: true });
  const child = spawn('node', [join(bare, 'dist', 'cli.js'), 'start'], { cwd: folder, env: environment });
  const lines: string[] = [];
  createInterface(child.stderr).on('line', (line) => lines.push(line));
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(lines).toEqual([expect.stringMatching(/^receiverd: the native part .*platform=linux .*docs\/building\.md/)]);
});
