/** The set-up code for the first administrator: its format, its comparison, and how `receiverd setup` passes it on. */
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
  for (const given of ['K7QM-3XPA', 'k7qm3xpa', ' k7qm 3xpa '])
    expect([given, code.matches(given)]).toEqual([given, true]);
  for (const given of ['', 'K7QM', 'K7QM-3XPB', 'K7QM-3XPAA']) expect(code.matches(given)).toBe(false);
});

it('changes after it has been used, and reports the new one when it is renewed', () => {
  const reported: string[] = [];
  const code = new SetupCode('K7QM-3XPA', (next) => reported.push(next));
  code.markUsed();
  expect(code.matches('K7QM-3XPA')).toBe(false);
  const second = code.current;
  code.renew();
  expect(reported).toEqual([code.current]);
  expect([code.matches(second), code.matches(reported[0] ?? '')]).toEqual([false, true]);
});

it('left by setup is used by the next start, and only by that one', async () => {
  const folder = temporaryFolder();
  await keepSetupCode(folder, 'K7QM-3XPA');
  expect(statSync(join(folder, 'setup-code')).mode & 0o777).toBe(0o600);
  expect(await takeSetupCode(folder)).toBe('K7QM-3XPA');
  expect(existsSync(join(folder, 'setup-code'))).toBe(false);
  expect(await takeSetupCode(folder)).not.toBe('K7QM-3XPA');
});

it.each(['', 'AAAA\n', 'K7QM-3XPA', 'k7qm-3xpa\n', 'x'.repeat(1000)])(
  'is a new one if the file contains %j',
  async (text) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'setup-code'), text);
    expect(await takeSetupCode(folder)).toMatch(form);
    expect(existsSync(join(folder, 'setup-code'))).toBe(false);
  },
);

it('is not read from a file behind a link, which is kept', async () => {
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
