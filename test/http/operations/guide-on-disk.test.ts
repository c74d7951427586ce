/** saveepg, loadepg, clearepg, and the file behind them. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isTemporary } from '../../../src/base/files.ts';
import { irreplaceable } from '../../fixtures/irreplaceable.ts';
import { until } from '../../fixtures/waits.ts';
import { alpha, openReceiver, type TestReceiver } from '../receiver.ts';

let receiver: TestReceiver;
let file: string;

beforeEach(async () => {
  receiver = await openReceiver();
  file = receiver.parts.guideStore.path;
});
afterEach(() => receiver.close());

async function api(name: string): Promise<{ result: boolean; message: string; path?: string }> {
  return (await receiver.app.inject(`/api/${name}`)).json();
}

async function titles(): Promise<string[]> {
  const reply = await receiver.app.inject(`/api/epgservice?sRef=${encodeURIComponent(alpha)}`);
  return reply.json<{ events: { title: string }[] }>().events.map(({ title }) => title);
}

test('the guide is saved, cleared and loaded again', async () => {
  const before = await titles();
  expect(before).toEqual(['Ships & Harbours', 'Weather', 'Weather again']);
  expect(await api('saveepg')).toEqual({ result: true, message: 'EPG data saved', path: file });
  expect(await api('clearepg')).toEqual({ result: true, message: 'EPG data cleared' });
  expect(await titles()).toEqual([]);
  expect(await api('loadepg')).toEqual({ result: true, message: 'EPG data loaded' });
  expect(await titles()).toEqual(before);
});

test('XML responses are simple results', async () => {
  const texts = { saveepg: 'EPG data saved', loadepg: 'EPG data loaded', clearepg: 'EPG data cleared' };
  for (const [name, text] of Object.entries(texts)) {
    const { body } = await receiver.app.inject(`/web/${name}`);
    expect(body).toContain('<e2state>True</e2state>');
    expect(body).toContain(`<e2statetext>${text}</e2statetext>`);
  }
});

test('loading without a file fails and keeps the guide', async () => {
  expect(await api('loadepg')).toEqual({
    result: false,
    message: `${file}: there is no saved guide`,
    error: expect.any(String),
  });
  expect(await titles()).toHaveLength(3);
});

test('a damaged file is refused with the reason, and the guide is kept', async () => {
  await api('saveepg');
  const whole = readFileSync(file);
  const damages: [bytes: Buffer, reason: string][] = [
    [whole.subarray(0, whole.length / 2), 'bytes instead of'],
    [Buffer.from(whole.map((byte, i) => (i === whole.length >> 1 ? byte ^ 1 : byte))), 'a checksum is wrong'],
    [Buffer.from('<tv></tv>'), 'too short'],
    [Buffer.alloc(0), ''],
  ];
  for (const [bytes, reason] of damages) {
    writeFileSync(file, bytes);
    const { result, message } = await api('loadepg');
    expect(result).toBe(false);
    expect(message).toContain(file);
    expect(message).toContain(reason);
    expect(await titles()).toHaveLength(3);
  }
});

test('a file that cannot be written is reported', async () => {
  rmSync(file, { force: true });
  irreplaceable(file);
  const { result, message } = await api('saveepg');
  expect(result).toBe(false);
  expect(message).toContain(`${file} cannot be written: `);
  // Other files of the receiver, written since its start, may have temporary files too for a moment.
  await until(() => expect(readdirSync(dirname(file)).filter(isTemporary)).toEqual([]));
});

test('an imported guide is written immediately', async () => {
  const stop = '20260102000000 +0000';
  const document =
    `<tv><channel id="${alpha.slice(0, -1)}"/><programme channel="${alpha.slice(0, -1)}" start="20260101230000 +0000" stop="${stop}">` +
    '<title>From a file</title></programme></tv>';
  const reply = await receiver.app.inject({
    method: 'POST',
    url: '/api/epgimport',
    payload: document,
    headers: { 'content-type': 'application/xml' },
  });
  expect(reply.json()).toMatchObject({ result: true, imported: 1 });
  await until(() => expect(existsSync(file)).toBe(true));
  await api('clearepg');
  expect(await api('loadepg')).toMatchObject({ result: true });
  expect(await titles()).toContain('From a file');
});
