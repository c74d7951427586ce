import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lastLine, plainEnvironment, plainLine, runProgram, startProgram } from '../../src/base/child-process.ts';
import { packageRoot } from '../../src/base/package.ts';
import { isRunning } from '../fixtures/is-running.ts';
import { untilTrue } from '../fixtures/waits.ts';

const folder = mkdtempSync(join(tmpdir(), 'child-process-'));
const file = join(folder, 'plain');
writeFileSync(file, 'no program');

it.each([
  ['below a file', join(file, 'x'), 'not a directory'],
  ['with a name that is too long', '/'.padEnd(5000, 'x'), 'name too long'],
])('throws a ReceiverError for a program %s', (_, program, why) => {
  expect(() => startProgram(program, [])).toThrow(
    expect.objectContaining({ code: 'command-failed', message: `${program}: ${why}` }),
  );
});

it.each([
  ['missing', join(folder, 'nosuch'), 'ENOENT'],
  ['not executable', file, 'EACCES'],
])('reports a program that is %s by the event error', async (_, program, code) => {
  const [error] = await once(startProgram(program, []), 'spawn').catch((reason: unknown) => [reason]);
  expect(error).toMatchObject({ code });
});

it('passes few variables', () => {
  process.env.RECEIVERD_TEST_SECRET = 'secret';
  expect(plainEnvironment()).toMatchObject({ PATH: process.env.PATH });
  expect(Object.values(plainEnvironment())).not.toContain('secret');
  delete process.env.RECEIVERD_TEST_SECRET;
});

it('shows the output of programs without control characters and secrets', () => {
  expect(plainLine('a\u001b[2Jb\u202ec\r ')).toBe('a [2Jb c');
  expect(lastLine('first\nno login at http://tv.example/user/secret\n')).toBe('no login at http://tv.example/…');
  expect(lastLine('')).toBe('');
});

it.skipIf(spawnSync('setsid', ['true']).status !== 0)(
  'does not wait for what holds the output of a program that has ended',
  async () => {
    const script = 'echo told; echo failed >&2; setsid sleep 1000 & echo $! ; exit 3';
    let output = '';
    const end = await runProgram(['/bin/sh', '-c', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
      onStart: ({ stdout }) => stdout?.on('data', (piece: Buffer) => (output += piece)),
    });
    process.kill(Number(output.split('\n')[1]), 'SIGKILL');
    expect(end).toEqual({ why: 'status 3', reason: 'status 3: failed', errors: 'failed\n', isMissing: false });
  },
);

it('kills what a program leaves, unless it may', async () => {
  for (const leavesOthers of [false, true]) {
    let [output, group] = ['', 0];
    const { why } = await runProgram(['/bin/sh', '-c', 'sleep 1000 & echo $!'], {
      ...{ stdio: ['ignore', 'pipe', 'pipe'], leavesOthers },
      onStart: ({ pid = 0, stdout }) => {
        group = pid;
        stdout?.on('data', (piece: Buffer) => (output += piece));
      },
    });
    expect(why).toBe('');
    if (leavesOthers) expect(isRunning(output)).toBe(true);
    else await untilTrue(async () => !isRunning(output));
    if (leavesOthers) process.kill(-group, 'SIGKILL');
  }
});

it('reports a missing program, whether it is bound to the receiver or not', async () => {
  for (const isBound of [false, true])
    expect(await runProgram([join(folder, 'nosuch')], { isBound, stdio: 'ignore' })).toMatchObject({ isMissing: true });
});

const haveSetpriv = spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;

it.skipIf(!haveSetpriv)('a program that is bound to the receiver is killed with it', async () => {
  const module = join(packageRoot, 'src/base/child-process.ts');
  const script = `
    const { runProgram } = await import(${JSON.stringify(module)});
    const onStart = ({ pid }) => console.log(pid);
    await runProgram([process.execPath, '-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore', isBound: true, onStart });`;
  const receiver = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
  const [pid] = (await once(receiver.stdout, 'data')) as [Buffer];
  // It has become the program, which is no longer setpriv.
  await untilTrue(async () => readFileSync(join('/proc', pid.toString().trim(), 'comm'), 'utf8') !== 'setpriv\n');
  expect(isRunning(pid.toString())).toBe(true);
  receiver.kill('SIGKILL');
  await untilTrue(async () => !isRunning(pid.toString()));
});
