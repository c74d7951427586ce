/** The kinds of operations other than a record in XML and JSON, and how each kind reports failures. */
import Fastify, { type FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fail } from '../../../src/base/errors.ts';
import { registerOperations } from '../../../src/http/endpoint/dispatch.ts';
import { group } from '../../../src/http/endpoint/endpoint.ts';
import { operation } from '../../../src/http/endpoint/operation.ts';
import { integer, text } from '../../../src/http/middleware/parameters.ts';
import type { ReceiverParts } from '../../../src/http/parts/parts.ts';
import { ResponseCache } from '../../../src/http/write/response-cache.ts';
import { element, leaf } from '../../../src/http/write/xml.ts';
import { openAccessControl } from '../../fixtures/access-control.ts';
import { alpha, openReceiver, type TestReceiver } from '../receiver.ts';
import { get } from '../reply.ts';

const common = { summary: 'A test.' } as const;
const Key = Type.Object({ result: Type.Boolean(), message: Type.String() });

const kinds = group('system', [
  operation({
    ...common,
    name: 'own',
    parameters: { number: integer('n', { minimum: 0, maximum: 9, wrong: 'fails' }).required() },
    result: Key,
    xml: element(
      'own',
      leaf<Static<typeof Key>>('result', ({ result }) => result),
    ),
    example: { result: true, message: '' },
    failed: ({ message }) => ({ result: false, message }),
    run(_parts, { number }) {
      if (number > 1) throw fail('unsupported', 'more');
      return { result: true, message: 'done' };
    },
  }),
  operation({
    ...common,
    name: 'line',
    parameters: { word: text('w') },
    result: Type.Object({ word: Type.String(), result: Type.Boolean() }),
    text: { type: 'text/plain; charset=utf-8', write: ({ word }) => `${word}\n` },
    example: { word: 'x', result: true },
    run(_parts, { word = '' }, { method }) {
      if (word === '') throw fail('not-playing');
      return { word: `${method} ${word}`, result: true };
    },
  }),
  operation({
    ...common,
    name: 'document',
    parameters: { what: text('w').required(), old: text('o').outdated('use what') },
    contentType: 'audio/x-nothing',
    example: 'x',
    errorsWithStatus: ['not-found'],
    run(_parts, { what }) {
      if (what === 'lost') throw fail('not-found', what);
      if (what === 'bad') throw fail('no-signal', what);
      if (what === 'broken') throw new Error('secret');
      return { body: what };
    },
  }),
]);

let app: FastifyInstance;
beforeAll(() => {
  app = Fastify();
  registerOperations(
    app,
    { accessControl: openAccessControl('/nowhere') } as ReceiverParts,
    kinds,
    new ResponseCache(),
  );
});
afterAll(() => app.close());

describe('an operation', () => {
  it.each([
    ['number=5', 'more is not supported'],
    ['number=x', "The parameter 'number' must be a number"],
    ['', "Missing mandatory parameter 'number'"],
  ])('reports a failure in its own format: ?%s', async (query, message) => {
    const xml = await app.inject(`/web/own?${query}`);
    expect([xml.statusCode, xml.body]).toEqual([
      200,
      '<?xml version="1.0" encoding="UTF-8"?>\n<own>\n\t<result>False</result>\n</own>\n',
    ]);
    expect((await app.inject(`/api/own?${query}`)).json()).toEqual({
      result: false,
      message,
      error: expect.any(String),
    });
  });

  it('can return text at /web and a record at /api', async () => {
    const web = await app.inject('/web/line?word=a');
    expect(web.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(web.body).toBe('GET a\n');
    const api = await app.inject({ method: 'POST', url: '/api/line?word=a' });
    expect(api.json()).toEqual({ word: 'POST a', result: true });
    expect((await app.inject('/web/line')).body).toContain('<e2state>False</e2state>');
  });

  it('that returns a document reports errors with status 200, except for its listed failures', async () => {
    for (const [query, status] of [
      ['', 200],
      ['what=bad', 200],
      ['what=lost', 404],
      ['what=broken', 500],
    ] as const) {
      const reply = await app.inject(`/api/document?${query}`);
      expect([query, reply.statusCode]).toEqual([query, status]);
      expect(reply.json()).toMatchObject({ result: false });
      expect(reply.body).not.toContain('secret');
    }
    expect((await app.inject('/web/document?what=a')).body).toBe('a');
  });

  it('marks the response to a request with a deprecated parameter', async () => {
    expect((await app.inject('/web/document?what=a')).headers.deprecation).toBeUndefined();
    expect((await app.inject('/web/document?what=a&old=')).headers.deprecation).toMatch(/^@\d{10}$/);
  });
});

describe('of the receiver', () => {
  let receiver: TestReceiver;
  beforeAll(async () => {
    receiver = await openReceiver();
  });
  afterAll(() => receiver.close());

  it.each([
    ['getpid', {}, true],
    ['epgmultigz', { bRef: 'x' }, true],
    ['epgmulti', { bRef: 'x' }, false],
    ['epgservicelistnownext', { sList: alpha }, true],
    ['epgmultichannelnownext', { sRefs: alpha }, false],
    ['signal', { id: '0' }, true],
    ['signal', {}, false],
    ['services.m3u', { sRef: alpha }, true],
    ['services.m3u', {}, false],
  ])('%s with %j is deprecated: %s', async (name, parameters, deprecated) => {
    for (const family of ['web', 'api']) {
      const { headers } = await get(receiver, `/${family}/${name}`, parameters as Record<string, string>);
      expect(headers.deprecation !== undefined).toBe(deprecated);
    }
  });

  it.each([
    ['services.m3u', { sRef: '1:0:1:9999:3F3:1:C00000:0:0:0:' }, 'no service'],
    ['services.m3u', { sRef: 'nonsense' }, 'is not a service reference'],
    ['stream.m3u', { ref: 'nonsense' }, 'is not a service reference'],
    ['event', { sref: 'nonsense', idev: '1' }, 'is not a service reference'],
    ['epgxmltv', {}, "Missing mandatory parameter 'bRef'"],
  ])('%s with %j fails with status 200 and False', async (name, parameters, message) => {
    const xml = await get(receiver, `/web/${name}`, parameters as Record<string, string>);
    expect(xml.status).toBe(200);
    expect(xml.body).toContain('<e2state>False</e2state>');
    const json = await get(receiver, `/api/${name}`, parameters as Record<string, string>);
    expect([json.status, json.type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(json.body)).toMatchObject({ result: false, message: expect.stringContaining(message) });
  });

  it('getpid is a line of text at /web and contains the host', async () => {
    const headers = { host: 'box:8080' };
    receiver.playback.current = undefined;
    expect((await get(receiver, '/web/getpid', {}, { headers })).body).toBe('http://box:31339/0,0,0,0\n');
    await get(receiver, '/api/zap', { sRef: alpha });
    const line = await get(receiver, '/web/getpid', {}, { headers });
    expect(line).toMatchObject({
      status: 200,
      type: 'text/html; charset=utf-8',
      body: 'http://box:31339/0,64,1ff,280\n',
    });
    expect(JSON.parse((await get(receiver, '/api/getpid', {}, { headers })).body)).toEqual({
      ppid: '64',
      vpid: '1ff',
      apid: '280',
      host: 'box',
      result: true,
    });
  });

  it.each(['abc', '', '-1', '99'])('signal?id=%s selects nothing and reports it', async (id) => {
    expect((await get(receiver, '/web/signal', { id })).body).toContain('<e2result>Error</e2result>');
    expect(JSON.parse((await get(receiver, '/api/signal', { id })).body)).toEqual({ result: false });
  });

  it('epgsearch ignores eventid if there is search, and otherwise reports an invalid eventid', async () => {
    const both = JSON.parse((await get(receiver, '/api/epgsearch', { search: 'Ships', eventid: 'abc' })).body);
    expect(both).toMatchObject({ result: true });
    const alone = JSON.parse((await get(receiver, '/api/epgsearch', { sRef: alpha, eventid: 'abc' })).body);
    expect(alone).toEqual({
      result: false,
      message: "The parameter 'eventid' must be a number",
      error: expect.any(String),
    });
  });

  it('an invalid reference in a list is skipped', async () => {
    const reply = await get(receiver, '/api/epgmultichannelnownext', { sRefs: `nonsense,${alpha}` });
    const { events, result } = JSON.parse(reply.body) as { events: { sref: string }[]; result: boolean };
    expect(result).toBe(true);
    expect(events.map(({ sref }) => sref)).toEqual([alpha, alpha]);
    const none = await get(receiver, '/api/epgmultichannelnownext', { sRefs: 'nonsense' });
    expect(JSON.parse(none.body)).toMatchObject({ result: false });
  });
});
