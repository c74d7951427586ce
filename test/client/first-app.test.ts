/** Runs the example programs of docs/api.md against a receiver with the demo. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package.ts';
import { until } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';

const run = promisify(execFile);
const folder = temporaryFolder();
const app = join(folder, 'app');
let program: Program;

const page = readFileSync(join(packageRoot, 'docs', 'api.md'), 'utf8');
const programs = [...page.matchAll(/```\w+\n(?:\/\/|#) (first\.\w+)\n([\s\S]*?)```/g)].map(
  ([, name = '', code = '']) => ({
    name,
    code,
  }),
);

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
/** The command that runs each program. */
const commands: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'first.ts': [process.execPath, '--import', tsx, 'first.ts'],
  'first.py': ['python3', 'first.py'],
  'first.sh': ['sh', 'first.sh'],
};

beforeAll(async () => {
  mkdirSync(join(app, 'node_modules'), { recursive: true });
  symlinkSync(packageRoot, join(app, 'node_modules', 'receiverd'));
  writeFileSync(join(app, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const { name, code } of programs) writeFileSync(join(app, name), code);
  program = await startProgram(join(folder, 'data'), '--tuner', 'demo');
  await until(async () => {
    const { events } = await program.json<{ events: readonly unknown[] }>('/api/eventsearch?what=news');
    expect(events.length).toBeGreaterThan(1);
  });
});
afterAll(async () => {
  await program?.stop();
  removeFolder(folder);
});

it('all programs of the page are tested', () => {
  expect(programs.map(({ name }) => name)).toEqual(Object.keys(commands));
});

it.each(Object.entries(commands))(
  '%s lists, searches, sets a timer and receives the event',
  async (_, [command, ...words]) => {
    const { stdout, stderr } = await run(command, words, { cwd: app, env: { ...process.env, RECEIVER: program.http } });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^Aldermoor One: .+\n/);
    expect(stdout).toMatch(/^found .*news.* on .+$/im);
    expect(stdout).toMatch(/^timers: 1, first: .*news/im);
    expect(await program.json('/api/timerlist')).toMatchObject({ timers: [] });
  },
);

it('the TypeScript program has no type errors', async () => {
  // A fresh checkout has no types yet.
  await run(process.execPath, ['--import', tsx, join('scripts', 'pages.ts'), 'src/client/types.ts'], {
    cwd: packageRoot,
  });
  const compilerOptions = {
    ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2023', noUncheckedIndexedAccess: true },
    ...{ allowImportingTsExtensions: true, types: ['node'], typeRoots: [join(packageRoot, 'node_modules', '@types')] },
    paths: { 'receiverd/client': [join(packageRoot, 'src', 'client', 'client.ts')] },
  };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['first.ts'] }));
  const tsc = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', app]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});
