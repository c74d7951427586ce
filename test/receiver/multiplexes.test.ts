/**
 * The program on multiplexes from an independent encoder, with the expected content beside them. Through file, demux,
 * guide, lists and HTTP, every service and every event that has not ended appears as sent, and nothing else. With
 * packet loss, nothing wrong appears.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMakeMultiplex, makeMultiplex, type Truth } from '../fixtures/made-multiplex.ts';
import { eventually } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';

interface Row {
  readonly id: number;
  readonly start_time: number;
  readonly duration: number;
  readonly title: string;
  readonly shortinfo: string;
  readonly longinfo: string;
  readonly service_reference: string;
}

const sentEvents = (truth: Truth) =>
  truth.events.map(({ service_id, event_id, start, duration, title, short, description }) =>
    JSON.stringify([service_id, event_id, start, duration, title, short, description]),
  );

/** Every event of the guide, from one request with all references. */
async function shownEvents(program: Program, truth: Truth): Promise<readonly string[]> {
  const { services, transport_stream_id: stream, original_network_id: network } = truth;
  const references = services.map(({ service_id, type }) =>
    [1, 0, ...[type, service_id, stream, network, 0, 0, 0, 0].map((field) => field.toString(16)), ''].join(':'),
  );
  const asked = references.map((reference) => `service_reference=${reference}`).join('&');
  const { events } = await program.json<{ events: readonly Row[] }>(
    `/api/eventlookup?${asked}&begin=100000&querytype=0`,
  );
  return events.map(({ id, start_time, duration, title, shortinfo, longinfo, service_reference }) => {
    const service = Number.parseInt(service_reference.split(':')[3] ?? '', 16);
    return JSON.stringify([service, id, start_time, duration, title, shortinfo, longinfo]);
  });
}

const multiplexes = [
  { name: 'a clean one', flags: ['--seed', '11'], lossy: false },
  { name: 'one with losses', flags: ['--seed', '12', '--lossy', '0.001'], lossy: true },
];

describe.skipIf(!canMakeMultiplex).each(multiplexes)('$name', ({ flags, lossy }) => {
  const folder = temporaryFolder();
  let program: Program;
  let truth: Truth;

  beforeAll(async () => {
    const file = join(folder, 'multiplex.ts');
    truth = await makeMultiplex(file, '--seconds', '20', ...flags);
    program = await startProgram(folder, '--tuner', `file:${file}`, '--clock', 'broadcast');
  });
  afterAll(async () => {
    await program?.stop();
    removeFolder(folder);
  });

  test('every service is listed by name, and no other', async () => {
    const listed = await eventually(async () => {
      const { items } = await program.json<{
        items: readonly { readonly service_name: string; readonly service_type: number }[];
      }>('/services?format=object');
      return items.length >= truth.services.length ? items : undefined;
    }, 'the services');
    const sent = truth.services.map(({ name, type }) => `${name} ${type}`);
    expect(listed.map(({ service_name, service_type }) => `${service_name} ${service_type}`).sort()).toEqual(
      sent.sort(),
    );
  });

  test('every event is in the guide as sent, and nothing else', async () => {
    const sent = new Set(sentEvents(truth));
    const living = truth.events.filter(({ start, duration }) => start + duration > truth.time + 120).length;
    const enough = lossy ? living * 0.98 : living;
    const shown = await eventually(async () => {
      const events = await shownEvents(program, truth);
      // At no time is there anything that was not sent.
      expect(events.filter((event) => !sent.has(event))).toEqual([]);
      return events.length >= enough ? new Set(events) : undefined;
    }, `${enough} events`);
    if (lossy) return;
    const future = truth.events.filter(({ start }) => start > truth.time + 120);
    const missing = sentEvents({ ...truth, events: future }).filter((event) => !shown.has(event));
    expect(missing).toEqual([]);
  });

  test('the log has no error', async () => {
    expect(await program.stop()).toBe(0);
    expect(program.log.filter(({ level }) => level >= 50)).toEqual([]);
  });
});
