/** Every operation against its definition: the documented request, and the structure, order and types of the reply. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../../src/http/operations/index.ts';
import { xmlType } from '../../../src/http/write/xml.ts';
import { ServiceReference } from '../../../src/services/reference.ts';
import { timerSpec } from '../../../src/timers/timer.ts';
import { writeRecording } from '../../fixtures/recordings.ts';
import { requestsFor } from '../conformance/requests.ts';
import { timer } from '../conformance/world.ts';
import { alpha, beta, favourites, fillGuide, now, second } from '../receiver.ts';
import { get, parseXml } from '../reply.ts';
import { play, receiver, useReceiver } from './fixture.ts';

useReceiver();

describe('every operation', () => {
  const documents = operations.filter(({ mediaTypes }) => mediaTypes !== undefined);
  const records = operations.filter(({ mediaTypes }) => mediaTypes === undefined);

  it.each(records)('$name returns XML and JSON, with and without parameters', async ({ name, webType }) => {
    const isXml = webType === xmlType;
    for (const parameters of [{}, { sRef: alpha, bRef: favourites, search: 'x', sref: alpha }]) {
      if (name === 'zap' && 'sRef' in parameters) continue;
      const xml = await get(receiver, `/web/${name}`, parameters);
      expect([200, 404]).toContain(xml.status);
      if (isXml) parseXml(xml.body);
      const json = await get(receiver, `/api/${name}`, parameters);
      expect(json.status).toBe(xml.status);
      const value = JSON.parse(json.body) as boolean | { result?: unknown; state?: unknown };
      // Timeshift uses another name.
      expect(typeof (typeof value === 'boolean' ? value : (value.result ?? value.state))).toBe('boolean');
    }
  });

  it.each(documents.map(({ name }) => name))('%s returns the same at /web and /api', async (name) => {
    const parameters = { bRef: favourites, sRef: alpha, search: 'ships' };
    const web = await get(receiver, `/web/${name}`, parameters);
    const api = await get(receiver, `/api/${name}`, parameters);
    expect(web.status).toBe(api.status);
    if (web.status === 200) expect(web.body).toBe(api.body);
  });

  beforeEach(() => fillGuide(receiver.parts.guide));

  /** Operations that take the reference of a recording. */
  const ofRecordings = new Set(['moviedetails', 'movieinfo', 'movietags']);

  /** Operations that move files. */
  const ofFiles = new Set('moviedelete moviemove moviecopy movierename addlocation removelocation'.split(' '));

  /** Operations that do nothing without other parameters. */
  const ofDevice = new Set(['message', 'remotecontrol', 'saveconfig', 'setwebconfig', 'showchannelpicon', 'zapstream']);

  /** Operations that fail without a front end, which these tests do not have. */
  const ofFrontEnds = new Set(['scanstart', 'scanstop', 'setup']);

  /** Operations that need an existing timer. */
  const ofTimers = new Set(['timerchange', 'timerdelete', 'timertogglestatus', 'tvbrowser', 'timeradd']);

  it.each(records.map((one) => [one.name, one] as const))('%s matches its schema', async (name, one) => {
    await play();
    const bRef = name === 'getservices' ? second : favourites;
    const parameters = {
      sRef: name === 'getservices' ? bRef : alpha,
      sref: alpha,
      bRef,
      eventid: 4711,
      idev: 4711,
      mode: 0,
      id: 1,
    };
    const list = { sRefs: alpha, sList: beta, search: 'e', name: 'Beta', provider: 1, picon: 1 };
    const asked: Record<string, string | number> = name === 'epgsearch' ? list : { ...parameters, ...list };
    if (name === 'tunersignal') delete asked.id;
    if (ofRecordings.has(name)) {
      const path = join(receiver.folder, 'movie', 'Ships.ts');
      writeRecording(path, { meta: [`${alpha}:Alpha HD`, 'Ships', '', String(now)] });
      Object.assign(asked, { sRef: path, sref: path, file: path });
    }
    if (ofDevice.has(name)) Object.assign(asked, requestsFor('', '')[name]);
    if (ofFiles.has(name)) {
      const path = join(receiver.folder, 'movie', 'Other.ts');
      rmSync(join(receiver.folder, 'movie', 'series', 'Other.ts'), { force: true });
      writeRecording(path);
      Object.assign(asked, requestsFor('', path)[name]);
    }
    if (ofTimers.has(name)) {
      Object.assign(asked, requestsFor('', '')[name]);
      const order = { reference: ServiceReference.parse(alpha), begin: Number(timer.begin), end: Number(timer.end) };
      const { timers } = receiver.parts;
      for (const { id } of timers.all) await timers.remove(id);
      await timers.add(timerSpec({ ...order, name: 'Ships' }));
    }
    if (name === 'tunersetup') Object.assign(asked, { tuner: 0, satellites: '19.2E' });
    const { messages } = receiver.parts.device;
    if (name === 'messageanswer') messages.close(messages.show('question', 'Tea?').id, 'yes');
    const value = JSON.parse((await get(receiver, `/api/${name}`, asked, { method: 'POST' })).body) as unknown;
    // An operation whose example is a failure always fails.
    const { example } = one as { example: boolean | { result?: boolean } };
    if (ofFrontEnds.has(name)) expect(value, name).toMatchObject({ result: false });
    else if (typeof example === 'boolean') expect(value, name).toBe(example);
    else if (example.result !== undefined) expect(value, name).toMatchObject({ result: example.result });
    expect([...Value.Errors(strict(one.result as TSchema), value)], name).toEqual([]);
    expect([...Value.Errors(strict(one.result as TSchema), one.example)], name).toEqual([]);
  });

  it('is described', () => {
    for (const { name, summary, since } of operations) {
      expect(summary, name).toMatch(/\.$/);
      expect(since, name).toMatch(/^\d+\.\d+$/);
    }
  });
});

/** The schema with null where allowed, and without additional keys. */
function strict(schema: TSchema): TSchema {
  const { 'x-nullable': nullable, ...own } = schema as Record<string, unknown>;
  const exact = Object.fromEntries(
    Object.entries(own).map(([key, value]) => {
      if (key === 'items') return [key, strict(value as TSchema)];
      if (key !== 'properties') return [key, value];
      const properties = Object.entries(value as Record<string, TSchema>);
      return [key, Object.fromEntries(properties.map(([name, one]) => [name, strict(one)]))];
    }),
  );
  if ('properties' in exact) exact.additionalProperties = false;
  const other = exact.type === 'integer' ? [{ type: 'null' }, { type: 'string', const: 'N/A' }] : [{ type: 'null' }];
  return (nullable ? { anyOf: [exact, ...other] } : exact) as TSchema;
}
