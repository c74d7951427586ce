/** DVB control codes, which guides from files and recordings of other receivers contain, appear neither in XML nor in JSON. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importXmltv } from '../../../src/epg/xmltv.ts';
import { ServiceReference } from '../../../src/services/reference.ts';
import { writeRecording } from '../../fixtures/recordings.ts';
import { beta, favourites, now, openReceiver, type TestReceiver } from '../receiver.ts';
import { get } from '../reply.ts';

const title = '\u0086Em\u0087ph';
const text = 'one\u008atwo';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
  const { parts, folder } = receiver;
  const time = (at: number) => new Date(at * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
  const programme = (start: number) =>
    `<programme channel="x" start="${time(start)} +0000" stop="${time(start + 3600)} +0000"><title>${title}</title><sub-title>${text}</sub-title><desc>${text}</desc></programme>`;
  const file = `<tv><channel id="x"/>${programme(now - 60)}${programme(now + 3540)}</tv>`;
  const bytes = async function* () {
    yield Buffer.from(file);
  };
  const { dvb } = ServiceReference.parse(beta);
  await importXmltv(parts.guide, bytes(), { servicesOf: (asked) => asked.map(() => (dvb ? [dvb] : [])) });
  await receiver.playback.zap(ServiceReference.parse(beta));
  writeRecording(join(folder, 'movie', 'a.ts'), { meta: [`${beta}:Beta`, title, text, String(now - 60)] });
});
afterAll(() => receiver.close());

const answer = async (name: string, parameters: Record<string, string | number> = {}) => {
  const { status, body } = await get(receiver, name, parameters);
  expect(status).toBe(200);
  return body;
};

const eventId = async () => {
  const { events } = JSON.parse(await answer('/api/epgservicenow', { sRef: beta })) as { events: { id: number }[] };
  return events[0]?.id ?? 0;
};

it.each<[name: string, parameters?: Record<string, string>]>([
  ['epgservice', { sRef: beta }],
  ['epgservicenow', { sRef: beta }],
  ['epgservicenownext', { sRef: beta }],
  ['epgnow', { bRef: favourites }],
  ['epgnownext', { bRef: favourites }],
  ['epgmulti', { bRef: favourites }],
  ['epgsearch', { search: 'Emph' }],
  ['getcurrent'],
  ['movielist'],
])('%s has the same texts in XML and JSON', async (name, parameters) => {
  for (const family of ['api', 'web']) {
    const body = await answer(`/${family}/${name}`, parameters);
    expect(body).toContain('Emph');
    expect(body).toContain(family === 'api' ? 'one\\ntwo' : 'one\ntwo');
    expect(body).not.toMatch(/[\u0086\u0087\u008a]/);
  }
});

it('a full event, the status and timers have the same texts too', async () => {
  const eventid = await eventId();
  await answer('/api/timeraddbyeventid', { sRef: beta, eventid });
  for (const [name, parameters] of [
    ['event', { sref: beta, idev: eventid }],
    ['epgsearch', { sref: beta, eventid }],
    ['statusinfo', {}],
    ['timerlist', {}],
    ['movieinfo', { sref: join(receiver.folder, 'movie', 'a.ts') }],
  ] as const) {
    const body = await answer(`/api/${name}`, parameters);
    expect(body, name).toContain('Emph');
    expect(body, name).toContain('one\\ntwo');
    expect(body, name).not.toMatch(/[\u0086\u0087\u008a]/);
  }
});
