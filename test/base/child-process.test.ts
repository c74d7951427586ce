import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lastLine, plainEnvironment, plainLine, startProgram } from '../../src/base/child-process.ts';

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
