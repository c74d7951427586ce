/** The remote control: keys, channels and texts. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { until } from '../../fixtures/waits.ts';
import { alpha, beta, openReceiver, type TestReceiver } from '../receiver.ts';
import { api, leaves, web } from '../reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());

it('accepts a key', async () => {
  const answer = await web(receiver, 'remotecontrol', { command: 352, rcu: 'advanced' });
  expect(answer.name).toBe('e2remotecontrol');
  expect(leaves(answer)).toEqual([
    ['e2result', 'True'],
    ['e2resulttext', "RC command '352' has been issued"],
  ]);
  expect(await api(receiver, 'remotecontrol', { command: 159, type: 'long' })).toEqual({
    result: true,
    message: "RC command '159' has been issued",
  });
});

it.each([
  [{}, "Missing mandatory parameter 'command'"],
  [{ command: '' }, "The parameter 'command' can't be empty"],
  [{ command: 'power' }, "The parameter 'command' must be a number"],
])('reports errors of %j in its own format', async (parameters: Record<string, string>, message) => {
  expect(await api(receiver, 'remotecontrol', parameters)).toEqual({
    result: false,
    message,
    error: expect.any(String),
  });
  const answer = await web(receiver, 'remotecontrol', parameters);
  expect(answer.name).toBe('e2remotecontrol');
  expect(leaves(answer)).toEqual([
    ['e2result', 'False'],
    ['e2resulttext', message],
  ]);
});

it('acts on the receiver', async () => {
  const { volume, power } = receiver.parts.device;
  await api(receiver, 'remotecontrol', { command: 113 });
  expect(volume.muted).toBe(true);
  await api(receiver, 'remotecontrol', { command: 115, type: 'long' });
  expect(volume.level).toBe(65);
  await api(receiver, 'remotecontrol', { command: 116 });
  expect(power.standby).toBe(true);
  await api(receiver, 'remotecontrol', { command: 116 });
  expect(power.standby).toBe(false);
});

it('changes channels by bouquet and by number', async () => {
  const current = () => receiver.playback.current?.reference.format();
  await api(receiver, 'remotecontrol', { command: 2 });
  await api(receiver, 'remotecontrol', { command: 352 });
  await until(() => expect(current()).toBe(alpha));
  await api(receiver, 'remotecontrol', { command: 402 });
  await until(() => expect(current()).toBe(beta));
  await api(receiver, 'remotecontrol', { command: 403 });
  await until(() => expect(current()).toBe(alpha));
});

it('types texts and characters', async () => {
  const type = vi.spyOn(receiver.parts.device.remote, 'type');
  const issued = { result: true, message: 'RC text has been issued' };
  expect(await api(receiver, 'remotecontrol', { text: 'Tee%20%26%20Br%C3%B6tchen 100 %' })).toEqual(issued);
  await api(receiver, 'remotecontrol', { command: 65, type: 'ascii' });
  const message = "The parameter 'command' must be a number from 0 to 1114111";
  expect(await api(receiver, 'remotecontrol', { command: 4294967295, type: 'ascii' })).toEqual({
    result: false,
    message,
    error: 'parameter-invalid',
  });
  expect(type.mock.calls).toEqual([['Tee & Brötchen 100 %'], ['A']]);
});
