/** The code for the first administrator: its form, what counts as the same, and how `setup` passes it on. */
import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepSetupCode, newSetupCode, SetupCode, setupLink, takeSetupCode } from '../../src/access/setup-code.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const form = /^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/;

it('is random, and has no characters that look alike', () => {
  const codes = Array.from({ length: 200 }, newSetupCode);
  for (const code of codes) expect(code).toMatch(form);
  expect(new Set(codes).size).toBe(200);
});

it('may be typed in lower case, without its hyphen or with blanks', () => {
  const code = new SetupCode('K7QM-3XPA');
  for (const given of ['K7QM-3XPA', 'k7qm3xpa', ' k7qm 3xpa ']) expect([given, code.is(given)]).toEqual([given, true]);
  for (const given of ['', 'K7QM', 'K7QM-3XPB', 'K7QM-3XPAA']) expect(code.is(given)).toBe(false);
});

it('is another one once it has been used, and tells the one that replaces it', () => {
  const told: string[] = [];
  const code = new SetupCode('K7QM-3XPA', (next) => told.push(next));
  code.end();
  expect(code.is('K7QM-3XPA')).toBe(false);
  const second = code.current;
  code.renew();
  expect(told).toEqual([code.current]);
  expect([code.is(second), code.is(told[0] ?? '')]).toEqual([false, true]);
});

it('of set-up is that of the start that follows, and of no other', async () => {
  const folder = temporaryFolder();
  await keepSetupCode(folder, 'K7QM-3XPA');
  expect(statSync(join(folder, 'setup-code')).mode & 0o777).toBe(0o600);
  expect(await takeSetupCode(folder)).toBe('K7QM-3XPA');
  expect(existsSync(join(folder, 'setup-code'))).toBe(false);
  expect(await takeSetupCode(folder)).not.toBe('K7QM-3XPA');
});

it.each(['', 'AAAA\n', 'K7QM-3XPA', 'k7qm-3xpa\n', 'x'.repeat(1000)])('is new where the file says %j', async (text) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'setup-code'), text);
  expect(await takeSetupCode(folder)).toMatch(form);
  expect(existsSync(join(folder, 'setup-code'))).toBe(false);
});

it('is no file of somebody else behind a link, which stays', async () => {
  const folder = temporaryFolder();
  const target = join(temporaryFolder(), 'code');
  writeFileSync(target, 'K7QM-3XPA\n');
  symlinkSync(target, join(folder, 'setup-code'));
  await takeSetupCode(folder);
  expect(existsSync(target)).toBe(true);
});

it('is in a link that other devices can open', () => {
  const link = (bind: string, httpsPort = 0) => setupLink({ bind, httpPort: 8080 }, httpsPort, 'K7QM-3XPA');
  expect(link('192.168.1.5')).toBe('http://192.168.1.5:8080/#/setup?code=K7QM-3XPA');
  expect(link('192.168.1.5', 8443)).toBe('https://192.168.1.5:8443/#/setup?code=K7QM-3XPA');
  expect(link('fd00::5')).toBe('http://[fd00::5]:8080/#/setup?code=K7QM-3XPA');
  expect(link('::')).toMatch(/^http:\/\/[^/]+:8080\/#\/setup\?code=K7QM-3XPA$/);
});
