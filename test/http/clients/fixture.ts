/**
 * Helpers for the tests of real clients. The tests send the requests of each client in its order and parse the responses as
 * strictly as the client does. There is one test for each row of the interface's reference. useReceiver() opens the receiver
 * for the tests of a file.
 */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { ServiceReference } from '../../../src/services/reference.ts';
import { alpha, fillGuide, openReceiver, type TestReceiver } from '../receiver.ts';
import { get, parseXml } from '../reply.ts';

export let receiver: TestReceiver;
export function useReceiver(): void {
  beforeAll(async () => {
    receiver = await openReceiver();
  });
  afterAll(() => receiver.close());
  beforeEach(async () => {
    await receiver.playback.zap(ServiceReference.parse(alpha));
    await fillGuide(receiver.parts.guide);
  });
}

/** The object of a response with status 200. */
export const json = async (path: string, parameters: Record<string, string | number> = {}) => {
  const reply = await get(receiver, path, parameters);
  expect(reply.status).toBe(200);
  const value = JSON.parse(reply.body) as unknown;
  expect(Object.prototype.toString.call(value)).toBe('[object Object]');
  return value as Record<string, unknown>;
};

/** The root element of a response. */
export const xml = async (path: string, parameters: Record<string, string | number> = {}) => {
  const reply = await get(receiver, path, parameters);
  expect(reply.status).toBe(200);
  return parseXml(reply.body);
};
