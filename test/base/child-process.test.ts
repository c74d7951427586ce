import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lastLine, plainEnvironment, plainLine, startProgram } from '../../src/base/child-process.ts';
import { packageRoot } from '../../src/base/package.ts';
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

const haveSetpriv = spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;

it.skipIf(!haveSetpriv)('a program that is bound to the receiver is killed with it', async () => {
  const module = join(packageRoot, 'src/base/child-process.ts');
  const script = `
    const { boundToReceiver, startProgram } = await import(${JSON.stringify(module)});
    const bound = await boundToReceiver(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
    console.log(startProgram(...bound, { stdio: 'ignore', detached: true }).pid);
    setInterval(() => undefined, 1000);`;
  const receiver = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
  const [pid] = (await once(receiver.stdout, 'data')) as [Buffer];
  const stateOf = () => {
    const status = join('/proc', pid.toString().trim(), 'status');
    return existsSync(status) ? /^State:\s*(\w)/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined;
  };
  // It has become the program, which is no longer setpriv.
  await untilTrue(async () => readFileSync(join('/proc', pid.toString().trim(), 'comm'), 'utf8') !== 'setpriv\n');
  expect(stateOf()).toMatch(/[SRD]/);
  receiver.kill('SIGKILL');
  await untilTrue(async () => [undefined, 'Z', 'X'].includes(stateOf()));
});
