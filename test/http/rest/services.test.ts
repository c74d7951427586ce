/** `/services`: order, filters, formats and the ETag. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alternatives, demoOne, demoRadio, demoTwo, type TestReceiver, testReceiver } from './receiver.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await testReceiver();
});
afterAll(() => receiver.close());

const get = (url: string, headers: Readonly<Record<string, string>> = {}) => receiver.app.inject({ url, headers });

const two = [demoTwo, 'Démo & Deux+', 'demoanddeuxplus'];
const one = [demoOne, 'Demo One HD', 'demoonehd'];
const group = [alternatives, 'Demo alternatives', 'demoalternatives'];
const radio = [demoRadio, 'Radio Demo', 'radiodemo'];

describe('/services', () => {
  test.each([
    ['/services', [two, one, group, radio]],
    ['/services/', [two, one, group, radio]],
    ['/services/tv', [two, one, group]],
    ['/services/tv/', [two, one, group]],
    ['/services/radio', [radio]],
    ['/services/25', [one]],
    ['/services/999', []],
  ])('%s lists each service once, in bouquet order, without markers and hidden entries', async (url, items) => {
    const response = await get(url);
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe(JSON.stringify({ result: true, len: items.length, errors: [], items }));
  });

  test('compat=1 also returns the list under its old name', async () => {
    expect((await get('/services/radio?compat=1')).json()).toEqual({
      result: true,
      len: 1,
      errors: [],
      items: [radio],
      services: [radio],
    });
  });

  test('format=object returns objects', async () => {
    expect((await get('/services/tv?format=object')).json().items).toEqual([
      {
        service_reference: demoTwo,
        service_name: 'Démo & Deux+',
        picon_name: 'demoanddeuxplus',
        service_type: 1,
        bouquets: ['Favourites (TV)'],
        number: 1,
      },
      {
        service_reference: demoOne,
        service_name: 'Demo One HD',
        picon_name: 'demoonehd',
        service_type: 25,
        bouquets: ['Favourites (TV)', 'More'],
        number: 2,
      },
      {
        service_reference: alternatives,
        service_name: 'Demo alternatives',
        picon_name: 'demoalternatives',
        service_type: 1,
        bouquets: ['Favourites (TV)'],
        number: 3,
      },
    ]);
    expect((await get('/services?format=xml')).statusCode).toBe(400);
  });

  test('a type that is neither tv, radio nor a number is not found', async () => {
    const response = await get('/services/foo');
    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual({
      result: false,
      message: "service type 'foo' not found",
      error: 'not-found',
      _request: { path: '/services/foo', method: 'GET' },
    });
  });

  test('a response can be cached until the service list changes', async () => {
    const first = await get('/services/tv');
    expect(first.headers['cache-control']).toBe('no-cache');
    const etag = String(first.headers.etag);
    const again = await get('/services/tv', { 'If-None-Match': `"other", ${etag}` });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    expect(again.headers.vary).toBe('Accept-Encoding');
    expect((await get('/services/tv', { 'If-None-Match': '"other"' })).statusCode).toBe(200);
    await receiver.parts.services.reload();
    const after = await get('/services/tv', { 'If-None-Match': etag });
    expect([200, 304]).toContain(after.statusCode);
    expect(after.headers.etag === etag).toBe(after.statusCode === 304);
  });
});
