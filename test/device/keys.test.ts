/** The virtual keyboard. */
import { accessSync, constants, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Keys, keyStrokesOf } from '../../src/device/keys.ts';
import { uinputPath } from '../../src/device/remote.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

it('types a text with shift where needed, and leaves out characters without a key', () => {
  expect(keyStrokesOf('a')).toEqual([
    [30, 1],
    [30, 0],
  ]);
  expect(keyStrokesOf('A')).toEqual([
    [42, 1],
    [30, 1],
    [30, 0],
    [42, 0],
  ]);
  const codes = (text: string) => keyStrokesOf(text).flatMap(([code, stroke]) => (stroke === 1 ? [code] : []));
  expect(codes('190-=')).toEqual([2, 10, 11, 12, 13]);
  expect(codes('qp[]lm/ \n\t`\\')).toEqual([16, 25, 26, 27, 38, 50, 53, 57, 28, 15, 41, 43]);
  expect(codes('!~')).toEqual([42, 2, 42, 41]);
  expect(codes('äö漢😀')).toEqual([]);
  expect(codes('x'.repeat(1000))).toHaveLength(64);
});

it('reports why there is no keyboard', () => {
  const folder = temporaryFolder();
  expect(() => new Keys('receiverd', join(folder, 'uinput'))).toThrow('No such file or directory');
  writeFileSync(join(folder, 'plain'), '');
  expect(() => new Keys('receiverd', join(folder, 'plain'))).toThrow(/./);
});

it.skipIf(!isWritable(uinputPath))('presses keys that exist, and ignores others', () => {
  const keys = new Keys('receiverd test');
  keys.press(402, true);
  keys.press(116, false);
  keys.press(-1, false);
  keys.type('receiverd');
  keys.close();
  keys.press(402, false);
});

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
