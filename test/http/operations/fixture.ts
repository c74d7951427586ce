/** The receiver for the tests of a file that calls useReceiver(), and helpers to read responses. */
import { afterAll, beforeAll, expect } from 'vitest';
import { ServiceReference } from '../../../src/services/reference.ts';
import { alpha, openReceiver, type TestReceiver } from '../receiver.ts';
import { api, names, web } from '../reply.ts';

export let receiver: TestReceiver;
export function useReceiver(): void {
  beforeAll(async () => {
    receiver = await openReceiver();
  });
  afterAll(() => receiver.close());
}

export async function play(reference = alpha): Promise<void> {
  await receiver.playback.zap(ServiceReference.parse(reference));
}

export const currentElements = [
  'e2videowidth',
  'e2videoheight',
  'e2servicevideosize',
  'e2apid',
  'e2vpid',
  'e2pcrpid',
  'e2pmtpid',
  'e2txtpid',
  'e2tsid',
  'e2onid',
  'e2sid',
];

export const eventElements = [
  'e2eventid',
  'e2eventstart',
  'e2eventduration',
  'e2eventcurrenttime',
  'e2eventtitle',
  'e2eventdescription',
  'e2eventdescriptionextended',
  'e2eventservicereference',
  'e2eventservicename',
  'e2eventgenre',
];

/** Types of an object's values, by key. */
export function types(value: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      item === null ? 'null' : Array.isArray(item) ? 'array' : typeof item,
    ]),
  );
}

/** The part of an event that the tests read. */
export interface Event {
  id: number | null;
  title: string | null;
  begin_timestamp: number | null;
  sref: string;
  sname: string;
}

/** The JSON events of an operation, and its XML events. */
export const eventsOf = async (name: string, parameters: Record<string, string | number>) =>
  (await api<{ events: Event[] }>(receiver, name, parameters)).events;
export const xmlEvents = async (name: string, parameters: Record<string, string | number>) => {
  const list = await web(receiver, name, parameters);
  expect(list.name).toBe('e2eventlist');
  for (const event of list.children) expect(names(event)).toEqual(eventElements);
  return list.children;
};

export const titles = (events: readonly Event[]) => events.map(({ title }) => title);
