/**
 * For the real clients, one by one: the requests they make, in their order, read as strictly as they read them. One test a row of what
 * is known of each. Here is the receiver that the tests of a file ask, opened when this is imported.
 */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { ServiceReference } from '../../../src/services/reference.ts';
import { alpha, fillGuide, openReceiver, type TestReceiver } from '../receiver.ts';
import { get, parseXml } from '../reply.ts';

export let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

beforeEach(async () => {
  await receiver.playback.zap(ServiceReference.parse(alpha));
  await fillGuide(receiver.parts.guide);
});

/** The object of an answer with status 200. */
export const json = async (path: string, parameters: Record<string, string | number> = {}) => {
  const reply = await get(receiver, path, parameters);
  expect(reply.status).toBe(200);
  const value = JSON.parse(reply.body) as unknown;
  expect(Object.prototype.toString.call(value)).toBe('[object Object]');
  return value as Record<string, unknown>;
};

/** The root of one. */
export const xml = async (path: string, parameters: Record<string, string | number> = {}) => {
  const reply = await get(receiver, path, parameters);
  expect(reply.status).toBe(200);
  return parseXml(reply.body);
};
