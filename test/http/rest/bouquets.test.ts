/** `/bouquets` and `/parentallock`: what changes write to the files, and which requests require the PIN. */

import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ReceiverError } from '../../../src/base/errors.ts';
import { irreplaceable } from '../../fixtures/irreplaceable.ts';
import { noMount } from '../../fixtures/small-disk.ts';
import { until } from '../../fixtures/waits.ts';
import { alpha, beta, favourites, openReceiver, type TestReceiver } from '../receiver.ts';

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

async function ask(method: Method, url: string, payload?: object) {
  const response = await receiver.app.inject({ method, url, ...(payload && { payload }) });
  return response.json();
}

const textOf = (file: string) => readFileSync(join(receiver.folder, file), 'utf8');
const files = async () => {
  const { bouquets } = await ask('GET', '/bouquets');
  return (bouquets as readonly { readonly file: string }[]).map(({ file }) => file);
};

describe('the bouquets', () => {
  it('are added, renamed, hidden, reordered and removed', async () => {
    const { file } = await ask('POST', '/bouquets', { name: 'Films & more' });
    expect(textOf(file)).toBe('#NAME Films & more\r\n');
    await ask('PUT', `/bouquets/${file}`, { name: 'Cinema', hidden: true });
    expect(textOf(file)).toBe('#NAME Cinema\r\n');
    expect(textOf('bouquets.tv')).toContain(`1:519:1:0:0:0:0:0:0:0:FROM BOUQUET "${file}"`);
    await ask('PUT', '/bouquets', { files: [file, 'userbouquet.second.tv'] });
    expect((await files()).slice(0, 3)).toEqual([file, 'userbouquet.second.tv', 'userbouquet.favourites.tv']);
    await ask('DELETE', `/bouquets/${file}`);
    expect(await files()).not.toContain(file);
    expect(existsSync(join(receiver.folder, file))).toBe(false);
    expect(textOf('bouquets.tv')).not.toContain(file);
    await receiver.parts.services.reload();
    expect(await files()).not.toContain(file);
  });

  it('are imported one at a time, while the list arrives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const address = await receiver.app.listen({ host: '127.0.0.1', port: 0 });
    const upload = async (name: string) => {
      const headers = { 'Content-Type': 'audio/x-mpegurl' };
      const sending = request(`${address}/bouquets/import?name=${name}`, { method: 'POST', headers, agent: false });
      sending.on('error', () => undefined).write(`#EXTINF:-1,${name}\nhttp://192.0.2.7/${name}.ts\n`);
      await once(receiver.app.server, 'request');
      return sending;
    };
    const [first, second] = [await upload('first'), await upload('second')];
    const refused = new Promise((resolve) => first.once('close', resolve));
    const answered = once(second, 'response') as Promise<[IncomingMessage]>;
    const line = Buffer.from(`#${'x'.repeat(50_000)}\n`);
    for (let n = 0; n < 800; n++) second.write(line);
    second.end();
    // What the receiver does not read waits here, apart from what the socket buffers hold.
    await until(async () => {
      const before = second.writableLength;
      await (await fetch(`${address}/bouquets`)).text();
      expect(second.writableLength).toBe(before);
    });
    expect(second.writableLength).toBeGreaterThan(20_000_000);
    // The first upload is silent and is aborted.
    await vi.advanceTimersByTimeAsync(30_000);
    await refused;
    const [response] = await answered;
    expect(await json(response)).toMatchObject({ channels: 1, result: true });
  });

  it('notify their listeners that one is removed', async () => {
    let changes = 0;
    receiver.parts.services.onChange(() => void changes++);
    await ask('DELETE', '/bouquets/userbouquet.empty.tv');
    expect(changes).toBe(1);
  });

  it.for<[what: string, blocked: string, change: () => Promise<unknown>]>([
    ['removed', 'bouquets.tv', () => ask('DELETE', '/bouquets/userbouquet.favourites.tv')],
    ['added', 'userbouquet.films.tv', () => ask('POST', '/bouquets', { name: 'Films' })],
    ['renamed', 'userbouquet.favourites.tv', () => ask('PUT', '/bouquets/userbouquet.favourites.tv', { name: 'New' })],
    ['put in order', 'bouquets.tv', () => ask('PUT', '/bouquets', { files: ['userbouquet.second.tv'] })],
  ])('are not %s while the files cannot be written', async ([_, blocked, change], { skip }) => {
    const before = await ask('GET', '/bouquets');
    const end = irreplaceable(join(receiver.folder, blocked)) ?? skip(noMount);
    expect(await change()).toMatchObject({ result: false, error: 'file-unwritable' });
    expect(existsSync(join(receiver.folder, 'userbouquet.favourites.tv'))).toBe(true);
    expect(await ask('GET', '/bouquets')).toEqual(before);
    end();
    expect(await change()).toMatchObject({ result: true });
    expect(await ask('GET', '/bouquets')).not.toEqual(before);
  });

  it('can be filled from the services that have a name', async () => {
    const more = ['2b70:1:<n/a>', '2b71:1:.', '2b72:12:Data', '2b73:31:Delta UHD'].map((entry) => {
      const [id, type, name] = entry.split(':');
      return `${id}:ffff0000:03f3:0001:${type}:0:0\n${name}\np:Cable,C:1702\n`;
    });
    const text = textOf('lamedb').replace('end\nHave', `${more.join('')}end\nHave`);
    writeFileSync(join(receiver.folder, 'lamedb'), text);
    await receiver.parts.services.reload();
    const { services } = await ask('GET', '/bouquets/services');
    expect(services.map(({ name }: { readonly name: string }) => name)).toEqual([
      'Alpha HD',
      'Beta',
      'Gamma Radio',
      'Hidden',
      'Renamed',
      'Delta UHD',
    ]);
    expect(services[0]).toEqual({
      reference: alpha,
      name: 'Alpha HD',
      provider: 'Demo',
      source: '19.2° E',
      encrypted: false,
    });
    expect(services[5]).toMatchObject({ provider: 'Cable', source: 'DVB-C', encrypted: true });
  });

  it('accept their entries as a list in JSON', async () => {
    const bouquet = '/bouquets/userbouquet.favourites.tv';
    const entriesOf = async () => (await ask('GET', bouquet)).entries;
    const wanted = (await entriesOf()).toReversed();
    expect(await ask('PUT', bouquet, { entries: wanted })).toEqual({ result: true });
    expect(await entriesOf()).toEqual(wanted);
    for (const entries of [null, [null], [1], ['1:0:1:1:1:1:1:0:0:0:'], 'text', [wanted]])
      expect(await ask('PUT', bouquet, { entries })).toMatchObject({ error: 'parameter-invalid' });
    expect(await entriesOf()).toEqual(wanted);
    for (const [entries, problem] of [
      ['x', 'is not JSON'],
      ['{}', 'is not a list'],
      ['[{}]', 'has an entry without a reference'],
    ])
      expect(await ask('PUT', bouquet, { entries })).toMatchObject({
        message: `The parameter 'entries' ${problem}; it must be a JSON list such as [{"reference": "1:0:19:2B66:3F3:1:C00000:0:0:0:", "own": "Alpha"}]`,
      });
    expect(await ask('PUT', bouquet, { entries: [] })).toEqual({ result: true });
    expect(await entriesOf()).toEqual([]);
  });

  it('hide a service wherever it is listed, and show it again', async () => {
    const { file } = await ask('POST', '/bouquets', { name: 'Films' });
    const entries = JSON.stringify([{ reference: beta }, { reference: alpha, own: 'First' }, { reference: alpha }]);
    await ask('PUT', `/bouquets/${file}`, { entries });
    const before = textOf(file);
    const hidden = await ask('PUT', '/bouquets/services', { services: [alpha] });
    expect(hidden.bouquets).toContainEqual({ file, services: [alpha, alpha] });
    expect(hidden.bouquets.map(({ file }: { file: string }) => file)).toContain(favourites.split('"')[1]);
    const shown = async () =>
      (await ask('GET', `/bouquets/${file}`)).entries.map(({ hidden }: { hidden: boolean }) => hidden);
    expect(await shown()).toEqual([false, true, true]);
    expect((await ask('PUT', '/bouquets/services', { services: [alpha] })).bouquets).toEqual([]);
    expect((await ask('PUT', '/bouquets/services', { services: [alpha], hidden: false })).bouquets).toEqual(
      hidden.bouquets.map((one: object) => ({ ...one, services: expect.anything() })),
    );
    expect([await shown(), textOf(file)]).toEqual([[false, false, false], before]);
    expect((await ask('PUT', '/bouquets/services', { services: ['x'] })).result).toBe(false);
  });

  it('keep the lines of unchanged entries in their files', async () => {
    const before = textOf('userbouquet.favourites.tv').split('\n');
    const { entries } = await ask('GET', '/bouquets/userbouquet.favourites.tv');
    const moved = [entries[2], { ...entries[0], own: 'First', hidden: true }, entries[1], entries[3]];
    await ask('PUT', '/bouquets/userbouquet.favourites.tv', { entries: JSON.stringify(moved) });
    const after = textOf('userbouquet.favourites.tv').split('\n');
    expect(after.slice(0, 2)).toEqual([before[0], before[3]]);
    expect(after.slice(4, 6)).toEqual([before[2], before[4]]);
    expect(after[2]).toContain('#SERVICE 1:512:19:2B66:');
    const again = await ask('GET', '/bouquets/userbouquet.favourites.tv');
    expect(again.entries[1]).toMatchObject({ name: 'First', own: 'First', hidden: true });
  });
});

describe('the parental lock', () => {
  const zap = (pin = '') => ask('POST', '/api/zap', { sRef: alpha, ...(pin && { pin }) });

  it('requires its PIN for a locked service', async () => {
    expect(await zap()).toMatchObject({ result: true });
    expect(await ask('PUT', '/parentallock', { service: alpha })).toMatchObject({ error: 'pin-wrong' });
    expect(await ask('PUT', '/parentallock', { service: alpha, pin: '1234' })).toEqual({ result: true });
    expect(textOf('blacklist')).toBe(`${alpha}\n`);
    expect(await ask('GET', `/parentallock?service=${alpha}`)).toMatchObject({ set: true, locked: true });
    expect(await zap()).toMatchObject({ result: false, message: expect.stringContaining('parental') });
    expect(await zap('4321')).toMatchObject({ result: false });
    expect(await zap('1234')).toMatchObject({ result: true });
    await ask('PUT', '/parentallock', { service: alpha, locked: false, pin: '1234' });
    expect([textOf('blacklist'), (await zap()).result]).toEqual(['', true]);
  });

  it('checks a PIN for an app', async () => {
    expect(await ask('POST', '/parentallock/check', { pin: '4321' })).toMatchObject({ error: 'pin-wrong' });
    expect(await ask('POST', '/parentallock/check', { pin: '1234' })).toEqual({ result: true });
  });

  it('locks a whole bouquet', async () => {
    await ask('PUT', '/parentallock', { service: favourites, pin: '1234' });
    expect(await zap()).toMatchObject({ result: false });
    const { bouquets } = await ask('GET', '/bouquets');
    expect(bouquets[0]).toMatchObject({ name: 'Favourites (TV)', locked: true });
  });

  it('limits wrong PINs', async () => {
    await ask('PUT', '/parentallock', { service: alpha, pin: '1234' });
    for (let code = 1; code <= 5; code++) expect(await zap(String(code))).toMatchObject({ result: false });
    expect(await zap('1234')).toMatchObject({ result: false, message: 'too many requests' });
    expect(await ask('POST', '/api/zap', { sRef: beta })).toMatchObject({ result: true });
  });

  it('blocks a client after its wrong PINs, and all clients after fifty wrong PINs', async () => {
    const check = (client: string, pin = '1') =>
      receiver.parts.parentalLock.check(pin, client).then(
        () => 'right',
        ({ code }: ReceiverError) => code,
      );
    const codes = await Promise.all(Array.from({ length: 60 }, () => check('one')));
    expect(codes).toEqual([...Array(5).fill('pin-wrong'), ...Array(55).fill('too-many-requests')]);
    expect([await check('one', '1234'), await check('two', '1234')]).toEqual(['too-many-requests', 'right']);
    for (let client = 0; client < 9; client++) for (let n = 0; n < 5; n++) await check(`guest ${client}`);
    expect(await check('two', '1234')).toBe('too-many-requests');
  });
});
